"""Data sets are read as they are, and what is wrong with one is said with file and line."""

import json

import pytest

from eval.datasets import HANDBOOK, DatasetError, load

CORPUS = [
    {"_id": "d1", "title": "One", "text": "First.", "metadata": {"source": "wiki", "updated_at": "2026-01-02"}},
    {"_id": "d2", "title": "", "text": "Second."},
    {"_id": "blank", "title": "Blank", "text": "  "},
]
QUERIES = [
    {"_id": "q1", "text": "What is first?", "answers": ["One"], "answerable": True},
    {"_id": "q2", "text": "What is third?", "answerable": False, "kind": "near-miss"},
]
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq1\tblank\t1\n"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "small"
    made.mkdir()
    write(made, "corpus.jsonl", CORPUS)
    write(made, "queries.jsonl", QUERIES)
    (made / "qrels.tsv").write_text(QRELS)
    return made


def write(folder, name, rows):
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_documents_get_what_the_service_requires(folder):
    """A document without source or title gets the data set's name and a stand-in; a blank one is left out."""
    first, second = load(folder).documents
    assert (first.source, first.external_id, first.title, first.content) == ("wiki", "d1", "One", "First.")
    assert first.metadata == {"updated_at": "2026-01-02"}
    assert (second.source, second.title) == ("small", "untitled")


def test_questions_keep_their_answers_and_kind(folder):
    """Answers, answerable and kind are read; what is absent has its default."""
    first, second = load(folder).questions
    assert (first.answers, first.answerable, first.kind) == (("One",), True, "")
    assert (second.answers, second.answerable, second.kind) == ((), False, "near-miss")


def test_only_grades_above_zero_of_documents_that_are_there_count(folder):
    """A grade of 0 and a judgement of a blank document are no gold."""
    dataset = load(folder)
    assert dataset.gold == {"q1": {"d1": 2}}
    assert [question.id for question in dataset.judged()] == ["q1"]


def test_judgements_may_lie_where_beir_has_them(folder):
    """The questions are then those of the split; a `qrels.tsv` of one's own comes first."""
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td2\t1\n")
    assert load(folder).gold == {"q1": {"d1": 2}}
    assert len(load(folder).questions) == 2
    (folder / "qrels.tsv").unlink()
    dataset = load(folder)
    assert dataset.gold == {"q2": {"d2": 1}}
    assert [question.id for question in dataset.questions] == ["q2"]


def test_the_first_documents_are_those_that_are_judged(folder):
    """Cutting a data set keeps gold documents before others and drops judgements of what was cut."""
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\n")
    assert [document.external_id for document in load(folder).first(1).documents] == ["d2"]
    assert load(folder).first(1).gold == {"q1": {"d2": 1}}
    assert load(folder).first(0).gold == {}


def test_the_handbook_loads():
    """The handbook that is shipped is a data set with gold documents for its answerable questions."""
    handbook = load(HANDBOOK)
    assert len(handbook.documents) > 100
    assert {question.id for question in handbook.questions if question.answerable} == set(handbook.gold)
    assert {question.kind for question in handbook.questions if not question.answerable} == {"near-miss", "other"}


def test_a_missing_file_is_named(folder):
    """A folder without queries is no data set."""
    (folder / "queries.jsonl").unlink()
    with pytest.raises(DatasetError, match=r"queries\.jsonl: cannot be read"):
        load(folder)


def test_broken_json_is_named_with_its_line(folder):
    """The message tells where the JSON breaks."""
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "text": "x"}\n\n{"_id": \n')
    with pytest.raises(DatasetError, match=r"corpus\.jsonl, line 3: no JSON"):
        load(folder)


@pytest.mark.parametrize("line", ['{"_id": "d1"}', '["d1", "text"]', '"text"'])
def test_a_line_without_id_or_text_is_refused(folder, line):
    """Every line is an object with _id and text."""
    (folder / "corpus.jsonl").write_text(line + "\n")
    with pytest.raises(DatasetError, match="line 1: not an object with _id and text"):
        load(folder)


def test_ids_are_unique(folder):
    """The same document twice is a mistake of the data, not a choice for the reader."""
    write(folder, "corpus.jsonl", [*CORPUS, CORPUS[0]])
    with pytest.raises(DatasetError, match="'d1' is there more than once"):
        load(folder)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q1\td1\t1\n", "line 1: the header is not"),
        ("", "line 1: the header is not"),
        ("query-id\tcorpus-id\tscore\nq1 d1 1\n", "line 2: not a question, a document and a whole number"),
        ("query-id\tcorpus-id\tscore\nq1\td1\thigh\n", "line 2: not a question"),
        ("query-id\tcorpus-id\tscore\nq1\tnone\t1\n", "line 2: there is no document 'none'"),
        ("query-id\tcorpus-id\tscore\nq1\td1\t1\nnone\td1\t1\n", "line 3: there is no question 'none'"),
    ],
)
def test_a_wrong_judgement_is_refused(folder, content, message):
    """Judgements without header, of another form or of what is not there are named with their line."""
    (folder / "qrels.tsv").write_text(content)
    with pytest.raises(DatasetError, match=message):
        load(folder)
