"""The command line, as in its own tests."""

from tests.platform.cli.conftest import agon, environment

__all__ = ["agon", "environment"]
