"""Questions that ask several things at once, taken apart: by rules, or by a language model where there is one."""

from pipelines.decomposition.rules import MOST, looks_multi_part, split

__all__ = ["MOST", "looks_multi_part", "split"]
