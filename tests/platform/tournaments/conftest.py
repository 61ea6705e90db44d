"""Clears the cache before each test of tournaments."""

from tests.platform.pages.conftest import nothing_cached

__all__ = ["nothing_cached"]
