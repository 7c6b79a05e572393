"""What was computed lately."""

import time

CACHE_TTL = 60
_entries = {}


def cached(key, compute):
    value, at = _entries.get(key, (None, 0))
    if time.time() - at > CACHE_TTL:
        value = compute()
        _entries[key] = (value, time.time())
    return value


def invalidate(key):
    _entries.pop(key, None)
