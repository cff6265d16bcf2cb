"""How the pipeline is tuned is read strictly, becomes arguments of the library, and is written as it was read."""

import json
from dataclasses import replace

import pytest

from pipelines import configuration
from pipelines.calibration import ANY, BUILT_IN, GENERATED, Logistic, calibration_for, save_calibrations, save_generated
from pipelines.configuration import Configuration, ConfigurationError, load_configuration
from pipelines.fusion import ConvexCombination, ReciprocalRankFusion
from pipelines.text.sizes import TARGET_TOKENS, PassageSize


class Model:
    model_name = BUILT_IN


@pytest.fixture
def asked(monkeypatch):
    """What the embedding model was asked for."""
    calls = []
    monkeypatch.setattr(configuration, "resolve_embedding", lambda **wanted: calls.append(wanted) or Model())
    monkeypatch.setattr(configuration, "load_classifier", lambda folder: f"classifier in {folder.name}")
    return calls


@pytest.fixture
def read(tmp_path):
    def of(text):
        path = tmp_path / "tuned.toml"
        path.write_text(text)
        return load_configuration(path)

    return of


@pytest.fixture
def calibration(tmp_path):
    """A file beside the configuration, that refuses nothing."""
    own = calibration_for()
    lenient = type(own)(answerable=own.answerable, right=own.right, relevant=own.relevant, threshold=0.0)
    save_calibrations({BUILT_IN: lenient, ANY: lenient}, {}, tmp_path / "own.json")
    return lenient


SERVERS = (
    '[embedding]\nmodel = "m"\nbase_url = "http://localhost:1"\napi_key_env = "MODEL_KEY"\n'
    '[llm]\nmodel = "l"\nbase_url = "http://localhost:2"\nmax_tokens = 99\n'
)


def test_without_a_file_the_library_is_as_it_is(asked, tmp_path):
    """Only the model is opened beforehand: once for all suites."""
    options = load_configuration(None).options(tmp_path)
    assert options.keys() == {"embedding", "classifier"}
    assert asked == [{"data_folder": tmp_path}]
    assert options["classifier"] == f"classifier in {tmp_path.name}"
    assert Configuration().indexed_as() == ""


def test_tables_become_arguments(asked, read, tmp_path, monkeypatch):
    """Passages of a size, a fusion, a language model; a key is read from the environment that is named."""
    monkeypatch.setenv("MODEL_KEY", "secret")
    made = read(
        "[passages]\ntarget_tokens = 64\n[fusion]\nlexical_weight = 0\n[answers]\nmax_citations = 3\n" + SERVERS
    )
    options = made.options(tmp_path)
    assert options["fusion"] == ConvexCombination(lexical_weight=0)
    assert options["splitter"] == PassageSize(target_tokens=64)
    assert (options["llm"].model, options["llm"].max_tokens) == ("l", 99)
    assert options["max_citations"] == 3
    assert "calibration" not in options
    assert asked == [{"data_folder": tmp_path, "model": "m", "base_url": "http://localhost:1", "api_key": "secret"}]


def test_nothing_is_read_closely_where_that_is_not_wanted(asked, read, tmp_path):
    """The classifier is not even loaded; and the file says so when it is saved."""
    made = read("[answers]\nread_closely = false\n")
    assert "classifier" not in made.options(tmp_path)
    made.save(tmp_path / "saved.toml")
    assert load_configuration(tmp_path / "saved.toml") == made


def test_what_no_calibration_tells_the_meaning_of_is_not_loaded(asked, tmp_path, monkeypatch):
    """A model that was calibrated without the classifier does without it."""
    plain = replace(calibration_for(), answerable_closely=None, right_closely=None)
    monkeypatch.setattr(configuration, "calibration_for", lambda _: plain)
    assert "classifier" not in load_configuration(None).options(tmp_path)


def test_a_reranker_reorders_what_was_found(asked, read, tmp_path):
    """Its server with how long a question waits for it; the environment's server beats it."""
    made = read('[reranker]\nbase_url = "http://localhost:3"\nmodel = "r"\ntimeout = 0.5\n')
    [reranker] = made.options(tmp_path)["postprocessors"]
    assert reranker.timeout == 0.5
    [reranker] = made.options(tmp_path, {"reranker": {"base_url": "http://localhost:4"}})["postprocessors"]
    assert reranker.timeout == 0.5
    assert "postprocessors" not in Configuration().options(tmp_path, {"reranker": {"api_key": "secret"}})


