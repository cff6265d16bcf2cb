"""Fusion of scores, with sums worked out by hand."""

import numpy as np
import pytest

from pipelines.fusion import ConvexCombination, ReciprocalRankFusion, min_max, ranks

COSINE = np.array([0.8, 0.2, 0.5])
BM25 = np.array([0.0, 10.0, 5.0])


def test_min_max_scales_to_the_unit_interval() -> None:
    """The lowest score becomes 0, the highest 1, the middle keeps its place."""
    assert min_max(COSINE).tolist() == pytest.approx([1.0, 0.0, 0.5])


def test_equal_scores_tell_nothing_apart() -> None:
    """Where all scores are equal each becomes 0, and there is no division by zero."""
    assert min_max(np.array([3.0, 3.0])).tolist() == [0.0, 0.0]
    assert min_max(np.array([])).tolist() == []


def test_a_convex_combination_weighs_both_halves() -> None:
    """With weight .25: .75 of the cosine's place and .25 of BM25's."""
    fused = ConvexCombination(lexical_weight=0.25)(COSINE, BM25, known=1.0)
    assert fused.tolist() == pytest.approx([0.75, 0.25, 0.375 + 0.125])


def test_unknown_words_take_weight_from_bm25() -> None:
    """A question of which the index knows no word is ranked by vectors alone."""
    fused = ConvexCombination(lexical_weight=0.5)(COSINE, BM25, known=0.0)
    assert fused.tolist() == pytest.approx([1.0, 0.0, 0.5])


def test_reciprocal_rank_fusion_sums_reciprocal_ranks() -> None:
    """A passage ranked 1st and not found by BM25 gets half of 61/61; one ranked 3rd and 1st half of 61/63 + 61/61."""
    fused = ReciprocalRankFusion()(COSINE, BM25, known=1.0)
    assert fused[0] == pytest.approx(0.5)
    assert fused[1] == pytest.approx(0.5 * 61 / 63 + 0.5)


def test_ranks_begin_with_one_and_keep_the_order_of_equals() -> None:
    """Of two equal scores the earlier one has the better rank."""
    assert ranks(np.array([1.0, 2.0, 2.0])).tolist() == [3.0, 1.0, 2.0]
