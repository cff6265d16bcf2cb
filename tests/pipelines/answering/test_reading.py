"""What is made of a retrieval: terms, versions of documents, evidence."""

from datetime import date

import numpy as np
import pytest

from pipelines.answering.evidence import weigh
from pipelines.answering.reading import Reading, read
from pipelines.answering.terms import Terms
from pipelines.types import Hit, Question
from tests.pipelines.answering.retrievals import hit, retrieval

OLD, NEW = date(2024, 3, 4), date(2026, 2, 1)
POLICY = "Hotels in Lyon cost at most EUR {} a night. Ask your manager before you book. Trains come first."


def found(question: str, *hits: Hit) -> list[int]:
    return [passage.hit.passage.id for passage in read(retrieval(question, hits)).passages]


class TestVersions:
    old = hit(POLICY.format(98), 1, title="Travel policy (2024)", day=OLD)
    new = hit(POLICY.format(145), 2, title="Travel policy (2026)", day=NEW)

    def test_a_later_version_supersedes_an_earlier_one(self) -> None:
        """Though the earlier one was found first."""
        assert found("What may a hotel in Lyon cost?", self.old, self.new) == [2]

    def test_a_question_that_names_the_earlier_version_gets_it(self) -> None:
        """By the number in its title."""
        assert 1 in found("What might a hotel in Lyon cost under the 2024 travel policy?", self.old, self.new)

    def test_the_same_title_alone_makes_no_version(self) -> None:
        """A series says something else each time."""
        log = hit(
            "We met at noon and played football in the park.", 3, title="Travel policy (2027)", day=date(2027, 1, 1)
        )
        assert found("What may a hotel in Lyon cost?", self.old, log) == [1, 3]

    def test_many_of_one_title_are_a_series(self) -> None:
        """Minutes one to four follow one another; each stays true."""
        days = [date(2026, month, 1) for month in range(1, 5)]
        minutes = [hit(POLICY.format(day.month), day.month, title=f"Minutes {day.month}", day=day) for day in days]
        assert found("What may a hotel in Lyon cost?", *minutes) == [1, 2, 3, 4]

    def test_what_is_called_by_a_day_is_not_replaced(self) -> None:
        """It tells what happened then."""
        logs = [
            hit(POLICY.format(98), 1, title="Log 20240304", day=OLD),
            hit(POLICY.format(9), 2, title="Log 20260201", day=NEW),
        ]
        assert found("What may a hotel in Lyon cost?", *logs) == [1, 2]

    def test_a_title_that_only_adds_words_is_of_another_document(self) -> None:
        """Questions about a policy do not replace it."""
        policy = hit(POLICY.format(98), 1, title="Travel policy", day=OLD)
        questions = hit(POLICY.format(98), 2, title="Travel policy: questions", day=NEW)
        assert found("What may a hotel in Lyon cost?", policy, questions) == [1, 2]

    def test_passages_of_one_document_do_not_supersede_each_other(self) -> None:
        """They are of one day."""
        assert found("What may a hotel in Lyon cost?", self.new, self.new) == [2, 2]


class TestTerms:
    def asked(self, text: str, weights: dict[str, float], language: str = "en") -> Terms:
        return Terms.of(Question(text=text, vector=np.zeros(4, np.float32), term_weights=weights), language)

    def test_a_token_that_the_index_does_not_know_weighs_most(self) -> None:
        """It may be what the question is about."""
        terms = self.asked("heron nests", {"heron": 3.0, "nest": 0.0})
        assert dict(terms.weights) == {"heron": 3.0, "nest": 3.0}

    def test_words_that_ask_are_no_topic(self) -> None:
        """An answer does not repeat "how many"."""
        assert list(self.asked("How many herons nest?", {"mani": 1.0, "heron": 1.0, "nest": 1.0}).weights) == [
            "heron",
            "nest",
        ]

    def test_share_is_by_weight(self) -> None:
        """Of 4, the heron is 3."""
        assert self.asked("heron nests", {"heron": 3.0, "nest": 1.0}).share({"heron"}) == 0.75


class TestEvidence:
    heron = hit("The Boreal 240 is a cabinet. It is not for flammable liquids. It weighs 84 kg.", 1, title="Boreal 240")

    def reading(self, question: str) -> Reading:
        return read(retrieval(question, [self.heron]))

    @pytest.mark.parametrize(
        ("contradicted", "confirmed", "by"),
        [
            ("How heavy is the Boreal 400?", "How heavy is the Boreal 240?", "numbers"),
            ("How heavy is the Boreal 120?", "How heavy is the Boreal 240?", "numbered_names"),
            ("Is the Skarv cabinet heavy?", "Is the Boreal cabinet heavy?", "names"),
        ],
    )
    def test_what_the_question_names_has_to_be_there(self, contradicted: str, confirmed: str, by: str) -> None:
        """Numbers, numbered names, and names."""
        assert getattr(weigh(self.reading(contradicted)), by) > getattr(weigh(self.reading(confirmed)), by) == 0

    def test_a_denial_has_to_be_answered_by_one(self) -> None:
        """A passage that denies nothing does not say what is not."""
        other = hit("The heron nests by the river. It lays four eggs.", 1)
        assert weigh(read(retrieval("What does the heron not lay?", [other]))).negation == 1.0
        assert weigh(self.reading("What is the Boreal not for?")).negation == 0.0

    def test_what_is_said_beside_the_question_dilutes(self) -> None:
        """In a long sentence the question's words may meet by chance."""
        short = hit("The heron nests by the river.", 1)
        long = hit("The heron nests by the river in April, when reeds are high and people keep away from it.", 1)
        plain, diluted = (weigh(read(retrieval("Does the heron nest by the river?", [one]))) for one in (short, long))
        assert plain.dilution == 0 < diluted.dilution <= 1

    def test_evidence_is_comparable(self) -> None:
        """Each number is of about 0 to 1."""
        evidence = weigh(self.reading("How heavy is the Boreal 240 cabinet?"))
        assert all(-1 <= value <= 2.5 for value in evidence.vector())
