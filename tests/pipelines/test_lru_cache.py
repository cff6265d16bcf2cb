"""The bounded cache."""

from __future__ import annotations

from pipelines.lru_cache import LruCache


def test_the_least_recently_used_goes_first() -> None:
    """A look counts as a use; what was put again is new."""
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1
    cache.put("c", 3)
    assert (cache.get("a"), cache.get("b"), cache.get("c")) == (1, None, 3)
    cache.put("a", 4)
    cache.put("d", 5)
    assert (cache.get("a"), cache.get("c"), len(cache)) == (4, None, 2)


def test_what_is_taken_out_is_gone() -> None:
    """Taking out what is not there is no error."""
    cache: LruCache[str, int] = LruCache(2)
    cache.put("a", 1)
    cache.pop("a")
    cache.pop("a")
    assert cache.get("a") is None
    cache.put("b", 2)
    cache.clear()
    assert len(cache) == 0
