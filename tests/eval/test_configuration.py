"""What is set differently is read strictly, and becomes arguments of the library."""

import pytest

from eval import configuration
from eval.configuration import Configuration, ConfigurationError, load_configuration
from pipelines.fusion import ConvexCombination, ReciprocalRankFusion


class Model:
    window = 128

    def count_tokens(self, texts):
        return [len(text.split()) for text in texts]


@pytest.fixture
def asked(monkeypatch):
    """What the embedding model was asked for."""
    calls = []
    monkeypatch.setattr(configuration, "resolve_embedding", lambda **wanted: calls.append(wanted) or Model())
    return calls


@pytest.fixture
def read(tmp_path):
    def of(text):
        path = tmp_path / "tuned.toml"
        path.write_text(text)
        return load_configuration(path)

    return of


def test_without_a_file_the_library_is_as_it_is(asked, tmp_path):
    """Only the model is opened beforehand: once for all suites."""
    options = load_configuration(None).options(tmp_path)
    assert options.keys() == {"embedding"}
    assert asked == [{"data_folder": tmp_path}]
    assert Configuration().indexed_as() == ""


def test_tables_become_arguments(asked, read, tmp_path, monkeypatch):
    """A splitter for the model, a fusion, a language model; a key is read from the environment that is named."""
    monkeypatch.setenv("MODEL_KEY", "secret")
    made = read(
        "[passages]\ntarget_tokens = 64\n[fusion]\nlexical_weight = 0\n"
        '[embedding]\nmodel = "m"\nbase_url = "http://localhost:1"\napi_key_env = "MODEL_KEY"\n'
        '[llm]\nmodel = "l"\nbase_url = "http://localhost:2"\n'
    )
    options = made.options(tmp_path)
    assert options["fusion"] == ConvexCombination(lexical_weight=0)
    assert (options["splitter"].target_tokens, options["splitter"].window) == (64, 128)
    assert options["llm"].model == "l"
    assert asked == [{"data_folder": tmp_path, "model": "m", "base_url": "http://localhost:1", "api_key": "secret"}]


def test_ranks_can_be_fused_instead(asked, read, tmp_path):
    """By its kind."""
    fusion = read('[fusion]\nkind = "rrf"\nk = 10\n').options(tmp_path)["fusion"]
    assert fusion == ReciprocalRankFusion(k=10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[passages", "tuned.toml"),
        ("[magic]\nx = 1", r"no table \[magic\]"),
        ("fusion = 3", r"no table \[fusion\]"),
        ("[fusion]\nweight = 1", "has no weight"),
        ('[passages]\ntarget_tokens = "64"', "target_tokens is not of type int"),
        ("[passages]\noverlap = true", "overlap is not of type int"),
        ('[fusion]\nkind = "magic"', "kind is none of convex, rrf"),
    ],
)
def test_a_wrong_file_is_refused(read, text, message):
    """A setting that is not known would be measured as if it were."""
    with pytest.raises(ConfigurationError, match=message):
        read(text)


def test_a_setting_of_another_kind_is_refused(asked, read, tmp_path):
    """Only ranks have a k."""
    with pytest.raises(ConfigurationError, match="kind convex"):
        read("[fusion]\nk = 3").options(tmp_path)


def test_what_is_indexed_differently_is_kept_apart(read):
    """A kept folder holds other passages then; fusion changes nothing in it."""
    names = {read(f"[passages]\ntarget_tokens = {tokens}").indexed_as() for tokens in (64, 128)}
    assert len(names | {""}) == 3
    assert read("[fusion]\nlexical_weight = 0.1").indexed_as() == ""
