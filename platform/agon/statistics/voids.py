"""Which bot makes its matches void? Pure; agon.site.use_cases.void_rule feeds it and acts on the answer.

An attempt at a match fails when the platform does, and the match is played again; it is void when every
attempt failed. Hosts fail and then spoil whatever is played on them: that must stop no bot. A bot that has
found a way to break its matches must not win by it: neither by void matches nor by a second try. The rule:

1. Only the starts of failures count: failed attempts that follow directly on a match that the same host
   played to its end at the first attempt. However many attempts in a row a broken host spoils, that is one
   start, also if it plays these matches at the second attempt.
2. A host's own failure starts at any time, whichever bots are playing. So the chance that it starts with
   a match of a given bot is that bot's share of what the host played around then: of its matches or of
   its time, whichever is larger (long matches are hit more often). These chances give the probability
   that at least as many failures start with the bot's matches as did.
3. A bot is to blame if that probability is below CHANCE, with LEAST_STARTS starts or more, and if it stays
   below REST_CHANCE, with REST_LEAST starts or more, without the matches of those other authors who shared
   most of these failures: half of the authors that it met, rounded up. Matches of house bots are not left
   out. House bots are never to blame: they do not cheat, but others could break their matches.

All versions of a bot count together, so a new version does not start with a clean slate. By rule 2 a bot that
sat in every match cannot be blamed: there is nothing to compare it with. By rule 3 neither a cheater's usual
opponent is blamed nor a bot against which others conspire, unless these are more than half of all authors
that it met. Of several culprits the one with the smallest chance is stopped first; its matches are then no
evidence against others.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LEAST_STARTS, CHANCE = 5, 1e-6
REST_LEAST, REST_CHANCE = 3, 1e-3
NEARBY = 10  # matches before and after a failure that say who was playing then

Author = Hashable


class AttemptOutcome(NamedTuple):
    """An attempt at a match that was played to its end, or failed.

    host: the machine. seconds: how long it took. counts: False if the attempt is no evidence, because a bot
    in the match is stopped already, or was allowed to play again since.
    """

    match: int
    host: str
    failed: bool
    seconds: float
    seats: frozenset[int]
    counts: bool = True


@dataclass(frozen=True)
class Blame:
    """Why a bot is to blame.

    matches: those with which failures started. played: how many of its matches were played to the end.
    others_void, others_played: the counts for matches without it. chance: of so many by accident.
    """

    bot: int
    matches: tuple[int, ...]
    played: int
    others_void: int
    others_played: int
    chance: float


class _FailureStart(NamedTuple):
    """The failed attempt with which a failure started, and what was played shortly before and after."""

    outcome: AttemptOutcome
    nearby: Sequence[AttemptOutcome]


def find_culprit(attempts: Iterable[AttemptOutcome], authors: Mapping[int, Author | None]) -> Blame | None:
    """The bot that is most clearly to blame, if any is.

    attempts: of one competition, in the order in which they ended. authors: by bot, None for the house's.
    """
    history = _without_repeated_failures(attempts)
    starts = _failure_starts(history)
    players = (bot for start in starts for bot in start.outcome.seats if authors[bot] is not None)
    counts = Counter(players)
    suspects = [(_chance(bot, starts), bot) for bot, count in counts.items() if count >= LEAST_STARTS]
    for chance, bot in sorted(suspects):
        if chance < CHANCE and _holds_without_half(bot, starts, history, authors):
            return _blame(bot, chance, history)
    return None


def _without_repeated_failures(attempts: Iterable[AttemptOutcome]) -> list[AttemptOutcome]:
    """All that were played to the end, and the failed ones with which a failure started."""
    works: dict[str, bool] = {}
    repeated: set[int] = set()
    history: list[AttemptOutcome] = []
    for attempt in attempts:
        if not attempt.failed or works.get(attempt.host):
            history.append(attempt)
        if attempt.failed:
            works[attempt.host] = False
            repeated.add(attempt.match)
        elif attempt.match not in repeated:
            works[attempt.host] = True
    return history


def _failure_starts(history: Iterable[AttemptOutcome]) -> list[_FailureStart]:
    """Each start with what its host played shortly before and after, the failed attempt itself included."""
    hosts: dict[str, list[AttemptOutcome]] = {}
    places: list[tuple[list[AttemptOutcome], int]] = []
    for attempt in history:
        if attempt.counts:
            same = hosts.setdefault(attempt.host, [])
            if attempt.failed:
                places.append((same, len(same)))
            same.append(attempt)
    return [
        _FailureStart(same[place], same[max(0, place - NEARBY) : place + NEARBY + 1])
        for same, place in places
    ]


def _chance(bot: int, starts: Sequence[_FailureStart]) -> float:
    """The probability that at least as many failures as did start with the bot's matches by accident."""
    observed = sum(bot in start.outcome.seats for start in starts)
    return _at_least(observed, [_share(bot, start.nearby) for start in starts])


