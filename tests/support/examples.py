"""How many examples hypothesis tries of a costly property."""

from hypothesis import settings


def at_most(examples: int) -> settings:
    """So many, but no more than the profile of this run has: ten in `make test`, 25 in `make ci`."""
    usual = settings()
    return settings(usual, max_examples=min(examples, usual.max_examples))
