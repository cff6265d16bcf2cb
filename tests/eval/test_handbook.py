"""The golden handbook (eval/data/handbook) keeps the promises made in its README."""

import difflib
import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2] / "eval" / "data" / "handbook"

SOURCES = {"confluence", "drive", "zendesk"}
MINIMUM_PER_LANGUAGE = {"de": 3, "fr": 2, "es": 1, "ja": 1, "zh": 1, "ar": 1}

NEAR_DUPLICATES = [
    ("HR-001", "DRV-2101"),
    ("HR-013", "HR-014"),
    ("LEG-304", "LEG-305"),
    ("PRD-421", "DRV-2350"),
    ("HC-01", "PRD-450"),
    ("ZD-10433", "ZD-10446"),
    ("PRD-410", "DRV-2320"),
    ("IT-201", "DRV-2275"),
    ("SEC-107", "DRV-2276"),
]

# (older document, document that replaced it)
SUPERSEDED = [
    ("HR-901", "HR-001"),
    ("DRV-2044", "HR-004"),
    ("HR-920", "HR-020"),
    ("SEC-907", "SEC-107"),
    ("DRV-2290", "PRD-430"),
    ("ENG-924", "ENG-524"),
    ("QA-901", "QA-601"),
    ("ENG-509", "ENG-510"),
]


def read_lines(name):
    """Every line of a JSON Lines file is one JSON object."""
    with (ROOT / name).open(encoding="utf-8") as handle:
        return [json.loads(line) for line in handle]


def corpus():
    """The documents by their id."""
    return {document["_id"]: document for document in read_lines("corpus.jsonl")}


def queries():
    """The questions by their id."""
    return {query["_id"]: query for query in read_lines("queries.jsonl")}


def qrels():
    """The gold document ids of each question."""
    lines = (ROOT / "qrels.tsv").read_text(encoding="utf-8").splitlines()
    gold = {}
    for line in lines[1:]:
        query_id, document_id, _ = line.split("\t")
        gold.setdefault(query_id, set()).add(document_id)
    return gold


def words(text):
    """The lower-case words of a text, in order."""
    return re.findall(r"\w+", text.lower())


def test_every_document_has_the_agreed_fields():
    """Every corpus line has an id, a title, a text and complete metadata."""
    for document in read_lines("corpus.jsonl"):
        assert set(document) == {"_id", "title", "text", "metadata"}
        assert document["_id"]
        assert document["title"].strip()
        assert document["text"].strip()
        metadata = document["metadata"]
        assert {"source", "author", "updated_at", "category", "url"} <= set(metadata)
        assert metadata["source"] in SOURCES
        assert metadata["author"]
        assert metadata["category"]
        assert re.match(r"https://[a-z.]+\.example/", metadata["url"])


def test_ids_and_addresses_are_unique():
    """No document id, document address, question id or question text occurs twice."""
    documents = read_lines("corpus.jsonl")
    questions = read_lines("queries.jsonl")
    for values in (
        [d["_id"] for d in documents],
        [d["metadata"]["url"] for d in documents],
        [q["_id"] for q in questions],
        [q["text"].strip().lower() for q in questions],
    ):
        assert [value for value, count in Counter(values).items() if count > 1] == []


def test_dates_parse_and_lie_in_the_story():
    """Every updated_at is a UTC time between January 2024 and November 2026."""
    first = datetime(2024, 1, 1, tzinfo=UTC)
    last = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
    for document in corpus().values():
        raw = document["metadata"]["updated_at"]
        assert raw.endswith("Z")
        assert first <= datetime.fromisoformat(raw) <= last, document["_id"]


def test_the_corpus_is_large_and_varied_enough():
    """There are at least 84 documents from all three sources in at least seven categories."""
    documents = corpus().values()
    assert len(documents) >= 84
    per_source = Counter(d["metadata"]["source"] for d in documents)
    assert set(per_source) == SOURCES
    assert min(per_source.values()) >= 10
    assert len({d["metadata"]["category"] for d in documents}) >= 7


