"""Fine-tuning of the packaged MiniLM to a cross-encoder, and what is kept of it: an adapter of low rank."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch.nn import functional
from transformers import AutoConfig, AutoTokenizer, BertModel

from eval.training.examples import TrainingExample
from pipelines.answerability.adapter import DOWN, UP
from pipelines.embedding.minilm import MINILM, WEIGHTS

BATCH, AT_ONCE = 32, 512
LONGEST = 192
"""Tokens of question and text."""
WARM_UP = 100
HEAD = 5.0
"""How much faster the heads learn, which know nothing yet."""
FROZEN = ("word_embeddings", "position_embeddings")
TITLED = 0.8
"""Share of the texts that stand beneath their title."""
HASTY = 0.08
"""Share of the questions that are typed without capitals and question mark."""
PLACE = 0.4
"""What finding the place of the answer counts beside saying that there is one: it teaches why."""
ELSEWHERE = -100
"""Marks an answer that was cut off: PyTorch leaves it out."""


class Trainer:
    """Holds the model while it learns."""

    def __init__(self, draw: random.Random) -> None:
        torch.manual_seed(0)
        folder = MINILM.source_folder()
        self._draw = draw
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._before = load_file(folder / WEIGHTS)
        # On processors its plain attention is faster, and drawing what to drop would take a third of the time.
        config = AutoConfig.from_pretrained(
            folder, attn_implementation="eager", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
        )
        self._model = BertModel.from_pretrained(folder, config=config, add_pooling_layer=False)
        self._whether = torch.nn.Linear(self._model.config.hidden_size, 1)
        self._where = torch.nn.Linear(self._model.config.hidden_size, 2)
        for name, weight in self._model.named_parameters():
            weight.requires_grad = not any(part in name for part in FROZEN)

    def learn(self, examples: Sequence[TrainingExample], *, rate: float, minutes: float) -> None:
        """The rate falls to nothing by the end."""
        encoder = [weight for weight in self._model.parameters() if weight.requires_grad]
        heads = [*self._whether.parameters(), *self._where.parameters()]
        groups = [{"params": encoder, "times": 1.0}, {"params": heads, "times": HEAD}]
        optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), weight_decay=0.01)
        began, steps = time.monotonic(), 0
        self._model.train()
        while (spent := (time.monotonic() - began) / (60 * minutes)) < 1:
            for batch in self._batches(self._draw.sample(examples, min(AT_ONCE, len(examples)))):
                for group in optimizer.param_groups:
                    group["lr"] = group["times"] * rate * min(1.0, (steps + 1) / WARM_UP) * max(0.02, 1 - spent)
                loss = self._loss(batch)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_([*encoder, *heads], 1.0)
                optimizer.step()
                steps += 1
            print(f"{spent:.0%}, {steps} steps, loss {loss.item():.3f}", flush=True)

    def _batches(self, found: list[TrainingExample]) -> list[list[TrainingExample]]:
        """Of about equal length: padding is work for nothing."""
        found.sort(key=lambda one: len(one.question) + len(one.text) + 40 * self._draw.random())
        batches = [found[at : at + BATCH] for at in range(0, len(found), BATCH)]
        self._draw.shuffle(batches)
        return batches

    def _loss(self, batch: Sequence[TrainingExample]) -> torch.Tensor:
        titles = [f"{one.title}. " if one.title and self._draw.random() < TITLED else "" for one in batch]
        read = self._tokenizer(
            [one.question.lower().rstrip("?") if self._draw.random() < HASTY else one.question for one in batch],
            [title + one.text for title, one in zip(titles, batch, strict=True)],
            truncation="only_second",
            max_length=LONGEST,
            padding=True,
            return_tensors="pt",
        )
        with torch.autocast("cpu", dtype=torch.bfloat16):
            tokens = self._model(**read).last_hidden_state
        said = torch.tensor([one.answer is not None for one in batch], dtype=torch.float32)
        whether = functional.binary_cross_entropy_with_logits(self._whether(tokens[:, 0].float())[:, 0], said)
        places = torch.tensor([_place(read, row, one, len(titles[row])) for row, one in enumerate(batch)])
        outside = (read["token_type_ids"] == 0) | (read["attention_mask"] == 0)
        outside[:, 0] = False  # the first token stands for "nowhere"
        scores = self._where(tokens.float()).masked_fill(outside[..., None], -1e4)
        where = [functional.cross_entropy(scores[..., end], places[:, end], ignore_index=ELSEWHERE) for end in (0, 1)]
        return whether + PLACE * (where[0] + where[1]) / 2

    def save(self, path: Path, rank: int) -> None:
        """Changes of matrices by their largest singular values, other weights whole; half precision."""
        kept = {"classifier.weight": self._whether.weight.detach().T, "classifier.bias": self._whether.bias.detach()}
        for name, weight in self._model.named_parameters():
            change = weight.detach() - self._before[name]
            if not weight.requires_grad or not change.any():
                continue
            if weight.ndim == 2 and "token_type" not in name:
                left, sizes, right = torch.linalg.svd(change, full_matrices=False)
                root = sizes[:rank].sqrt()
                kept[name + UP], kept[name + DOWN] = left[:, :rank] * root, right[:rank] * root[:, None]
            else:
                kept[name] = weight.detach()
        save_file({name: array.half().contiguous() for name, array in kept.items()}, path)


def _place(read: Any, row: int, example: TrainingExample, before: int) -> tuple[int, int]:
    """First and last token of the answer."""
    if example.answer is None:
        return 0, 0
    start, end = (before + place for place in example.answer)
    first, last = (read.char_to_token(row, place, 1) for place in (start, end - 1))
    return (ELSEWHERE, ELSEWHERE) if first is None or last is None else (first, last)