def _share(bot: int, nearby: Sequence[AttemptOutcome]) -> float:
    """The bot's share of these matches, or of their time, whichever is larger.

    Each match is counted once, with its last attempt: a bot that makes its matches begin again does not
    play more of them by that.
    """
    matches = {attempt.match: attempt for attempt in nearby}.values()
    own = [match for match in matches if bot in match.seats]
    time = sum(match.seconds for match in matches)
    return max(
        len(own) / len(matches),
        sum(attempt.seconds for attempt in own) / time if time else 0.0,
    )


def _at_least(observed: int, chances: Sequence[float]) -> float:
    """The probability of `observed` successes or more in independent trials with these chances."""
    exactly = [1.0] + [0.0] * observed  # of 0, 1, 2... successes; the last stands for all from there on
    for chance in chances:
        for count in range(observed, 0, -1):
            stays = 1.0 if count == observed else 1.0 - chance
            exactly[count] = exactly[count] * stays + exactly[count - 1] * chance
        exactly[0] *= 1.0 - chance if observed else 1.0
    return min(1.0, exactly[observed])


def _holds_without_half(
    bot: int,
    starts: Sequence[_FailureStart],
    history: Sequence[AttemptOutcome],
    authors: Mapping[int, Author | None],
) -> bool:
    """Whether the bot is still to blame without the authors who shared most of the failures."""
    own = authors[bot]
    opponents = {authors[seat] for attempt in history if bot in attempt.seats for seat in attempt.seats} - {
        None,
        own,
    }
    shared = Counter(
        author
        for start in starts
        if bot in start.outcome.seats
        for author in {authors[seat] for seat in start.outcome.seats} - {None, own}
    )
    half = (len(opponents) + 1) // 2
    left_out = frozenset(author for author, _ in shared.most_common(half))
    rest = [
        _FailureStart(start.outcome, _without_authors(start.nearby, left_out, authors))
        for start in starts
        if not _has_seat_of(start.outcome, left_out, authors)
    ]
    count = sum(bot in start.outcome.seats for start in rest)
    return count >= REST_LEAST and _chance(bot, rest) < REST_CHANCE


def _without_authors(
    nearby: Sequence[AttemptOutcome],
    left_out: Collection[Author | None],
    authors: Mapping[int, Author | None],
) -> list[AttemptOutcome]:
    return [attempt for attempt in nearby if not _has_seat_of(attempt, left_out, authors)]


def _has_seat_of(
    outcome: AttemptOutcome, left_out: Collection[Author | None], authors: Mapping[int, Author | None]
) -> bool:
    return any(authors[seat] in left_out for seat in outcome.seats)


def _blame(bot: int, chance: float, history: Sequence[AttemptOutcome]) -> Blame:
    counted = [attempt for attempt in history if attempt.counts]
    own = [attempt for attempt in counted if bot in attempt.seats]
    others = [attempt for attempt in counted if bot not in attempt.seats]
    return Blame(
        bot=bot,
        matches=tuple(dict.fromkeys(attempt.match for attempt in own if attempt.failed)),
        played=sum(not attempt.failed for attempt in own),
        others_void=sum(other.failed for other in others),
        others_played=sum(not other.failed for other in others),
        chance=chance,
    )
