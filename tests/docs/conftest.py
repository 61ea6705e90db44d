"""The fixtures that run the command line, from its own tests."""

from tests.agon.cli.conftest import agon, environment

__all__ = ["agon", "environment"]
