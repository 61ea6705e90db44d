"""A sandbox for the programs whose mistakes are explained."""

from contextlib import closing

import pytest

from sandbox.backends import open_sandbox


@pytest.fixture(scope="module")
def sandbox():
    with closing(open_sandbox("bubblewrap")) as opened:
        yield opened
