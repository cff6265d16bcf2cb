"""Files to documents: each kind, and what cannot be read."""

import json
from pathlib import Path

import pytest
from fpdf import FPDF

from app.commands.limits import refused
from app.commands.reading import Failure, read
from app.commands.refusals import Refusal
from pipelines.types import NewDocument

PAGE = """<html><head><title>Leave</title></head><body><nav><a href="/">Home</a></nav><article><h1>Leave</h1>
<p>Everybody has thirty days of leave a year, and five of them may be taken over into the next one.</p>
<p>Ask your line manager at least two weeks before, by the form in the portal.</p></article></body></html>"""


def make_pdf(path: Path, text: str) -> None:
    pdf = FPDF()
    pdf.add_page()
    pdf.set_font("Helvetica", size=12)
    if text:
        pdf.multi_cell(0, 8, text)
    pdf.output(str(path))


def only(path: Path, source: str | None = None) -> NewDocument | Failure:
    [one] = read(path, source).documents
    return one


def document(one: NewDocument | Failure) -> NewDocument:
    assert isinstance(one, NewDocument), one
    return one


def test_markdown_has_its_heading_as_title_and_its_path_as_id(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.md").write_text("# Travel by train #\n\nTrains come first.\n")
    found = document(only(tmp_path, "wiki"))
    assert (found.title, found.external_id, found.source) == ("Travel by train", "deep/a.md", "wiki")
    assert found.content.endswith("Trains come first.\n")
    assert found.metadata is not None
    assert found.metadata["updated_at"].endswith("Z")


def test_a_folders_name_is_the_source_as_far_as_one_may_be_called_so(tmp_path: Path) -> None:
    folder = tmp_path / "Our docs (2026)"
    folder.mkdir()
    (folder / "a.txt").write_text("Text.")
    assert document(only(folder)).source == "Our-docs-2026"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_text_in_old_encodings_is_read(tmp_path: Path, encoding: str) -> None:
    text = "Für die Kühlgeräte in Flensburg gelten größere Abstände, und über die Türen wird täglich Buch geführt."
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert document(only(tmp_path)).content == text


def test_html_is_its_main_text(tmp_path: Path) -> None:
    (tmp_path / "leave.html").write_text(PAGE)
    found = document(only(tmp_path))
    assert found.title == "Leave"
    assert "thirty days of leave" in found.content
    assert "Home" not in found.content


def test_a_fragment_of_html_is_read(tmp_path: Path) -> None:
    (tmp_path / "bees.htm").write_text("<h2>Bees</h2><p>The hives stand on the roof of hall 2.</p>")
    assert "roof of hall 2" in document(only(tmp_path)).content


def test_pdf_is_its_text(tmp_path: Path) -> None:
    make_pdf(tmp_path / "hotel.pdf", "A night in Lyon may cost 145 euros.")
    found = document(only(tmp_path / "hotel.pdf"))
    assert found.title == "hotel"
    assert "145 euros" in found.content


def test_a_pdf_without_text_says_what_to_do(tmp_path: Path) -> None:
    make_pdf(tmp_path / "scan.pdf", "")
    found = only(tmp_path)
    assert isinstance(found, Failure)
    assert "text recognition" in found.reason


def test_a_broken_pdf_is_a_failure_of_that_file_alone(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4 nothing more")
    (tmp_path / "b.txt").write_text("Text.")
    kinds = [type(one) for one in read(tmp_path, None).documents]
    assert kinds == [Failure, NewDocument]


def test_hidden_files_and_other_kinds_are_left_out(tmp_path: Path) -> None:
    for name in (".git/a.md", ".b.md", "c.png", "d.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("Text.")
    batch = read(tmp_path, None)
    assert batch.total == 1
    assert [document(one).external_id for one in batch.documents] == ["d.md"]


@pytest.mark.parametrize("name", ["", "nothing.md", "picture.png"])
def test_a_path_without_anything_to_read_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "picture.png").write_bytes(b"png")
    with pytest.raises(Refusal):
        read(tmp_path / name, None)


def test_a_corpus_line_has_its_source_and_url_in_its_metadata(tmp_path: Path) -> None:
    metadata = {"source": "drive", "url": "https://example.com/1", "author": "Ingrid"}
    lines = [
        {"_id": "1", "title": "One", "text": "First.", "metadata": metadata},
        {"_id": 2, "text": "Second has no title.\nMore."},
    ]
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n\n")
    batch = read(path, None)
    first, second = (document(one) for one in batch.documents)
    assert batch.total == 2
    assert (first.source, first.url, first.metadata) == ("drive", "https://example.com/1", {"author": "Ingrid"})
    assert (second.external_id, second.title, second.url) == ("2", "Second has no title.", None)
    (tmp_path / "README.md").write_text("# About the data set")
    assert read(tmp_path, None).total == 2


@pytest.mark.parametrize("line", ["no json", "[1]", '{"text": "no id"}', '{"_id": "1", "text": "t", "metadata": [1]}'])
def test_a_corpus_line_that_is_no_document_is_a_failure(tmp_path: Path, line: str) -> None:
    (tmp_path / "corpus.jsonl").write_text(line)
    assert isinstance(only(tmp_path / "corpus.jsonl"), Failure)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"content": " \n"}, "text is empty"),
        ({"content": "x" * 1_000_001}, "at most 1000000"),
        ({"content": "a\0b"}, "not text"),
        ({"title": "x" * 501}, "title"),
        ({"source": "a b"}, "source"),
        ({"url": "ftp://example.com"}, "url"),
        ({"metadata": {"a": "x" * 20_000}}, "16,384 bytes"),
        ({"metadata": {"a": {"b": {"c": {"d": {"e": {}}}}}}}, "5 deep"),
        ({"metadata": {"a": "\0"}}, "not text"),
    ],
)
def test_what_the_service_refuses_is_refused(wrong: dict[str, object], reason: str) -> None:
    values: dict[str, object] = {"source": "wiki", "external_id": "1", "title": "One", "content": "Text.", **wrong}
    failure = refused(NewDocument(**values))  # type: ignore[arg-type]
    assert failure is not None
    assert reason in failure.reason


def test_what_is_good_is_not_refused() -> None:
    metadata = {"a": {"b": {"c": {"d": 1}}}, "list": [[1]]}
    good = NewDocument(
        source="wiki", external_id="1", title="One", content="Text.", url="https://example.com", metadata=metadata
    )
    assert refused(good) is None
