"""A suite is found by name, folder or file, and says what is wrong with it."""

import json

import pytest

from eval.datasets import DatasetError
from eval.suites import find, fingerprint, halves, sample


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "small"
    made.mkdir()
    (made / "corpus.jsonl").write_text('{"_id": "a", "title": "A", "text": "Booked 14 days ahead."}\n')
    (made / "queries.jsonl").write_text('{"_id": "q", "text": "When?"}\n{"_id": "r", "text": "Why?"}\n')
    (made / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq\ta\t1\n")
    return made


def written(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_handbook_is_a_name():
    """It needs no path."""
    assert find("handbook").name == "handbook"
    assert len(find("handbook").questions) == 318


def test_questions_of_several_parts_are_asked_of_the_handbook():
    """Each has a gold document and an answer for every part, which stands in one of them."""
    suite = find("handbook-parts")
    texts = suite.texts()
    assert suite.name == "handbook-parts"
    assert len(suite.questions) >= 20
    for question in suite.questions:
        assert question.type == "comparison"
        for answer in question.answers:
            assert any(answer in texts[document] for document in suite.gold[question.id])


def test_a_folder_is_found_by_path_and_in_data(folder):
    """Both are the same suite."""
    assert find(str(folder)) == find("small", folder.parent)


def test_what_is_not_there_is_named_with_where_it_was_looked_for(tmp_path):
    """Both places are in the message."""
    with pytest.raises(DatasetError, match=r"nowhere: looked for nowhere and .*/nowhere"):
        find("nowhere", tmp_path)


def test_questions_of_a_file_are_asked_of_the_documents_of_a_folder(folder, tmp_path):
    """Ids are line numbers where there are none; an answer may be a text; kinds and gold documents are kept."""
    path = written(
        tmp_path / "mine.jsonl",
        {"question": "When?", "answer": "14 days", "documents": ["a"]},
        {"id": "x", "text": "Moon?", "answerable": False, "kind": "other"},
    )
    suite = find(str(path), folder)
    assert (suite.name, len(suite.documents)) == ("mine", 1)
    assert [(one.id, one.answers, one.answerable, one.kind) for one in suite.questions] == [
        ("1", ("14 days",), True, ""),
        ("x", (), False, "other"),
    ]
    assert suite.gold == {"1": {"a": 1}}


def test_a_file_beside_a_corpus_is_asked_of_it(folder):
    """No folder has to be named then; without any, a running service has the documents."""
    assert len(find(str(written(folder / "mine.jsonl", {"question": "When?"}))).documents) == 1
    assert find(str(written(folder.parent / "mine.jsonl", {"question": "When?"}))).documents == ()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "1"}], "line 1: not an object with a question"),
        ([{"question": " "}], "line 1: not an object with a question"),
        ([{"id": "1", "question": "A?"}, {"id": "1", "question": "B?"}], "an id is there more than once"),
        ([{"id": "1", "question": "A?", "documents": ["z"]}], "there is no document 'z', the gold document of '1'"),
        ([{"id": "1", "question": "A?", "answerable": "no"}], "question '1': answerable is true or false, not \"no\""),
        ([], "there is no question"),
    ],
)
def test_a_wrong_file_is_refused(folder, tmp_path, rows, message):
    """The message says what is wrong and where."""
    with pytest.raises(DatasetError, match=message):
        find(str(written(tmp_path / "mine.jsonl", *rows)), folder)


def test_no_json_is_refused(tmp_path):
    """With its line."""
    path = tmp_path / "mine.jsonl"
    path.write_text("{")
    with pytest.raises(DatasetError, match="line 1: no JSON"):
        find(str(path))


def test_a_sample_is_the_seeds():
    """The same seed chooses the same questions, in their order; another seed others; documents stay."""
    handbook = find("handbook")
    one, again, other = sample(handbook, 10, 1), sample(handbook, 10, 1), sample(handbook, 10, 2)
    assert one == again
    assert one.questions != other.questions
    ids = [question.id for question in one.questions]
    assert ids == sorted(ids)
    assert len(one.documents) == len(handbook.documents)
    assert sample(handbook, 1000, 1) is handbook


def test_halves_share_no_question():
    """Together they are all of them; what is tuned on one can be shown on the other. Documents are in both."""
    handbook = find("handbook")
    first, second = halves(handbook, 1)
    ids = [{question.id for question in half.questions} for half in (first, second)]
    assert ids[0] | ids[1] == {question.id for question in handbook.questions}
    assert len(ids[0]) == len(ids[1]) == len(handbook.questions) / 2
    assert first.documents == second.documents == handbook.documents
    assert halves(handbook, 2) != (first, second)


def test_the_fingerprint_is_that_of_the_content(folder):
    """The order of documents does not count, every text does."""
    before = find(str(folder))
    corpus = folder / "corpus.jsonl"
    corpus.write_text(corpus.read_text() + '{"_id": "b", "title": "B", "text": "Other."}\n')
    after = find(str(folder))
    corpus.write_text("".join(reversed(corpus.read_text().splitlines(keepends=True))))
    assert fingerprint(before) != fingerprint(after)
    assert fingerprint(find(str(folder))) == fingerprint(after)


def test_ones_own_suite_comes_before_a_built_in_one(folder):
    """And a language that nothing was translated to names those that there are."""
    mine = folder.rename(folder.with_name("handbook-v2"))
    assert find("handbook-v2", mine.parent).name == "handbook-v2"
    with pytest.raises(DatasetError, match="built in are handbook, handbook-parts"):
        find("handbook-fr")