def test_lengths_are_mixed():
    """Most documents have 900 to 3,500 characters, at least six are long and a few are very short."""
    lengths = [len(d["text"]) for d in corpus().values()]
    assert sum(900 <= n <= 3500 for n in lengths) > len(lengths) / 2
    assert sum(9000 <= n <= 20000 for n in lengths) >= 6
    assert sum(n < 400 for n in lengths) >= 3
    assert max(lengths) <= 20000


def test_long_documents_have_headings_and_tables():
    """Every document of 9,000 characters or more has at least eight headings and a table."""
    long_texts = [d["text"] for d in corpus().values() if len(d["text"]) >= 9000]
    for text in long_texts:
        assert len(re.findall(r"^#{2,3} ", text, flags=re.MULTILINE)) >= 8
        assert re.search(r"^\|(?:-+\|)+$", text, flags=re.MULTILINE)
    assert sum("```" in text for text in long_texts) >= 5


def test_languages_of_documents():
    """Each required language has its minimum of documents, eight or more in total."""
    per_language = Counter(d["metadata"]["language"] for d in corpus().values())
    for language, minimum in MINIMUM_PER_LANGUAGE.items():
        assert per_language[language] >= minimum, language
    assert sum(n for language, n in per_language.items() if language != "en") >= 8


def test_language_labels_match_the_script():
    """Documents and questions labelled Japanese, Chinese or Arabic are written in that script."""
    scripts = {"ja": "[\u3040-\u30ff]", "zh": "[\u4e00-\u9fff]", "ar": "[\u0600-\u06ff]"}
    labelled = [(d["metadata"]["language"], d["text"]) for d in corpus().values()]
    labelled += [(q["language"], q["text"]) for q in queries().values()]
    for language, text in labelled:
        if language in scripts:
            assert re.search(scripts[language], text)
        else:
            assert not re.search("[\u3040-\u30ff\u0600-\u06ff]", text)


def test_near_duplicates_are_alike_but_not_equal():
    """At least six listed pairs are near duplicates: much shared wording, yet different texts."""
    documents = corpus()
    assert len(NEAR_DUPLICATES) >= 6
    alike = 0
    for left, right in NEAR_DUPLICATES:
        a, b = words(documents[left]["text"]), words(documents[right]["text"])
        assert a != b
        matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
        shared = sum(block.size for block in matcher.get_matching_blocks() if block.size >= 3)
        alike += shared / min(len(a), len(b)) >= 0.4
    assert alike >= 6


def test_superseded_versions_are_older_and_have_other_numbers():
    """At least six listed old versions are older than, and have numbers not found in, their successor."""
    documents = corpus()
    assert len(SUPERSEDED) >= 6
    for old, new in SUPERSEDED:
        before, after = documents[old], documents[new]
        assert before["metadata"]["updated_at"] < after["metadata"]["updated_at"]
        numbers = [set(re.findall(r"\d[\d.,]*", d["text"])) for d in (before, after)]
        assert numbers[0] - numbers[1]


def test_special_documents_are_present():
    """The corpus has bracketed numbers in prose and a quoted prompt injection in a ticket."""
    documents = corpus().values()
    assert any("[1]" in d["text"] and "[2]" in d["text"] for d in documents)
    assert any(
        "Ignore all previous instructions" in d["text"] and d["metadata"]["source"] == "zendesk" for d in documents
    )


def test_every_question_has_the_agreed_fields():
    """Every question has a text, a language and the fields that belong to its kind."""
    for query in read_lines("queries.jsonl"):
        assert query["text"].strip()
        assert query["language"]
        assert isinstance(query["answerable"], bool)
        assert isinstance(query["answers"], list)
        if query["answerable"]:
            assert query["type"]
            assert "kind" not in query
            assert len(query["answers"]) >= 1
            assert all(isinstance(a, str) and a.strip() for a in query["answers"])
        else:
            assert query["answers"] == []
            assert query["kind"] in {"near-miss", "other"}


