"""Calls of a judge are bounded, counted and kept; whatever a server does, a call ends."""

import asyncio

import pytest

from eval.judge import Judge, JudgeFailed, JudgeSettings
from tests.eval.scripted_judge import serving


@pytest.fixture
def server():
    with serving(lambda prompt: f"{prompt}!") as running:
        yield running


@pytest.fixture
def judge(server, tmp_path):
    def with_settings(**more):
        settings = {"base_url": server.url, "model": "m", "cache": tmp_path / "kept", **more}
        return Judge(JudgeSettings(**settings), pause=0.001)

    return with_settings


async def test_a_prompt_is_asked_of_the_model(server, judge):
    """At its server, with the key."""
    async with judge(api_key="secret") as one:
        assert await one.complete("So", temperature=0.3) == "So!"
    ((path, headers, body),) = server.requests
    assert (path, headers["Authorization"]) == ("/v1/chat/completions", "Bearer secret")
    assert body == {"model": "m", "messages": [{"role": "user", "content": "So"}], "temperature": 0.3}


async def test_what_was_asked_is_kept(server, judge):
    """Also for the next run; another model, temperature or sample is another question."""
    for _ in range(2):
        async with judge() as one:
            await one.complete("So")
            await one.complete("So", sample=1)
    async with judge(model="n") as other:
        await other.complete("So")
    assert len(server.requests) == 3


def cut_off(folder):
    (kept,) = folder.rglob("*.json")
    kept.write_text('{"te')


async def test_what_is_kept_but_cut_off_is_asked_again(server, judge, tmp_path):
    """As after a full disk."""
    async with judge() as one:
        await one.complete("So")
        cut_off(tmp_path / "kept")
        assert await one.complete("So") == "So!"
    assert len(server.requests) == 2


async def test_calls_are_bounded(server, judge):
    """What is kept costs nothing; one call more is a failure."""
    async with judge(most_calls=2) as one:
        await one.complete("1")
        await one.complete("2")
        await one.complete("1")
        with pytest.raises(JudgeFailed, match="all 2 calls"):
            await one.complete("3")
    assert (len(server.requests), one.calls) == (2, 2)


async def test_calls_at_the_same_time_are_bounded(server, judge):
    """Ten prompts, never more than three under way."""
    async with judge(at_once=3) as one:
        await asyncio.gather(*(one.complete(str(at)) for at in range(10)))
    assert len(server.requests) == 10
    assert server.most <= 3


async def test_what_passes_is_tried_again(server, judge):
    """An overloaded server, twice; each try counts as a call."""
    server.refusals = [503, 429]
    async with judge() as one:
        assert await one.complete("So") == "So!"
    assert one.calls == 3


@pytest.mark.parametrize(("refusals", "message"), [([500, 500, 500], "failed 3 times: 500"), ([401], "refused: 401 ")])
async def test_what_does_not_pass_is_a_failure(server, judge, refusals, message):
    """A key that is refused is not tried again."""
    server.refusals = list(refusals)
    async with judge() as one:
        with pytest.raises(JudgeFailed, match=message):
            await one.complete("So")
    assert one.calls == len(refusals)


async def test_a_server_that_is_not_there_is_a_failure(judge):
    """With what went wrong."""
    async with judge(base_url="http://127.0.0.1:9") as one:
        with pytest.raises(JudgeFailed, match="ConnectError"):
            await one.complete("So")


@pytest.mark.parametrize(("said", "message"), [("", "said nothing"), (None, "said nothing"), ({}, "said nothing")])
async def test_an_empty_answer_is_a_failure(server, judge, said, message):
    """And is not kept."""
    server.say = lambda prompt: said
    async with judge() as one:
        with pytest.raises(JudgeFailed, match=message):
            await one.complete("So")
        server.say = lambda prompt: "better"
        assert await one.complete("So") == "better"


async def test_a_stalling_server_holds_nothing(server, judge):
    """The call ends in time, and is not tried again."""
    server.stalled = True
    async with judge(timeout=0.2) as one:
        with pytest.raises(JudgeFailed, match=r"within 0\.2 s"):
            await one.complete("So")
    assert one.calls == 1


async def test_a_server_that_goes_on_stalling_is_given_up(server, judge):
    """After eight failures in a row no call is made any more."""
    server.stalled = True
    async with judge(timeout=0.05) as one:
        said = await asyncio.gather(*(one.complete(str(at)) for at in range(20)), return_exceptions=True)
        assert one.calls <= 8 + 3
        assert "given up after 8 failures in a row" in str(said[-1])


async def test_a_server_that_fails_now_and_then_is_not_given_up(server, judge):
    """Ten refusals, with a good answer before each."""
    async with judge() as one:
        for at in range(10):
            await one.complete(f"{at}")
            server.refusals = [400]
            with pytest.raises(JudgeFailed, match="refused"):
                await one.complete(f"{at} again")


def test_a_key_is_in_no_report(judge, tmp_path):
    """Nor in what is printed of the settings."""
    settings = JudgeSettings(base_url="http://x", model="m", cache=tmp_path, api_key="secret")
    assert "secret" not in f"{settings} {settings.public()}"
