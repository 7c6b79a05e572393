"""Tries again what may work later."""

import time

MAX_RETRIES = 3
BACKOFF_SECONDS = 0.2


def with_retries(attempt):
    for count in range(MAX_RETRIES):
        try:
            return attempt()
        except OSError as error:
            last = error
            time.sleep(BACKOFF_SECONDS * 2**count)
    raise RuntimeError(f"giving up after {MAX_RETRIES} attempts") from last