def test_there_are_enough_questions_of_each_kind():
    """There are 160 questions or more, 115 answerable, 44 unanswerable, half of these near misses."""
    questions = list(queries().values())
    answerable = [q for q in questions if q["answerable"]]
    unanswerable = [q for q in questions if not q["answerable"]]
    near = [q for q in unanswerable if q["kind"] == "near-miss"]
    assert len(questions) >= 160
    assert len(answerable) >= 115
    assert len(unanswerable) >= 44
    assert len(near) * 2 >= len(unanswerable)
    assert len(near) < len(unanswerable)


def test_questions_come_in_several_languages_and_types():
    """Ten answerable questions or more are not in English, and superseded facts are asked for."""
    answerable = [q for q in queries().values() if q["answerable"]]
    languages = Counter(q["language"] for q in answerable)
    assert sum(n for language, n in languages.items() if language != "en") >= 10
    assert {"de", "fr", "es", "ja", "zh", "ar"} <= set(languages)
    types = Counter(q["type"] for q in answerable)
    assert len(types) >= 8
    assert types["superseded"] >= 10


def test_qrels_are_well_formed():
    """The qrels have the BEIR header, score 1 everywhere and no repeated line."""
    lines = (ROOT / "qrels.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "query-id\tcorpus-id\tscore"
    assert all(line.split("\t")[2] == "1" and line.count("\t") == 2 for line in lines[1:])
    assert len(set(lines)) == len(lines)


def test_qrels_refer_to_existing_ids():
    """Every id in the qrels exists as a question or as a document."""
    questions, documents = queries(), corpus()
    for query_id, document_ids in qrels().items():
        assert query_id in questions
        assert document_ids <= set(documents)


def test_answerable_questions_have_gold_documents_and_others_do_not():
    """Exactly the answerable questions have gold documents."""
    gold = qrels()
    for query in queries().values():
        assert (query["_id"] in gold) == query["answerable"], query["_id"]


def test_non_english_questions_have_a_gold_document_in_their_language():
    """An answerable question that is not in English has a gold document in the same language."""
    gold, documents = qrels(), corpus()
    for query in queries().values():
        if query["answerable"] and query["language"] != "en":
            spoken = {documents[i]["metadata"]["language"] for i in gold[query["_id"]]}
            assert query["language"] in spoken, query["_id"]


def test_superseded_questions_do_not_point_to_old_versions():
    """No question about a current rule counts an outdated version as gold."""
    old = {before for before, _ in SUPERSEDED}
    gold = qrels()
    for query in queries().values():
        if query["answerable"] and query["type"] not in {"historical", "comparison"}:
            assert not gold[query["_id"]] & old, query["_id"]


def test_gold_answers_are_found_in_gold_documents():
    """At least 85 percent of the answerable questions have an answer that stands in a gold document."""
    gold, documents = qrels(), corpus()
    answerable = [q for q in queries().values() if q["answerable"]]
    found = 0
    for query in answerable:
        texts = [documents[i]["text"].lower() for i in gold[query["_id"]]]
        found += any(a.lower() in text for a in query["answers"] for text in texts)
    assert found / len(answerable) >= 0.85


def test_gold_answers_are_short():
    """Every gold answer has at most 120 characters."""
    for query in queries().values():
        assert all(len(answer) <= 120 for answer in query["answers"])


def test_the_readme_states_the_true_counts():
    """The numbers of documents and questions in the README are those of the files."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    questions = list(queries().values())
    answerable = sum(q["answerable"] for q in questions)
    for number, noun in (
        (len(corpus()), "documents"),
        (len(questions), "questions"),
        (answerable, "answerable"),
        (len(questions) - answerable, "unanswerable"),
        (sum(q.get("kind") == "near-miss" for q in questions), "near misses"),
    ):
        assert re.search(rf"\b{number} {noun}", text), (number, noun)
