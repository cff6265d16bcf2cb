"""Plots as inline SVG: a reliability diagram, distributions, differences question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from eval.markup import Child, Element, element
from eval.report import shown

LEFT, TOP, RIGHT, BOTTOM = 46, 12, 12, 40
HEIGHT = 300
STEPS = 20


@dataclass(frozen=True, slots=True)
class Frame:
    """Where values of x and y stand on the drawing."""

    width: int
    x: tuple[float, float]
    y: tuple[float, float]

    def across(self, value: float) -> float:
        return LEFT + (value - self.x[0]) / (self.x[1] - self.x[0]) * (self.width - LEFT - RIGHT)

    def down(self, value: float) -> float:
        return HEIGHT - BOTTOM - (value - self.y[0]) / (self.y[1] - self.y[0]) * (HEIGHT - TOP - BOTTOM)


def _line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Element:
    return element("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), class_=class_)


def _text(x: float, y: float, text: str, anchor: str = "middle") -> Element:
    return element("text", text, x=float(x), y=float(y), text_anchor=anchor)


def _plot(title: str, frame: Frame, x_label: str, marks: Sequence[Child]) -> Element:
    left, bottom = frame.across(frame.x[0]), frame.down(frame.y[0])
    axes = [
        _line(left, bottom, frame.width - RIGHT, bottom, "axis"),
        _line(left, TOP, left, bottom, "axis"),
        _text((left + frame.width) / 2, HEIGHT - 6, x_label),
    ]
    drawing = element("svg", element("title", title), *axes, *marks, viewBox=f"0 0 {frame.width} {HEIGHT}", role="img")
    return element("figure", element("figcaption", title), drawing, style=f"max-width: {frame.width}px")


def _ticks(frame: Frame, xs: Sequence[float], ys: Sequence[float]) -> list[Element]:
    bottom, left = frame.down(frame.y[0]), frame.across(frame.x[0])
    below = [_text(frame.across(x), bottom + 16, _number(x)) for x in xs]
    beside = [_text(left - 6, frame.down(y) + 4, _number(abs(y)), "end") for y in ys]
    return [*below, *beside]


def _number(value: float) -> str:
    return f"{value:g}" if abs(value) < 1000 else shown(value)


FIFTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


def reliability(bins: Sequence[Mapping[str, float]], title: str) -> Element:
    """Share of right answers over confidence, a point a bin with its 95 % interval; the diagonal keeps its word."""
    frame = Frame(340, (0.0, 1.0), (0.0, 1.0))
    diagonal = _line(frame.across(0), frame.down(0), frame.across(1), frame.down(1), "guide")
    marks = [mark for one in bins for mark in _bin(frame, one)]
    return _plot(title, frame, "confidence", [diagonal, *_ticks(frame, FIFTHS, FIFTHS), *marks])


def _bin(frame: Frame, one: Mapping[str, float]) -> list[Element]:
    at = frame.across(one["confidence"])
    told = f"{one['count']:.0f} answers said {one['confidence']:.2f}, {one['right']:.2f} were right"
    point = element(
        "circle", element("title", told), cx=at, cy=frame.down(one["right"]), r=2 + sqrt(one["count"]) / 3, class_="dot"
    )
    return [_line(at, frame.down(one["low"]), at, frame.down(one["high"]), "whisker"), point]


def distribution(above: Sequence[float], below: Sequence[float], title: str, x_label: str = "confidence") -> Element:
    """Two histograms over 0 to 1, back to back: how well a score tells the one from the other."""
    counts = [np.histogram(values, STEPS, (0.0, 1.0))[0] for values in (above, below)]
    most = max(1, *(int(count.max()) for count in counts))
    frame = Frame(460, (0.0, 1.0), (-float(most), float(most)))
    bars = [
        _bar(frame, step, sign * int(count), class_)
        for sign, class_, series in ((1, "good", counts[0]), (-1, "bad", counts[1]))
        for step, count in enumerate(series)
        if count
    ]
    middle = _line(frame.across(0), frame.down(0), frame.across(1), frame.down(0), "axis")
    return _plot(title, frame, x_label, [*bars, middle, *_ticks(frame, FIFTHS, (-most, 0, most))])


def _bar(frame: Frame, step: int, count: int, class_: str) -> Element:
    left, right = frame.across(step / STEPS), frame.across((step + 1) / STEPS)
    top, bottom = sorted((frame.down(count), frame.down(0)))
    told = element("title", f"{step / STEPS:.2f}–{(step + 1) / STEPS:.2f}: {abs(count)}")
    return element("rect", told, x=left + 1, y=top, width=right - left - 2, height=bottom - top, class_=class_)


def differences(values: Sequence[tuple[float, str]], title: str) -> Element:
    """What became more and what became less, a bar a question, from the largest gain to the largest loss."""
    ordered = sorted((one for one in values if one[0]), key=lambda one: -one[0])
    most = max([0.01, *(abs(value) for value, _ in ordered)])
    frame = Frame(700, (0.0, float(max(1, len(ordered)))), (-most, most))
    width = max(0.5, (frame.width - LEFT - RIGHT) / max(1, len(ordered)) - 0.5)
    bars = [_step(frame, at, value, name, width) for at, (value, name) in enumerate(ordered)]
    middle = _line(frame.across(0), frame.down(0), frame.width - RIGHT, frame.down(0), "axis")
    beside = [_text(LEFT - 6, frame.down(y) + 4, f"{y:+.2f}" if y else "0", "end") for y in (-most, 0.0, most)]
    return _plot(title, frame, f"{len(ordered)} of {len(values)} questions changed", [*bars, middle, *beside])


def _step(frame: Frame, at: int, value: float, name: str, width: float) -> Element:
    top, bottom = sorted((frame.down(value), frame.down(0)))
    told = element("title", f"{name}: {value:+.3f}")
    return element(
        "rect",
        told,
        x=frame.across(float(at)),
        y=top,
        width=width,
        height=max(0.5, bottom - top),
        class_="good" if value > 0 else "bad",
    )
