"""The promises of the library under interleaving and crashes: whole versions, own organization only, nothing lost."""

import asyncio
import random
import re
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.knowledge import KnowledgeBase
from pipelines.types import Scope
from tests.pipelines.conftest import ORGANIZATION, OTHER, WordHashing, document, settled

SCOPES = (Scope(ORGANIZATION), Scope(OTHER))
MARK = re.compile(r"org(\d)doc(\d)v(\d+)")
ACTIONS = st.lists(
    st.tuples(st.sampled_from(["put", "put", "remove", "ask", "reindex"]), st.integers(0, 1), st.integers(0, 3)),
    min_size=5,
    max_size=25,
)


def version(organization: int, key: int, number: int) -> str:
    """A text of several passages, each of which tells whose it is and of which version."""
    mark = f"org{organization}doc{key}v{number}"
    return "\n\n".join(f"Heron report {mark}. " + f"The heron of {mark} stood in the reeds. " * 25 for _ in range(4))


class Model:
    """What should be there, kept beside the knowledge base."""

    def __init__(self, knowledge: KnowledgeBase) -> None:
        self.knowledge = knowledge
        self.versions: dict[tuple[int, int], int] = {}
        self.last = 0

    async def act(self, action: str, organization: int, key: int) -> None:
        scope = SCOPES[organization]
        if action == "ask":
            await self.ask(organization)
        elif action == "reindex":
            await self.knowledge.reindex(scope.organization_id)
        elif action == "remove" and (organization, key) in self.versions:
            del self.versions[organization, key]
            await self.knowledge.remove_by_key("wiki", str(key), scope)
        elif action == "put":
            self.last += 1
            self.versions[organization, key] = self.last
            await self.knowledge.put(document(str(key), content=version(organization, key, self.last)), scope)

    async def ask(self, organization: int) -> None:
        """Each document that is found shows one version, and its own organization's."""
        seen: dict[str, set[str]] = {}
        for hit in (await self.knowledge.retrieve("heron report", SCOPES[organization])).hits:
            for whose, _, number in MARK.findall(hit.passage.text):
                assert whose == str(organization)
                seen.setdefault(hit.external_id, set()).add(number)
        assert all(len(versions) == 1 for versions in seen.values()), seen

    async def compare(self, organization: int) -> None:
        """Exactly what should be there is found, in its last version, and all indexes agree."""
        expected = {str(key): n for (whose, key), n in self.versions.items() if whose == organization}
        hits = (await self.knowledge.search("heron report", SCOPES[organization])).hits
        assert {hit.external_id: int(MARK.findall(hit.snippet)[0][2]) for hit in hits} == expected
        report = await self.knowledge.check(SCOPES[organization].organization_id)
        assert not report.differences


async def interleave(folder: Path, actions: list[tuple[str, int, int]], seed: int) -> None:
    async with await KnowledgeBase.open(folder, embedding=WordHashing(embedded=[])) as knowledge:
        model, rng = Model(knowledge), random.Random(seed)
        lanes: dict[tuple[int, int], list[str]] = {}
        for action, organization, key in actions:
            lanes.setdefault((organization, key), []).append(action)

        async def lane(organization: int, key: int, acts: list[str]) -> None:
            for action in acts:
                await asyncio.sleep(rng.random() / 200)
                await model.act(action, organization, key)
                await model.ask(organization)

        await asyncio.gather(*(lane(*where, acts) for where, acts in lanes.items()))
        await model.compare(0)
        await model.compare(1)


@settings(max_examples=10, deadline=None)
@given(actions=ACTIONS, seed=st.integers(0, 1000))
def test_interleaved_writes_and_questions_keep_organizations_and_versions_apart(
    tmp_path_factory: pytest.TempPathFactory, actions: list[tuple[str, int, int]], seed: int
) -> None:
    """Two organizations with the same keys, writes of different documents and questions at once: never a foreign
    passage, never two versions of a document in one retrieval, and at the end exactly what should be there."""
    asyncio.run(interleave(tmp_path_factory.mktemp("kb"), actions, seed))


async def test_an_update_while_asking_shows_one_whole_version(knowledge: KnowledgeBase) -> None:
    """Old or new, never both, never neither."""
    scope = SCOPES[0]
    await knowledge.put(document("1", content=version(0, 1, 0)), scope)
    done = asyncio.Event()

    async def ask() -> int:
        asked = 0
        while not done.is_set():
            hits = (await knowledge.retrieve("heron report", scope)).hits
            assert len({mark for hit in hits for mark in MARK.findall(hit.passage.text)}) == 1
            asked += 1
        return asked

    async def write() -> None:
        for number in range(1, 12):
            await knowledge.put(document("1", content=version(0, 1, number)), scope)
        done.set()

    first, second, _ = await asyncio.gather(ask(), ask(), write())
    assert first + second > 10


INGEST = """
import asyncio, sys
from pathlib import Path
from pipelines.knowledge import KnowledgeBase
from pipelines.types import Scope
from tests.pipelines.conftest import ORGANIZATION, WordHashing, document

async def main():
    async with await KnowledgeBase.open(Path(sys.argv[1]), embedding=WordHashing(embedded=[])) as knowledge:
        for n in range(0, 400, 10):
            new = [document(str(i), content=f"heron number{i}") for i in range(n, n + 10)]
            await knowledge.put_many(new, Scope(ORGANIZATION))
            print(n, flush=True)

asyncio.run(main())
"""


async def test_a_killed_ingest_loses_and_doubles_nothing(tmp_path: Path, embedding: WordHashing) -> None:
    """kill -9 in the middle: the next start takes up what was accepted, a repeated ingest completes it, all agree."""
    for kill_after in ("20", "50", "never"):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", INGEST, str(tmp_path), stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout
        async for line in process.stdout:
            if line.decode().strip() == kill_after:
                process.send_signal(signal.SIGKILL)
        assert await process.wait() == (0 if kill_after == "never" else -signal.SIGKILL)
        async with await KnowledgeBase.open(tmp_path, embedding=embedding) as knowledge:
            await settled(knowledge, SCOPES[0])
            report = await knowledge.check(ORGANIZATION)
            assert not report.differences
            assert report.documents == report.passages
    assert report.documents == 400