def test_ranks_can_be_fused_instead(asked, read, tmp_path):
    """By its kind."""
    fusion = read('[fusion]\nkind = "rrf"\nk = 10\n').options(tmp_path)["fusion"]
    assert fusion == ReciprocalRankFusion(k=10)


def test_a_threshold_moves_the_calibration_alone(asked, read, tmp_path, calibration):
    """Of the library's own, and of a file's, which is named from the configuration's folder."""
    moved = read("[answers]\nthreshold = 0.4\n").options(tmp_path)["calibration"]
    assert (moved.threshold, moved.right) == (0.4, calibration_for().right)
    assert read('[calibration]\nfile = "own.json"\n').options(tmp_path)["calibration"] == calibration
    both = read('[calibration]\nfile = "own.json"\n[answers]\nthreshold = 0.1\n').options(tmp_path)["calibration"]
    assert both.threshold == 0.1


def test_the_environment_beats_the_file(asked, read, tmp_path, monkeypatch):
    """Key by key; what it does not say is as in the file."""
    monkeypatch.setenv("MODEL_KEY", "secret")
    options = read(SERVERS).options(tmp_path, {"embedding": {"model": "other"}, "llm": {"api_key": "own"}})
    assert asked[0] | {"model": "other", "api_key": "secret"} == asked[0]
    assert (options["llm"].model, options["llm"].api_key) == ("l", "own")


def test_another_server_does_not_get_the_files_key(asked, read, tmp_path, monkeypatch):
    """Nor is it asked for the file's model; how it is used stays as tuned."""
    monkeypatch.setenv("MODEL_KEY", "secret")
    other = {"base_url": "http://localhost:9", "model": "n"}
    options = read(SERVERS).options(tmp_path, {"embedding": other, "llm": other})
    assert asked == [{"data_folder": tmp_path, **other}]
    assert (options["llm"].model, options["llm"].api_base, options["llm"].max_tokens) == ("n", other["base_url"], 99)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[passages", "tuned.toml"),
        ("[magic]\nx = 1", r"no table \[magic\]; known are passages"),
        ("fusion = 3", "fusion is not a table"),
        ("[fusion]\nweight = 1", r"\[fusion\] has no weight; known are kind, lexical_weight, k"),
        ('[passages]\ntarget_tokens = "64"', r"\[passages\] target_tokens: Input should be a valid integer"),
        ("[passages]\ntarget_tokens = 0", "greater than 0"),
        ("[passages]\noverlap = true", "overlap: Input should be a valid integer"),
        ('[fusion]\nkind = "magic"', "kind: Input should be 'convex' or 'rrf'"),
        ("[fusion]\nk = 3", r"\[fusion\] k is for kind rrf"),
        ("[fusion]\nlexical_weight = nan", "lexical_weight: Input should be a finite number"),
        ("[answers]\nthreshold = 1.5", "less than or equal to 1"),
        ("[answers]\nmax_citations = 21", "less than or equal to 20"),
        ('[llm]\nmodel = "l"', "base_url is needed"),
        ('[embedding]\nbase_url = "http://localhost:1"', "model is needed"),
        ('[llm]\nbase_url = "localhost:1"\nmodel = "l"', "base_url: String should match"),
        ('[calibration]\nfile = "nowhere.json"', "there is no file .*nowhere.json"),
        ("[calibration]\n", "file: Field required"),
    ],
)
def test_a_wrong_file_is_refused_in_a_line(read, text, message):
    """A setting that is not known would be measured as if it were."""
    with pytest.raises(ConfigurationError, match=message) as refused:
        read(text)
    assert "tuned.toml: " in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    """Not taken for one without settings."""
    with pytest.raises(ConfigurationError, match=r"nowhere\.toml: No such file"):
        load_configuration(tmp_path / "nowhere.toml")


