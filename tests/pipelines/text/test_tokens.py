import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.text.languages import LANGUAGES
from pipelines.text.tokens import index_tokens, query_tokens
from tests.pipelines.text.conftest import SEVEN

CODES = [code for codes in LANGUAGES.values() for code in codes] + ["xx", ""]


@settings(deadline=None)
@given(st.text(max_size=200), st.sampled_from(CODES))
def test_tokens_are_words(text: str, language: str) -> None:
    """No token of any text in any language is empty or has white space in it."""
    assert all(token and not any(map(str.isspace, token)) for token in index_tokens(text, language))


@settings(deadline=None)
@given(st.text(max_size=100), st.sets(st.sampled_from(CODES), max_size=4))
def test_query_tokens_are_distinct(text: str, languages: set[str]) -> None:
    """A question's tokens are distinct words, whatever the index holds."""
    tokens = query_tokens(text, languages)
    assert len(set(tokens)) == len(tokens)
    assert all(token and not any(map(str.isspace, token)) for token in tokens)


@settings(deadline=None)
@given(st.text(max_size=100), st.sampled_from(CODES))
def test_a_text_finds_itself(text: str, language: str) -> None:
    """A text asked as a question has the tokens it is indexed under, in their order, where it has any."""
    tokens = list(dict.fromkeys(index_tokens(text, language)))
    assert not tokens or query_tokens(text, {language}) == tokens


@pytest.mark.parametrize(
    ("language", "word", "other"),
    [
        ("en", "deliveries", "delivery"),
        ("de", "Häuser", "HAUS"),
        ("de", "Straße", "Strasse"),
        ("fr", "livraisons", "livraison"),
        ("es", "políticas", "política"),
        ("it", "aziendale", "aziendali"),
        ("ar", "المدرسة", "مدرسة"),
        ("ar", "مُعَايَرَة", "معايرة"),
        ("ar", "أحمد", "احمد"),
        ("ru", "книгами", "книга"),
        ("en", "naïve", "naive"),
        ("en", "company's", "company"),
        ("en", "company\u2019s", "companies"),
        ("en", "U.S.", "US"),
        ("en", "1,000", "1000"),
        ("de", "1.000", "1000"),
        ("en", "ＫＢ１２", "kb12"),
        ("fr", "l'entreprise", "entreprise"),
        ("ja", "ｶﾒﾗ", "カメラ"),
        ("ar", "٢٠٢٦", "2026"),
    ],
)
def test_one_token_for_what_is_one(language: str, word: str, other: str) -> None:
    """Inflections, accents, widths, possessives and ways of writing a number do not tell words apart."""
    assert index_tokens(word, language) == index_tokens(other, language) != []


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("e-mail", ["email", "mail"]),
        ("KB-1234", ["kb1234", "kb", "1234"]),
        ("INC2041", ["inc2041"]),
        ("v2.3.1", ["v2.3.1", "v2", "3", "1"]),
        ("splitText", ["splittext", "split", "text"]),
        ("snake_case", ["snake_case", "snake", "case"]),
        ("C++ and C#", ["c++", "c#"]),
        ("AT&T", ["at&t"]),
        ("ann@example.com", ["ann@example.com", "ann", "exampl", "com"]),
        ("at 10:30", ["10:30", "10", "30"]),
        ("state-of-the-art", ["stateoftheart", "state", "art"]),
        ("IT support", ["it", "support"]),
        ("is it on", []),
        ("HOW DO I RESET IT", ["reset"]),
    ],
)
def test_names_numbers_and_compounds(text: str, tokens: list[str]) -> None:
    """Names, numbers and compounds are found whole and by their parts; capitals tell a name from a stop word."""
    assert index_tokens(text, "en") == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("知识库", ["知识", "识库"]),
        ("猫", ["猫"]),
        ("設定 API を", ["設定", "api", "を"]),
        ("데이터를", ["데이", "이터", "터를"]),
        ("ไทย", ["ไท", "ทย"]),
    ],
)
def test_scripts_without_spaces(text: str, tokens: list[str]) -> None:
    """Where words have no spaces between them, pairs of characters are the tokens, whatever the text's language."""
    assert index_tokens(text, "en") == tokens


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ar"])
def test_stop_words(language: str) -> None:
    """What a sentence is about remains; its articles and prepositions do not."""
    stop = {"en": "the", "de": "die", "fr": "la", "es": "los", "ar": "على"}[language]
    tokens = index_tokens(SEVEN[language], language)
    assert stop in SEVEN[language].lower().split()
    assert stop not in tokens
    assert len(tokens) >= 6


def test_a_question_of_stop_words() -> None:
    """A question of stop words only still looks for them; an empty one looks for nothing."""
    assert query_tokens("What is it?", {"en"}) == ["what", "is", "it"]
    assert query_tokens("?", {"en"}) == []


@pytest.mark.parametrize("language", SEVEN)
def test_questions_in_a_mixed_index(language: str) -> None:
    """In an index of seven languages a question in any of them finds the words that its documents are indexed under."""
    indexed = index_tokens(SEVEN[language], language)
    assert set(query_tokens(SEVEN[language], set(SEVEN))) == set(indexed)


def test_an_unclear_question_in_a_mixed_index() -> None:
    """A word that may be of several languages is looked up in the form of each of them that the index holds."""
    assert query_tokens("policies", {"en"}) == ["polici"]
    assert {"polici", "policy"} & set(query_tokens("policies", {"en", "de", "fr", "es"}))


@pytest.mark.parametrize("unit", ["a", "a.", "a'", "1,", "+", "好", "a\u0301", "aB", "-"])
def test_hostile_texts(unit: str) -> None:
    """A million characters of one kind are tokenised within the test's time; a blob makes a short token."""
    assert all(len(token) <= 64 for token in index_tokens(unit * (1_000_000 // len(unit)), "en"))
