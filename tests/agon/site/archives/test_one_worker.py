"""How long nothing is tried after a file could not be made."""

import errno
import time

import pytest
from django.core.cache import cache
from django.db import OperationalError

from agon.site.archives.one_worker import LOCK_SECONDS, RETRY_SECONDS, make_alone

KEY = "what-is-made"


@pytest.fixture(autouse=True)
def unlocked():
    cache.delete(KEY)
    yield
    cache.delete(KEY)


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), LOCK_SECONDS),
        (OperationalError("database is locked"), LOCK_SECONDS),
        (ValueError("a mistake"), RETRY_SECONDS),
    ],
)
def test_it_is_tried_again_soon_where_what_is_missing_may_be_back(monkeypatch, error, seconds):
    def fail():
        raise error

    began = time.time()
    assert make_alone(KEY, "a file", fail) is None
    monkeypatch.setattr(time, "time", lambda: began + seconds - 5)
    assert make_alone(KEY, "a file", lambda: "made") is None
    monkeypatch.setattr(time, "time", lambda: began + seconds + 5)
    assert make_alone(KEY, "a file", lambda: "made") == ("made",)