def test_a_key_that_the_environment_lacks_is_refused(asked, read, tmp_path, monkeypatch):
    """A server would refuse each call instead."""
    monkeypatch.delenv("MODEL_KEY", raising=False)
    with pytest.raises(ConfigurationError, match=r"\[embedding\] api_key_env: the environment has no MODEL_KEY"):
        read(SERVERS).options(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw.update(version=1),
        lambda raw: raw.pop("calibrations"),
        lambda raw: raw["calibrations"][BUILT_IN].pop("threshold"),
        lambda raw: raw["calibrations"][BUILT_IN]["right"]["weights"].update(magic=1.0),
    ],
)
def test_a_calibration_that_is_none_is_refused(asked, read, tmp_path, calibration, change):
    """Of another version, incomplete, or of evidence that there is not."""
    raw = json.loads((tmp_path / "own.json").read_text())
    change(raw)
    (tmp_path / "own.json").write_text(json.dumps(raw))
    with pytest.raises(ConfigurationError, match=r"\[calibration\] .*own.json"):
        read('[calibration]\nfile = "own.json"\n').options(tmp_path)


def test_what_is_indexed_differently_is_kept_apart(read):
    """A kept folder holds other passages then; fusion changes nothing in it."""
    names = {read(f"[passages]\ntarget_tokens = {tokens}").indexed_as() for tokens in (64, 128)}
    assert len(names | {""}) == 3
    assert read(f"[passages]\ntarget_tokens = {TARGET_TOKENS}\n[embedding]\n").indexed_as() == ""
    assert read("[fusion]\nlexical_weight = 0.1").indexed_as() == ""


def test_saved_and_loaded_it_is_the_same(tmp_path):
    """Only what is set, whatever signs are in it."""
    tables = {
        "passages": {"target_tokens": 64},
        "fusion": {"kind": "rrf", "lexical_weight": 1e-05, "k": 7},
        "embedding": {"model": 'a "model" \\ with\ttabs, \x7f, ü and 🪶'},
        "answers": {"threshold": 0.25, "max_citations": 3},
    }
    Configuration.of(tables).save(tmp_path / "tuned.toml")
    assert load_configuration(tmp_path / "tuned.toml").tables() == tables


def test_a_calibration_is_found_from_wherever_the_configuration_is_saved(asked, tmp_path, calibration):
    """Both may move together, as into an image."""
    here = Configuration.of({"calibration": {"file": str(tmp_path / "own.json")}})
    here.save(tmp_path / "tuned.toml")
    assert (tmp_path / "tuned.toml").read_text() == '[calibration]\nfile = "own.json"\n'
    moved = tmp_path.rename(tmp_path.with_name("moved"))
    assert load_configuration(moved / "tuned.toml").options(moved)["calibration"] == calibration


def test_a_change_replaces_a_table(tmp_path):
    """And is as strict as a file."""
    tuned = Configuration.of({"passages": {"target_tokens": 64, "overlap": 1}})
    assert tuned.changed(passages={"overlap": 2}, answers={"threshold": 0.5}).tables() == {
        "passages": {"overlap": 2},
        "answers": {"threshold": 0.5},
    }
    with pytest.raises(ConfigurationError, match="has no size"):
        tuned.changed(passages={"size": 3})


def test_a_report_tells_calibrations_apart_without_their_place(tmp_path, calibration):
    """By digest: a run on another one is another run."""
    described = Configuration.of({"calibration": {"file": str(tmp_path / "own.json")}}).described()
    assert described["calibration"].keys() == {"sha256", "generated"}
    assert described["calibration"]["generated"] is False
    save_generated(BUILT_IN, Logistic({GENERATED: 0.5}, 0.0), {}, tmp_path / "own.json")
    assert Configuration.of({"calibration": {"file": str(tmp_path / "own.json")}}).described()["calibration"][
        "generated"
    ]


def test_a_report_names_a_models_folder_without_its_place(tmp_path):
    """As the library calls the model: its calibration is found by that name."""
    (tmp_path / "small-model").mkdir()
    described = Configuration.of({"embedding": {"model": str(tmp_path / "small-model")}}).described()
    assert described["embedding"]["model"] == "small-model"
