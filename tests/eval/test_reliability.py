"""A diagram has the bins of the calibration error, and chance alone shows one, too."""

import numpy as np
import pytest

from eval.reliability import diagram, perfect_error, wilson

NOTHING = np.array([])


def test_even_a_perfect_confidence_shows_an_error():
    """Chance alone makes about .16 of a hundred answers spread over the middle, and less of more."""
    middle = np.linspace(0.2, 0.8, 100)
    assert 0.09 < perfect_error(middle) < 0.17
    assert perfect_error(np.linspace(0.2, 0.8, 10_000)) < 0.02
    assert perfect_error(middle, seed=1) == perfect_error(middle, seed=1)


def test_a_diagram_has_bins_of_equal_mass():
    """Lowest confidence first; each with its share and the interval round it."""
    bins = diagram(np.linspace(0, 1, 50), np.linspace(0, 1, 50) > 0.5)
    assert [one.count for one in bins] == [5] * 10
    assert bins[0].confidence < bins[9].confidence
    assert (bins[0].right, bins[9].right) == (0, 1)
    assert bins[9].low < 1 <= bins[9].high


def test_of_no_answers_nothing_is_said():
    """Not a number, and no bins."""
    assert np.isnan(perfect_error(NOTHING))
    assert diagram(NOTHING, NOTHING) == []


def test_the_interval_of_a_share_is_wilsons():
    """Five of ten: .24 to .76; none of ten begins at 0."""
    assert wilson(0.5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-3)
    assert wilson(0.0, 10)[0] == 0
