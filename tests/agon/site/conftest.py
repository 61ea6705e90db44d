"""What tests of the site must not leave to each other."""

import pytest
from django.core.cache import cache


@pytest.fixture(autouse=True)
def nothing_cached() -> None:
    """Clear the cache: rate limits are counted in it, and another test's rows had the same primary keys."""
    cache.clear()
