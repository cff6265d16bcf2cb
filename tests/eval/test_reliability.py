"""Calibration and discrimination are what their definitions say."""

import numpy as np
import pytest

from eval.reliability import auroc, diagram, expected_error, perfect_error, wilson

NOTHING = np.array([])


def test_a_confidence_that_keeps_its_word_has_no_error():
    """Half of what is said at .5 is right."""
    assert expected_error(np.full(100, 0.5), np.tile([0.0, 1.0], 50)) == pytest.approx(0)


def test_the_error_is_the_mean_distance_of_bins():
    """Nine in ten said of what is never right, in half of the answers; the other half is always right at .9."""
    confidence = np.concatenate([np.full(50, 0.9), np.full(50, 0.91)])
    right = np.concatenate([np.zeros(50), np.ones(50)])
    assert expected_error(confidence, right) == pytest.approx((0.9 + 0.09) / 2)


def test_fewer_answers_than_bins_have_a_bin_each():
    """Three answers: the mean of three distances."""
    assert expected_error(np.array([0.2, 0.4, 0.9]), np.array([0.0, 1.0, 1.0])) == pytest.approx((0.2 + 0.6 + 0.1) / 3)


def test_even_a_perfect_confidence_shows_an_error():
    """Chance alone makes about .16 of a hundred answers spread over the middle, and less of more."""
    middle = np.linspace(0.2, 0.8, 100)
    assert 0.09 < perfect_error(middle) < 0.17
    assert perfect_error(np.linspace(0.2, 0.8, 10_000)) < 0.02
    assert perfect_error(middle, seed=1) == perfect_error(middle, seed=1)


def test_auroc_counts_pairs():
    """Equal scores count half; without two kinds there is none."""
    assert auroc(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1])) == pytest.approx(0.75)
    assert auroc(np.array([0.5, 0.5]), np.array([0, 1])) == 0.5
    assert np.isnan(auroc(np.array([0.5, 0.6]), np.array([1, 1])))


def test_a_diagram_has_bins_of_equal_mass():
    """Lowest confidence first; each with its share and the interval round it."""
    bins = diagram(np.linspace(0, 1, 50), np.linspace(0, 1, 50) > 0.5)
    assert [one.count for one in bins] == [5] * 10
    assert bins[0].confidence < bins[9].confidence
    assert (bins[0].right, bins[9].right) == (0, 1)
    assert bins[9].low < 1 <= bins[9].high


def test_of_no_answers_nothing_is_said():
    """Not a number, and no bins."""
    assert np.isnan(expected_error(NOTHING, NOTHING))
    assert np.isnan(perfect_error(NOTHING))
    assert diagram(NOTHING, NOTHING) == []


def test_the_interval_of_a_share_is_wilsons():
    """Five of ten: .24 to .76; none of ten begins at 0."""
    assert wilson(0.5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-3)
    assert wilson(0.0, 10)[0] == 0
