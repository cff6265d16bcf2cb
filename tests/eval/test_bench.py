"""The benchmarks' own parts do what they are said to do, so that what they measure is the product."""

import json
import subprocess
import sys

import numpy as np
import pytest
from llama_index.core import Document

from eval.bench import __main__ as together
from eval.bench import growth, load, overhead, words
from eval.bench.service import environment_of, last_line, until_ready
from eval.bench.stand_ins import ParagraphSplitter, RandomPassages, Recording
from eval.report import Check
from eval.types import Cited, Reply, TargetError
from pipelines.embedding import Embedding
from pipelines.types import NewDocument


class Constant(Embedding):
    @property
    def dimension(self):
        return 8

    @property
    def window(self):
        return 256

    @property
    def fingerprint(self):
        return "constant"

    def count_tokens(self, text):
        return len(text.split())

    def embed_query(self, text):
        return np.eye(1, 8, dtype=np.float32)[0]

    def embed_passages(self, texts):
        return np.tile(self.embed_query(""), (len(texts), 1))


def test_paragraphs_become_passages_with_their_places():
    """Each passage is a slice of the document and names it."""
    document = Document(text="One one.\n\nTwo.\n\nThree three.", id_="d", metadata={"title": "T"})
    nodes = ParagraphSplitter()([document])
    assert [node.text for node in nodes] == ["One one.", "Two.", "Three three."]
    assert all(document.text[node.start_char_idx :].startswith(node.text) for node in nodes)
    assert {node.ref_doc_id for node in nodes} == {"d"}
    assert nodes[0].metadata == {"title": "T"}


def test_random_passages_are_unit_vectors_and_questions_are_real():
    """Passages are drawn anew, have length 1 and may not be mixed with the model's."""
    model = RandomPassages(Constant(), seed=1)
    vectors = model.embed_passages(["a", "b"])
    assert vectors.shape == (2, 8)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert not np.allclose(vectors[0], vectors[1])
    assert (model.embed_query("a") == Constant().embed_query("a")).all()
    assert model.fingerprint != "constant"


def test_recording_keeps_what_was_embedded():
    """The texts come out in the order in which they went in."""
    model = Recording(Constant())
    model.embed_passages(["a", "b"])
    model.embed_passages(["c"])
    assert model.texts == ["a", "b", "c"]


def test_made_up_text_is_the_same_for_the_same_seed():
    """Two streams of one seed give the same documents and questions."""
    one, two, other = words.Text(1), words.Text(1), words.Text(2)
    assert list(one.documents(3)) == list(two.documents(3))
    assert one.question() == two.question() != other.question()


def test_words_are_spread_as_in_real_text():
    """The commonest word is `the`, and most different words are rare."""
    text = " ".join(document.content for document in words.Text(1).documents(40)).lower()
    counted = sorted(((text.split().count(word), word) for word in set(text.split())), reverse=True)
    assert counted[0][1] == "the"
    assert sum(count == 1 for count, _ in counted) > len(counted) / 2


def test_filters_leave_what_they_are_named_for():
    """The sources of each selection hold its share of the documents."""
    documents = list(words.Text(3).documents(4000))
    for name, share in (("filter 80 %", 0.8), ("filter 20 %", 0.2), ("filter 1 %", 0.01)):
        left = sum(document.source in words.SELECTIONS[name] for document in documents)
        assert left / len(documents) == pytest.approx(share, rel=0.3, abs=0.01)


async def test_growth_measures_each_size_and_filter(tmp_path, monkeypatch):
    """Two small sizes give a time for each filter and for adding, and a second filling changes nothing."""
    monkeypatch.setattr(growth, "resolve_embedding", lambda **_: Constant())
    bases = {size: await growth.open_base(tmp_path, size) for size in (50, 100)}
    for size, base in bases.items():
        await growth.fill(base, size)
        await growth.fill(base, size)
        report = await base.check(growth.ORGANIZATION)
        assert (report.passages, report.differences) == (size, ())
    times = await growth.measure(bases, questions=2, added=1)
    for base in bases.values():
        await base.close()
    assert times.keys() == {*words.SELECTIONS, "adding a document"}
    assert {size: len(taken) for size, taken in times["unfiltered"].items()} == {50: 2, 100: 2}
    assert "| unfiltered" in growth.times_table(times)


def test_growth_compares_the_largest_with_the_smallest():
    """Only the largest size has a bound: 2.5 times for a search, 3 times for adding, 5 seconds for a restart."""
    times = {
        "unfiltered": {1_000: [10.0], 10_000: [100.0], 100_000: [20.0]},
        "adding a document": {1_000: [10.0], 100_000: [31.0]},
    }
    verdicts = {check.name: (check.value, check.passed) for check in growth.checks(times, [4.0, 6.0, 5.0])}
    assert verdicts == {
        "unfiltered: p50 at 10,000 / at 1,000": (10.0, None),
        "unfiltered: p50 at 100,000 / at 1,000": (2.0, True),
        "adding a document: p50 at 100,000 / at 1,000": (pytest.approx(3.1), False),
        "restart to first answer": (5.0, True),
    }


