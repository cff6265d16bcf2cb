"""The built-in model's own tokenizer, so that what is said of its window is said of the real one."""

from collections.abc import Callable

import pytest

from pipelines.embedding.minilm import MINILM, TOKENIZER
from pipelines.embedding.onnx_model import open_tokenizer

WINDOW = 256

SEVEN = {
    "en": "The quick courier delivered the parcels on Monday morning. Nobody had signed for them!",
    "de": "Die schnelle Kurierin brachte die Pakete am Montagmorgen. Niemand hatte dafür unterschrieben!",
    "fr": "La coursière rapide a livré les colis lundi matin. Personne n'avait signé pour les recevoir !",
    "es": "La mensajera rápida entregó los paquetes el lunes por la mañana. ¡Nadie había firmado!",
    "zh": "快递员星期一早上送来了包裹。没有人签收！",
    "ja": "配達員は月曜日の朝に荷物を届けました。誰もサインしていませんでした！",
    "ar": "سلّم الساعي الطرود صباح يوم الاثنين. لم يوقّع أحد على استلامها!",
}
"""The same two sentences in each of seven languages."""


@pytest.fixture(scope="session")
def count_tokens() -> Callable[[str], int]:
    """Tokens of a text by the built-in model's tokenizer, without special tokens."""
    tokenizer = open_tokenizer(MINILM.source_folder() / TOKENIZER)
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False))
