"""Which bot makes its matches void? Pure; pipeline.void_rule feeds it and acts on the answer.

A match is void when the platform failed at every attempt. Hosts fail, and then spoil whatever is played on
them: that must stop nobody. A bot that has found a way to break its matches must not win by it. The rule:

1. Only the beginnings of failures count: void matches right before which another match was played to its end
   on the same host. However many matches a broken host spoils one after the other, that is one beginning.
2. A host's own failure begins at any time, whichever bots are playing then. So the chance that it begins
   with a match of a given bot is the share of that bot in what the host played around that time: of its
   matches or of its time, whichever is more (long matches are hit more often). From these chances follows how
   likely it is that at least as many failures begin with its matches as did.
3. A bot is to blame if that is less likely than CHANCE, for LEAST beginnings or more, and if it is still less
   likely than REST_CHANCE, for REST_LEAST or more, without all matches of those other authors who shared most
   of these failures: half of the people whom it met, rounded up. House bots stay. They are never to blame
   themselves: they do not cheat, but others could break their matches.

A bot is taken with all its versions, so that a new one does not begin with a clean slate. By 2 a bot that sat
in every match cannot be blamed: there is nothing to compare it with. By 3 neither a cheater's usual opponent
is blamed, nor one against which others conspire, unless these are more than half of all authors that it met.
Of several to blame the one with the least chance is stopped first, and its matches are then no evidence
against others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

LEAST, CHANCE = 5, 1e-6
REST_LEAST, REST_CHANCE = 3, 1e-3
AROUND = 10  # matches before and after a failure that say who was playing then

Author = Hashable


class Tried(NamedTuple):
    """A match that was played to its end, or void.

    host: which machine tried it last. seconds: how long that took. counts: False for what is no evidence,
    because a bot in it is stopped already, or was let play again since.
    """

    match: int
    host: str
    void: bool
    seconds: float
    seats: frozenset[int]
    counts: bool = True


@dataclass(frozen=True)
class Blame:
    """Why a bot is to blame.

    matches: the void ones with which failures began. played: how many others of its matches there were.
    others_void, others_played: the same of matches without it. chance: of so many by accident.
    """

    bot: int
    matches: tuple[int, ...]
    played: int
    others_void: int
    others_played: int
    chance: float


class _Trial(NamedTuple):
    """A beginning of a failure, and what was played around it."""

    tried: Tried
    around: Sequence[Tried]


def blamed(matches: Iterable[Tried], authors: Mapping[int, Author | None]) -> Blame | None:
    """The bot that is most surely to blame, if any is.

    matches: of one competition, in the order in which they ended. authors: by bot, None for the house's.
    """
    begun, course = _beginnings(matches)
    trials = _trials(begun, course)
    people = (bot for trial in trials for bot in trial.tried.seats if authors[bot] is not None)
    often = Counter(people)
    suspects = [(_chance(bot, trials), bot) for bot, count in often.items() if count >= LEAST]
    for chance, bot in sorted(suspects):
        if chance < CHANCE and _holds_without_half(bot, trials, course, authors):
            return _blame(bot, chance, course)
    return None


def _beginnings(matches: Iterable[Tried]) -> tuple[list[Tried], list[Tried]]:
    """Void matches with which a failure began; and these together with all that were played."""
    working: dict[str, bool] = {}
    begun: list[Tried] = []
    course: list[Tried] = []
    for each in matches:
        if not each.void:
            course.append(each)
        elif working.get(each.host):
            begun.append(each)
            course.append(each)
        working[each.host] = not each.void
    return begun, course


def _trials(begun: Iterable[Tried], course: Iterable[Tried]) -> list[_Trial]:
    """Each beginning with what its host played shortly before and after, itself included."""
    hosts: dict[str, list[Tried]] = {}
    places: dict[int, int] = {}
    for each in course:
        if each.counts:
            same = hosts.setdefault(each.host, [])
            places[each.match] = len(same)
            same.append(each)
    trials = []
    for each in begun:
        if each.counts:
            same, place = hosts[each.host], places[each.match]
            trials.append(_Trial(each, same[max(0, place - AROUND) : place + AROUND + 1]))
    return trials


def _chance(bot: int, trials: Sequence[_Trial]) -> float:
    """How likely at least so many of the failures begin with its matches, if it is not to blame."""
    observed = sum(bot in trial.tried.seats for trial in trials)
    return _at_least(observed, [_share(bot, trial.around) for trial in trials])


def _share(bot: int, around: Sequence[Tried]) -> float:
    """Of its matches, or of their time, whichever is more."""
    own = [each for each in around if bot in each.seats]
    time = sum(each.seconds for each in around)
    return max(len(own) / len(around), sum(each.seconds for each in own) / time if time else 0.0)


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
    bot: int, trials: Sequence[_Trial], course: Sequence[Tried], authors: Mapping[int, Author | None]
) -> bool:
    """Is it still to blame without those who shared most of the failures?"""
    own = authors[bot]
    met = {authors[seat] for each in course if bot in each.seats for seat in each.seats} - {None, own}
    shared = Counter(
        author
        for trial in trials
        if bot in trial.tried.seats
        for author in {authors[seat] for seat in trial.tried.seats} - {None, own}
    )
    half = (len(met) + 1) // 2
    left_out = frozenset(author for author, _ in shared.most_common(half))
    rest = [
        _Trial(trial.tried, _without(trial.around, left_out, authors))
        for trial in trials
        if not _sat(trial.tried, left_out, authors)
    ]
    count = sum(bot in trial.tried.seats for trial in rest)
    return count >= REST_LEAST and _chance(bot, rest) < REST_CHANCE


def _without(
    around: Sequence[Tried], left_out: Collection[Author | None], authors: Mapping[int, Author | None]
) -> list[Tried]:
    return [each for each in around if not _sat(each, left_out, authors)]


def _sat(tried: Tried, some: Collection[Author | None], authors: Mapping[int, Author | None]) -> bool:
    return any(authors[seat] in some for seat in tried.seats)


def _blame(bot: int, chance: float, course: Sequence[Tried]) -> Blame:
    counted = [each for each in course if each.counts]
    own = [each for each in counted if bot in each.seats]
    others = [each for each in counted if bot not in each.seats]
    return Blame(
        bot=bot,
        matches=tuple(each.match for each in own if each.void),
        played=sum(not each.void for each in own),
        others_void=sum(each.void for each in others),
        others_played=sum(not each.void for each in others),
        chance=chance,
    )
