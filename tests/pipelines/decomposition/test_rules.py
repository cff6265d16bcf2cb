"""What is taken apart by rules, and what is not."""

import time

import pytest

from pipelines.decomposition import looks_multi_part, split


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "What is the travel budget and who approves it?",
            ("What is the travel budget", "who approves it (the travel budget)"),
        ),
        ("What is a pebble? And when was the gateway made?", ("What is a pebble", "when was the gateway made")),
        (
            "When is the summer fair, who runs the stand there, and how much does a ticket cost?",
            ("When is the summer fair", "who runs the stand there", "how much does a ticket cost"),
        ),
        (
            "Do I need a visa for Japan, and can my partner come along?",
            ("Do I need a visa for Japan", "can my partner come along"),
        ),
        (
            "What should I do when I lose my badge and how do I get a new laptop?",
            ("What should I do when I lose my badge", "how do I get a new laptop"),
        ),
        (
            "How long does a Boreal 240 stay cold? Where is its serial number?",
            ("How long does a Boreal 240 stay cold", "Where is its serial number (Boreal 240)"),
        ),
        (
            "Wie hoch ist das Reisebudget und wer genehmigt es?",
            ("Wie hoch ist das Reisebudget", "wer genehmigt es (das Reisebudget)"),
        ),
        (
            "Quel est le plafond des hôtels et comment réserver un billet de train ?",
            ("Quel est le plafond des hôtels", "comment réserver un billet de train"),
        ),
        (
            "¿Cuánto dura la batería del termómetro y dónde se compra una nueva?",
            ("Cuánto dura la batería del termómetro", "dónde se compra una nueva"),
        ),
    ],
)
def test_several_questions(question: str, parts: tuple[str, ...]) -> None:
    """Each on its own; one that speaks of the first one's subject is given it."""
    assert split(question) == parts


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "How do the Basic and Pro plan differ in storage?",
            ("How do the Basic plan differ in storage", "How do Pro plan differ in storage"),
        ),
        (
            "Compare parental leave in Germany and France",
            ("Compare parental leave in Germany", "Compare parental leave in France"),
        ),
        ("Compare Basic, Plus and Critical.", ("Compare Basic", "Compare Plus", "Compare Critical")),
        (
            "What's the difference between version 3 and version 4 of the manual?",
            (
                "What's the difference between version 3 of the manual",
                "What's the difference between version 4 of the manual",
            ),
        ),
        ("Boreal 120 vs. Boreal 240: weight", ("Boreal 120: weight", "Boreal 240: weight")),
        ("Which is heavier, the T12 or the T25?", ("Which is heavier, the T12", "Which is heavier, the T25")),
        ("Is leave longer in France than in Canada?", ("Is leave longer in France", "Is leave longer in Canada")),
        (
            "Was ist der Unterschied zwischen Urlaub in Berlin und in Lyon?",
            ("Was ist der Unterschied zwischen Urlaub in Berlin", "Was ist der Unterschied zwischen Urlaub in Lyon"),
        ),
        (
            "Quelle est la différence entre le T12 et le T25 ?",
            ("Quelle est la différence entre le T12", "Quelle est la différence entre le T25"),
        ),
        (
            "¿En qué se diferencian la T12 y la T25?",
            ("En qué se diferencian la T12", "En qué se diferencian la T25"),
        ),
    ],
)
def test_comparisons(question: str, parts: tuple[str, ...]) -> None:
    """The same question of each of the things; what is said once for all of them is each one's."""
    assert split(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "Where is the salt and pepper?",
        "What is the process when a customer, supplier or partner complains?",
        "Which plan has SSO, audit logs or SCIM?",
        "What are the rules for gifts, meals or travel?",
        "Who must be told, in writing or by phone?",
        "What should I do if the alarm rings, call the fire brigade or leave the building?",
        "Was gilt für Kunden, Lieferanten oder Partner?",
        "What are the terms and conditions for the API and the console?",
        "When and where does the fair take place?",
        "Do we get paid time off after a miscarriage, and how much?",
        "Who gets more leave, a French or a Canadian employee, and how many days each?",
        "I'm flying to Nagoya and one leg is eight hours. Can I sit in premium economy?",
        "My laptop seems hacked. Should I shut it down, or what do I do?",
        "Can you tell me who approves travel and what it may cost?",
        "How do I find out which plan I have and how much it costs?",
        "What is the ceiling and who approves more for hotels in Lyon?",
        "Who founded the company and was its first manager?",
        "When the response has a stop reason, what does it mean and what is to be done?",
        "How do I open the cabinet and who does it?",
        "What is the difference between the two plans?",
        "What is the difference between bread and butter and cheese?",
        "Can I spend more than my manager?",
        "Who scored in the Manchester City vs. Chelsea match?",
        "How long does it take? Any ideas?",
        "Weißt du, wer das genehmigt und wann es gilt?",
        "Wo finde ich Salz und Pfeffer?",
        "Où sont le sel et le poivre ?",
        "¿Dónde están la sal y la pimienta?",
        "渡轮什么时候出发?在哪里?",
        "",
        "???",
        "and",
    ],
)
def test_what_stays_whole(question: str) -> None:
    """One thing under two names, half a question, a clause inside another, and what is not clear."""
    assert split(question) == (question,)


def test_at_most_four_parts() -> None:
    """What is more stays together."""
    asked = [f"what does the tool number {number} cost" for number in range(6)]
    assert split(", and ".join(asked) + "?") == (*asked[:3], "; ".join(asked[3:]))


@pytest.mark.parametrize(
    "hostile",
    [
        "compare " + "a and " * 400,
        "what is the difference between " + "in terms of " * 150 + "and x?",
        ", who " * 400,
        "how do " + "x " * 900 + "differ",
        "who " + "a b c " * 300 + "and how to ",
    ],
)
def test_no_question_takes_long(hostile: str) -> None:
    """Also one that is made to."""
    before = time.process_time()
    split(hostile[:500])
    split(hostile)
    assert time.process_time() - before < 0.3


def test_most_questions_are_hardly_looked_at() -> None:
    assert not looks_multi_part("How many weeks of paid leave does every parent take?")
    assert looks_multi_part("How do I open it and close it?")