class Slow:
    """A target that takes a while to ingest and answers at once."""

    def __init__(self):
        self.ingested = []

    async def ingest(self, documents):
        for document in documents:
            await load.asyncio.sleep(0.3)
            self.ingested.append(document)

    async def ask(self, question, max_citations=5, filters=None):
        await load.asyncio.sleep(0.01)
        return Reply("x [1]", 0.5, (Cited("a", "x"),))


async def test_questions_are_asked_until_the_ingest_ends():
    """Only questions that were answered meanwhile count."""
    writer = Slow()
    documents = [NewDocument(source="s", external_id=str(i), title="T", content="C") for i in range(4)]
    times = await load.ask_while_ingesting(Slow(), writer, ["a", "b"], documents)
    assert len(writer.ingested) == 4
    assert 5 < len(times) <= 70
    assert all(time >= 10 for time in times)


def test_renamed_documents_share_no_passage_with_the_first():
    """Other ids make them new documents, other titles make their passages new to the embedder."""
    first = [NewDocument(source="s", external_id="a", title="T", content="C")]
    [one], [two] = load.renamed(first, 0), load.renamed(first, 1)
    assert len({(d.source, d.external_id) for d in (*first, one, two)}) == 3
    assert len({d.title for d in (*first, one, two)}) == 3


def test_an_operators_command_that_fails_says_why(monkeypatch):
    """The last line of the output is the result; what went to the error stream is the reason of a failure."""
    monkeypatch.setattr("eval.bench.service.COMMAND", (sys.executable, "-c"))
    assert last_line(["print('note'); print('id')"], {}) == "id"
    with pytest.raises(TargetError, match="no such plan"):
        last_line(["import sys; sys.exit('no such plan')"], {})
    with pytest.raises(TargetError, match="printed nothing"):
        last_line(["pass"], {})


def test_time_of_a_call_is_in_seconds():
    """An empty call takes next to nothing."""
    assert 0 <= overhead.seconds_of(lambda: json.dumps({})) < 1


def test_all_benchmarks_make_one_table(monkeypatch, capsys, tmp_path):
    """Each measure is named after its benchmark, the rows go to a file, and a broken promise is an exit code."""
    made = {"quick": lambda: [Check(name="x", value=1.0, at_most=2.0)], "slow": lambda: [Check(name="x", value=9.0)]}
    monkeypatch.setattr(together, "benchmarks", lambda _: made)
    assert together.main(["--json", str(tmp_path / "out.json")]) == 0
    assert [row["name"] for row in json.loads((tmp_path / "out.json").read_text())] == ["quick: x", "slow: x"]
    made["slow"] = lambda: [Check(name="x", value=9.0, at_most=2.0)]
    assert together.main(["quick"]) == 0
    assert together.main(["slow"]) == 1
    assert "NO |" in capsys.readouterr().out


def test_an_unknown_benchmark_is_refused(capsys):
    """The name that is not known is in the message."""
    with pytest.raises(SystemExit, match="2"):
        together.main(["speed"])
    assert "no benchmark speed" in capsys.readouterr().err


def test_the_embedder_is_judged_only_beside_a_reference():
    """Without sentence-transformers there is a speed but no verdict."""
    [alone] = together.as_checks({"passages_per_second": {"ours": 50.0}})
    assert alone.passed is None
    measured = {
        "passages_per_second": {"ours": 50.0, "theirs": 25.0, "ratio": 2.0},
        "cosine": {"mean": 0.99, "min": 0.9},
    }
    assert [check.passed for check in together.as_checks(measured)] == [None, True, False]


def test_a_service_that_ends_early_shows_its_log(tmp_path):
    """What the service said last is in the error."""
    log = tmp_path / "service.log"
    log.write_text("port is taken")
    with subprocess.Popen([sys.executable, "-c", "pass"]) as process:
        process.wait()
        with pytest.raises(TargetError, match="port is taken"):
            until_ready("http://127.0.0.1:1", process, log)


def test_a_service_of_ones_own_has_no_settings_of_others(monkeypatch, tmp_path):
    """A benchmark in a shell whose variables name a real database writes nothing there."""
    monkeypatch.setenv("KB_DATABASE_URL", "postgresql://real")
    monkeypatch.setenv("SUPABASE_URL", "https://real.example")
    environment = environment_of(tmp_path, KB_LIMITS="off")
    named = {name: value for name, value in environment.items() if name.startswith(("KB_", "SUPABASE_"))}
    assert named == {"KB_DATA_DIR": str(tmp_path), "KB_LIMITS": "off"}
