"""`python -m eval.training SQUAD --out adapter.safetensors`: trains the answerability classifier.

SQUAD is the training set of SQuAD 1.1. Needs `pip install torch transformers safetensors`; two hours and a half on
two cores.
"""

from __future__ import annotations

import argparse
import random
from importlib.resources import files
from pathlib import Path

from eval.training.examples import of_squad, of_written, read_near_misses, read_squad, read_written
from eval.training.trainer import Trainer

WRITTEN = Path(str(files("eval"))) / "data" / "training"
NEAR_MISSES = "near_misses.txt"
AGAIN = 20_000
"""Examples of the first part that are seen in the second, too: what was learnt is not to be forgotten."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains the answerability classifier.")
    parser.add_argument("squad", type=Path, help="the training set of SQuAD 1.1, a JSON file")
    parser.add_argument("--hours", type=float, default=2.5)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(0)  # noqa: S311 - no secret
    texts = read_squad(options.squad)
    general = list(of_squad(texts, draw))
    passages = [
        text for path in sorted(WRITTEN.glob("*.txt")) if path.name != NEAR_MISSES for text in read_written(path)
    ]
    near_misses = list(read_near_misses(WRITTEN / NEAR_MISSES, texts))
    written = [*of_written(passages, draw), *of_written(near_misses, draw)]
    trainer = Trainer(draw)
    trainer.learn(general, rate=1.2e-4, minutes=25 * options.hours)
    trainer.learn([*written, *draw.sample(general, AGAIN)], rate=8e-5, minutes=35 * options.hours)
    trainer.save(options.out, options.rank)


if __name__ == "__main__":
    main()
