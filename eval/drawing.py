"""Plots for a notebook, by matplotlib; each draws into `axes`, else into a new figure, and returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from eval.calibrate import Figures
from eval.measures import columns_of, given
from eval.metrics import Estimate
from eval.records import Record
from pipelines.types import Hit

RIGHT, WRONG, GUIDE = "#2a7d4f", "#c2452d", "0.6"


def scores(hits: Sequence[Hit], axes: Axes | None = None) -> Axes:
    """What each half of the search gave the passages found; the darker, the higher both together."""
    drawn = axes or _new()
    fused = [hit.score for hit in hits]
    drawn.scatter([hit.cosine for hit in hits], [hit.bm25 for hit in hits], c=fused, cmap="viridis_r")
    drawn.set(xlabel="cosine", ylabel="BM25")
    return drawn


def intervals(estimates: Mapping[Any, Estimate], label: str, axes: Axes | None = None) -> Axes:
    """A point each, under its key, with its 95 % interval."""
    drawn = axes or _new()
    at = range(len(estimates))
    means = [one.mean for one in estimates.values()]
    below = [one.mean - one.low for one in estimates.values()]
    above = [one.high - one.mean for one in estimates.values()]
    drawn.errorbar(at, means, yerr=[below, above], fmt="o", capsize=4)
    drawn.set_xticks(at, [str(name) for name in estimates])
    drawn.set_ylabel(label)
    drawn.margins(x=0.2)
    return drawn


def reliability(bins: Sequence[Mapping[str, float]], title: str = "", axes: Axes | None = None) -> Axes:
    """What came true over what was said, a point a bin of `SuiteResult.reliability`: best on the diagonal."""
    drawn = axes or _new()
    drawn.plot([0, 1], [0, 1], "--", color=GUIDE)
    said, right = [one["confidence"] for one in bins], [one["right"] for one in bins]
    below, above = [one["right"] - one["low"] for one in bins], [one["high"] - one["right"] for one in bins]
    drawn.errorbar(said, right, yerr=[below, above], fmt="o", capsize=3)
    drawn.set(xlabel="confidence", ylabel="share of right answers", title=title, xlim=(0, 1), ylim=(0, 1))
    return drawn


def confidences(rows: Sequence[Record], axes: Axes | None = None) -> Axes:
    """Histograms of the answers given: right ones and wrong ones."""
    drawn = axes or _new()
    said, right = given(columns_of(rows))
    drawn.hist(
        [said[right], said[~right]], bins=20, range=(0, 1), stacked=True, color=[RIGHT, WRONG], label=["right", "wrong"]
    )
    drawn.set(xlabel="confidence", ylabel="answers given")
    drawn.legend()
    return drawn


def trade_off(curve: Mapping[float, Figures], chosen: float, axes: Axes | None = None) -> Axes:
    """Shares of questions refused, by threshold: those without an answer (good), and those with one (bad)."""
    drawn = axes or _new()
    drawn.plot(list(curve), [one.refused for one in curve.values()], color=RIGHT, label="refused, unanswerable")
    drawn.plot(list(curve), [one.wrongly_refused for one in curve.values()], color=WRONG, label="refused, answerable")
    drawn.axvline(chosen, linestyle="--", color=GUIDE, label=f"threshold {chosen:.2f}")
    drawn.set(xlabel="threshold", ylabel="share of the questions", ylim=(0, 1))
    drawn.legend()
    return drawn


def _new() -> Axes:
    _, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    return axes
