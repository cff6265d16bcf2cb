"""`python -m eval.training SQUAD --out adapter.safetensors`: trains the answerability classifier.

SQUAD is the training set of SQuAD 1.1. Needs `pip install torch transformers safetensors`; an hour and a half on two
cores.
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


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains the answerability classifier.")
    parser.add_argument("squad", type=Path, help="the training set of SQuAD 1.1, a JSON file")
    parser.add_argument("--hours", type=float, default=1.5)
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(0)  # noqa: S311 - no secret
    texts = read_squad(options.squad)
    general = list(of_squad(texts, draw))
    written = [
        text for path in sorted(WRITTEN.glob("*.txt")) if path.name != NEAR_MISSES for text in read_written(path)
    ]
    balanced, unbalanced = (
        list(of_written([*written, *read_near_misses(WRITTEN / NEAR_MISSES, texts, balanced=balanced)], draw))
        for balanced in (True, False)
    )
    trainer = Trainer(draw)
    trainer.learn(general, rate=1.2e-4, minutes=30 * options.hours)
    trainer.learn([*balanced, *draw.sample(general, 5000)], rate=8e-5, minutes=22 * options.hours)
    # Last of all questions of one hand alone: who wrote one must not tell whether it has an answer.
    trainer.learn([*unbalanced, *draw.sample(general, 4000)], rate=5e-5, minutes=8 * options.hours)
    trainer.save(options.out, options.rank)


if __name__ == "__main__":
    main()
