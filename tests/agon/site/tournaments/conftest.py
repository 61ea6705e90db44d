"""Clears the cache before each test of tournaments."""

from tests.agon.site.web.conftest import nothing_cached

__all__ = ["nothing_cached"]
