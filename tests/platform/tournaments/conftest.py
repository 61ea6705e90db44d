"""No test of tournaments sees what another has cached."""

from tests.platform.pages.conftest import nothing_cached

__all__ = ["nothing_cached"]
