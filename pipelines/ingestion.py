"""From a document's text to passages with vectors: a LlamaIndex IngestionPipeline, every step of it replaceable."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from llama_index.core import Document as LlamaDocument
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import BaseNode, MetadataMode, TransformComponent

from pipelines.answering.pieces import pack as pack_pieces
from pipelines.answering.pieces import take_apart
from pipelines.embedding import Embedding, Vectors, in_document
from pipelines.errors import NotVerbatim
from pipelines.store.changes import pack
from pipelines.store.publishing import Built, Draft, NewPassage
from pipelines.text.tokens import detect_language

LANGUAGE_SAMPLE = 4_000
"""Characters of a document that its language is read from."""


class EmbedNew(TransformComponent):
    """Embeds what has no known vector yet, by digest of title, headings and text together.

    Where its document has a share in a passage's vector, by digest of the whole document, too.
    """

    embedding: Any
    known: dict[bytes, bytes]

    def __call__(self, nodes: Sequence[BaseNode], **_: Any) -> Sequence[BaseNode]:
        inputs = [node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes]
        owners = [str(node.ref_doc_id) for node in nodes]
        digests = self._digests(inputs, owners)
        new = [at for at, key in enumerate(digests) if key not in self.known]
        vectors = self._embedded([inputs[at] for at in new], [owners[at] for at in new])
        fresh = {digests[at]: pack(vector) for at, vector in zip(new, vectors, strict=True)}
        for node, key in zip(nodes, digests, strict=True):
            node.embedding = np.frombuffer(fresh.get(key) or self.known[key], np.float16).tolist()
            node.metadata["digest"] = key
        return nodes

    def _digests(self, inputs: Sequence[str], owners: Sequence[str]) -> list[bytes]:
        if not self.embedding.document_share:
            return [digest(text) for text in inputs]
        whole: dict[str, str] = defaultdict(str)
        for text, owner in zip(inputs, owners, strict=True):
            whole[owner] += f"{text}\0"
        return [digest(f"{text}\0{whole[owner]}") for text, owner in zip(inputs, owners, strict=True)]

    def _embedded(self, inputs: Sequence[str], owners: Sequence[str]) -> Vectors:
        """With its share, a document is new as a whole or not at all."""
        vectors: Vectors = self.embedding.embed_passages(inputs)
        if share := self.embedding.document_share:
            places = np.array(owners)
            for owner in set(owners):
                vectors[places == owner] = in_document(vectors[places == owner], share)
        return vectors


def digest(text: str) -> bytes:
    """16 bytes that stand for what was embedded."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Ingestion:
    """Splits and embeds. `splitter` is any LlamaIndex node parser whose nodes are slices of the document's text.

    `name` is kept with the documents, to notice another one.
    """

    def __init__(self, embedding: Embedding, splitter: TransformComponent, name: str) -> None:
        self._embedding = embedding
        self._splitter = splitter
        self._name = name

    def build(self, drafts: Sequence[Draft], known: Mapping[bytes, bytes]) -> list[Built]:
        """Passages of several revisions at once; works the processor, so call it in a thread. Raises NotVerbatim."""
        pipeline = IngestionPipeline(
            transformations=[self._splitter, EmbedNew(embedding=self._embedding, known=dict(known))],
            disable_cache=True,
        )
        nodes = pipeline.run(documents=[_to_llama(draft) for draft in drafts])
        own: dict[str, list[BaseNode]] = {draft.job.document_id.hex: [] for draft in drafts}
        for node in nodes:
            own[str(node.ref_doc_id)].append(node)
        return [self._built(draft, own[draft.job.document_id.hex]) for draft in drafts]

    def _built(self, draft: Draft, nodes: Sequence[BaseNode]) -> Built:
        language = detect_language(draft.content[:LANGUAGE_SAMPLE])
        return Built(draft.job, language, self._name, list(_passages(draft, nodes, language)))


def _to_llama(draft: Draft) -> LlamaDocument:
    return LlamaDocument(text=draft.content, id_=draft.job.document_id.hex, metadata={"title": draft.title})


def _passages(draft: Draft, nodes: Sequence[BaseNode], language: str) -> Iterator[NewPassage]:
    end = 0
    for position, node in enumerate(nodes):
        text = node.get_content(metadata_mode=MetadataMode.NONE)
        start = _start(draft.content, node, text, end)
        end = start + len(text)
        yield NewPassage(
            position=position,
            start=start,
            end=end,
            text=text,
            context=str(node.metadata.get("context", draft.title)),
            digest=node.metadata["digest"],
            vector=np.asarray(node.embedding, np.float16).tobytes(),
            pieces=pack_pieces(take_apart(text, language)),
        )


def _start(content: str, node: BaseNode, text: str, previous_end: int) -> int:
    """Where the node's text stands. LlamaIndex's own splitters look for it from the beginning, which is wrong where
    a text repeats itself, so what they say is only believed when it is right and in order."""
    said = getattr(node, "start_char_idx", None)
    if said is not None and content.startswith(text, said):
        return int(said)
    found = content.find(text, max(0, previous_end - len(text)))
    if found < 0:
        raise NotVerbatim("The splitter's passages are not slices of the document's text.")
    return found
