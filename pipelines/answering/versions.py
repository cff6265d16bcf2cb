"""Earlier versions of documents among what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import permutations
from typing import Protocol
from uuid import UUID

SAME_TITLE = 0.6
"""Jaccard similarity of titles, numbers aside, of two versions."""
SAME_CONTENT = 0.45
"""Share of the shorter one's tokens that two versions have in common."""
