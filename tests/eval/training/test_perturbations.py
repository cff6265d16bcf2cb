"""A question is made wrong where its text says otherwise."""

from __future__ import annotations

from random import Random as Draw

import pytest

from eval.training.perturbations import perturb


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What was built in 1998?", "Built in 1998.", {"What was built in 1995?", "What was built in 2008?"}),
        ("Where did the first boat go?", "The first boat.", {"Where did the last boat go?"}),
        ("Where does Anna live?", "Anna lives here.", {"Where does Otto live?"}),
        ("Where does Anna live?", "Nobody lives here.", set()),
        ("Where did the first or the last boat go?", "The first boat; the last boat.", set()),
    ],
)
def test_perturbed(question: str, text: str, expected: set[str]) -> None:
    """Another number, the opposite, another name; nothing where the text does not have the word, or has both."""
    found = {perturb(question, text, ["Anna", "Otto"], Draw(seed)) for seed in range(50)}
    assert expected <= found
    assert (found == {None}) is (not expected)
    assert question not in found
