"""What is to be said of one answer without asking a model: each measure a number, absent where it has no meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from eval import metrics
from eval.datasets import Question
from eval.records import FollowUp
from eval.types import Reply

ENOUGH = 0.3
"""Confidence from which a follow-up question counts as answered."""
LONG = 60
"""Words, as they stand between blanks, up to which an answer is short."""


class _Words:
    """rouge-score's own tokenizer keeps Latin letters only."""

    def tokenize(self, text: str) -> list[str]:
        return metrics.words(text)


@lru_cache(maxsize=1)
def rouge() -> Any | None:
    """rouge-score's scorer; None where the extra `eval` is not installed."""
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError:
        return None
    return RougeScorer(["rougeL"], tokenizer=_Words())


def rouge_l(answer: str, gold: Sequence[str]) -> float:
    """Not a number without rouge-score."""
    scorer = rouge()
    return max(float(scorer.score(one, answer)["rougeL"].fmeasure) for one in gold) if scorer else float("nan")


def scores(
    question: Question, gold: Mapping[str, int], reply: Reply | None, texts: Mapping[str, str]
) -> dict[str, float]:
    """`reply` is None where the target failed: that is the worst there is, and neither an answer nor a refusal."""
    measured = _refusals(question, reply) | {"failed": float(reply is None)}
    if question.answerable:
        measured |= _right(question, gold, reply)
    if gold and question.answerable:
        measured |= _citations(gold, reply)
    measured["markers"] = float(reply is not None and metrics.markers_match(reply))
    if reply and reply.citations and texts:
        verbatim = metrics.snippets_verbatim(reply, texts)
        measured["verbatim"] = sum(verbatim) / len(verbatim)
    return measured | (_confidence(reply, measured) if reply and not reply.is_refusal else {})


def _refusals(question: Question, reply: Reply | None) -> dict[str, float]:
    refused = float(reply is not None and reply.is_refusal)
    if question.answerable:
        measured = {} if reply is None else {"wrongly_refused": refused}
    else:
        measured = {"refused": refused} | (
            {f"refused_{question.kind.replace('-', '_')}": refused} if question.kind else {}
        )
    return measured | ({"refusal_precision": float(not question.answerable)} if refused else {})


def _right(question: Question, gold: Mapping[str, int], reply: Reply | None) -> dict[str, float]:
    """Without gold answers an answer is right that cites a gold document; refused, it is not."""
    if reply is None or reply.is_refusal:
        return {"right": 0.0, "right_short": 0.0} if question.answers or gold else {}
    text = metrics.without_markers(reply.text)
    if not question.answers:
        right = any(cited.external_id in gold for cited in reply.citations)
        return _length(text, right) if gold else {}
    wants_all = question.type == "comparison"
    held = (all if wants_all else any)(metrics.contains(text, answer) for answer in question.answers)
    alternatives = [" ".join(question.answers)] if wants_all else question.answers
    f1 = metrics.token_f1(text, alternatives)
    measured = {"contains": float(held), "token_f1": f1} | _length(
        text, held or (f1 >= metrics.RIGHT and not wants_all)
    )
    return measured | ({"rouge_l": rouge_l(text, alternatives)} if rouge() else {})


def _length(text: str, right: bool) -> dict[str, float]:
    length = len(text.split())
    return {"words": float(length), "right": float(right), "right_short": float(right and length <= LONG)}


def _citations(gold: Mapping[str, int], reply: Reply | None) -> dict[str, float]:
    cited = {one.external_id for one in reply.citations} if reply else set()
    shared = len(cited & gold.keys())
    measured = {"gold_cited": float(shared > 0), "citation_recall": shared / len(gold)}
    return measured | ({"citation_precision": shared / len(cited)} if cited else {})


def _confidence(reply: Reply, measured: Mapping[str, float]) -> dict[str, float]:
    """Of an answer given. Where there was nothing to answer it is wrong; without gold nobody knows."""
    correct = measured.get("right") if "refused" not in measured else 0.0
    return {} if correct is None else {"correct": correct, "brier": (reply.confidence - correct) ** 2}


def of_follow_ups(question: str, asked: Sequence[FollowUp]) -> dict[str, float]:
    """Nothing where nothing was proposed."""
    if not asked:
        return {}
    answered = [not one.refused and one.confidence >= ENOUGH for one in asked]
    own = metrics.words(question)
    fresh = [metrics.words(one.question) != own for one in asked]
    return {"follow_ups_answered": sum(answered) / len(asked), "follow_ups_fresh": sum(fresh) / len(asked)}
