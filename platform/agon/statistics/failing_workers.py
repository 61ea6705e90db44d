"""Which worker fails whatever it is given? Pure; agon.site.fleet.failing feeds it and acts on the answer.

A broken machine claims match after match and fails each: every match of the site loses attempts to it. Only
the machine itself is set aside then, never a bot for being there, and no result changes by it. The rule:

- The worker's latest attempts failed, at LEAST_MATCHES different matches or more, and it has played none to
  its end since the first of them.
- Others have played LEAST_MATCHES matches to their ends meanwhile: it is not the platform that fails.
- No author has a bot in more than half of these matches: one that breaks its own matches, on purpose or not,
  must not be able to take workers away. Such a bot is found by agon.statistics.voids. House bots have no
  author here.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping

LEAST_MATCHES = 5  # matches

Author = Hashable


def is_failing(failed: Mapping[int, Collection[Author | None]], played_by_others: int) -> bool:
    """Whether a worker is to be set aside.

    failed: the matches that it failed in a row, with the authors of their bots, None for the house's.
    played_by_others: how many matches other workers have played to their ends since the first of these.
    """
    if len(failed) < LEAST_MATCHES or played_by_others < LEAST_MATCHES:
        return False
    counts = Counter(author for authors in failed.values() for author in set(authors) if author is not None)
    return all(2 * count <= len(failed) for count in counts.values())
