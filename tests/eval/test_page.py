"""The page shows measures, plots, changes and the worst, and believes no text that it shows."""

import re
from dataclasses import replace
from html import unescape

import pytest

from eval import comparison, measures
from eval.datasets import Dataset
from eval.page import framed, html
from eval.records import Record
from eval.running import Plan, summed
from eval.types import Cited

EVIL = "<script>alert(1)</script><img src=http://evil.example/x onerror=alert(1)>"


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch):
    monkeypatch.setattr(measures, "RESAMPLES", 20)
    monkeypatch.setattr(comparison, "ROUNDS", 20)


def record(at, *, right=1.0, **more):
    values = {
        "question": f"Question {at}?",
        "confidence": at / 10,
        "answer": f"Answer {at}. [1]",
        "citations": (Cited("doc", f"Snippet {at}."),),
    }
    metrics = {"right": right, "correct": right, "nDCG@10": right, "gold_cited": right}
    known = {"gold_answers": ("soon",), "gold_documents": {"doc": 1}, "metrics": metrics}
    return Record(suite="s", id=str(at), **{**values, **known, **more})


def run(*rows):
    return summed(Plan(suites=(Dataset("s", (), ()),)), rows, {"seed": 0, "git": {"commit": "abc"}}, ("a note",))


ROWS = [record(at, right=float(at > 4)) for at in range(10)]


def test_the_page_has_all_its_parts():
    """Measures with intervals, reliability, distributions, the worst with citations, where it comes from."""
    page = html(run(*ROWS))
    for part in ("Reliability: ece ", "5 right above, 5 wrong below", "The worst 10", "commit abc", "a note", "auroc"):
        assert part in page
    assert "Since the run before" not in page
    assert page.index("s/4: Question 4?") < page.index("s/9: Question 9?")
    assert "[1] doc (gold)" in page
    assert "Snippet 4." in page


def test_a_page_in_a_page_is_an_attribute():
    """Nothing of it is markup of the outer one."""
    page = html(run(*ROWS))
    outer = framed(page)
    assert unescape(outer.partition('srcdoc="')[2].partition('"')[0]) == page
    assert outer.count("<") == 4


def test_what_changed_is_shown():
    """Against the run before: verdicts, bars, the questions with both answers."""
    page = html(run(*ROWS), run(*(replace(row, answer="Before.") for row in [record(0), *ROWS[1:]])))
    for part in ("Since the run before", "right, question by question", "1 of 10 questions changed", "Before."):
        assert part in page


def test_no_text_becomes_markup():
    """Questions, answers, snippets, ids and errors are others' words; nothing is loaded from anywhere."""
    evil = record(
        1,
        question=EVIL,
        answer=EVIL,
        error=EVIL,
        gold_answers=(EVIL,),
        gold_documents={EVIL: 1},
        citations=(Cited(EVIL, EVIL),),
        kind=EVIL,
        judge_errors={EVIL: EVIL},
    )
    cited = replace(evil, id=EVIL, error="")
    page = html(run(evil, cited, *ROWS), run(replace(evil, answer="?"), cited, *ROWS))
    assert not re.search(r"<(script|img|link|iframe|object|a)\b|\bsrc=[^h]|href=|url\(|@import", page)
    assert "&lt;script&gt;" in page


def test_a_run_of_rankings_alone_has_a_page():
    """No confidence, no plots of it."""
    bare = Record(suite="s", id="1", question="?", gold_documents={"a": 1}, metrics={"nDCG@10": 0.5}, found=("b", "a"))
    page = html(run(bare))
    assert "nDCG@10" in page
    assert "Confidence" not in page


def test_failures_are_said_first():
    """In words, with how many of how many."""
    page = html(run(replace(ROWS[0], error="TargetError: gone"), *ROWS[1:]))
    assert "1 of 10 questions failed in whole or in part." in page
    assert "failed: TargetError: gone" in page
