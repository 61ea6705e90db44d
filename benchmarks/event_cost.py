"""Measures what events cost where results of rated matches are stored.

    AGON_VAR=EMPTY_FOLDER python -m benchmarks.event_cost          with SQLite
    DATABASE_URL=postgres://... python -m benchmarks.event_cost    with an empty database of PostgreSQL

Stores BLOCK results of Honest RPS with events and BLOCK without, in turn (A B B A ...), in one process. The
database is left as it is afterwards. Prints the processor time of a result either way, and the median of the
ratios of neighboring blocks. Both sides include the fits of the ratings, at most two a second. The
work of a PostgreSQL server is not included.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

from benchmarks.site import set_up

if TYPE_CHECKING:
    from agon.contest.arena import Played
    from agon.site.accounts.models import User
    from agon.site.bots.models import Submission
    from agon.site.competitions.models import Competition
    from agon.site.matches.models import Match

BLOCK = 50
PAIRS = 8
BOTS = 8


def main() -> None:
    set_up()
    competition, versions = make_bots()
    times: dict[bool, list[float]] = {True: [], False: []}
    for pair in range(PAIRS):
        for with_events in (True, False) if pair % 2 else (False, True):
            times[with_events].append(store(competition, versions, with_events))
    for with_events, measured in times.items():
        print(f"{'with' if with_events else 'without'} events: {statistics.median(measured):.2f} ms a result")
    ratios = [with_ / without for with_, without in zip(times[True], times[False], strict=True)]
    print(f"ratio: {statistics.median(ratios):.3f} ({min(ratios):.2f} to {max(ratios):.2f})")


def make_bots() -> tuple[Competition, list[Submission]]:
    """A competition with BOTS active bots of two owners."""
    from agon.site.accounts.models import User
    from agon.site.competitions.models import Competition

    competition = Competition.objects.create(slug="bench", game="honest_rps", title="Bench")
    owners = [User.objects.create_user(name) for name in ("ada", "bob")]
    return competition, [make_bot(owners[number % 2], competition, number) for number in range(BOTS)]


def make_bot(owner: User, competition: Competition, number: int) -> Submission:
    """The active version of a new bot. number: of the bot, which makes its name and program differ."""
    from agon.site.bots.models import Bot, Submission
    from agon.site.use_cases import qualification

    bot = Bot.objects.create(owner=owner, competition=competition, name=f"Bot {number}")
    version = Submission.objects.create(
        bot=bot, number=1, digest=f"{number:064x}", filename="bot.py", state="qualifying"
    )
    qualification.enter_play(version)
    version.refresh_from_db()
    return version


def store(competition: Competition, versions: list[Submission], with_events: bool) -> float:
    """Milliseconds for each of BLOCK results."""
    from agon.site.events import observing
    from agon.site.leaderboards import ladder
    from agon.site.matches import leases, queueing
    from agon.site.matches.models import Match

    ladder.top_up = lambda competition: 0  # it would queue matches of its own
    Match.objects.filter(state="queued").update(state="withdrawn")
    real = observing.matches_finished
    if not with_events:
        observing.matches_finished = lambda matches, maybe_first_wins: None
    took = 0.0
    for number in range(BLOCK):
        seats = [versions[number % BOTS], versions[(number + 1 + number // BOTS % (BOTS - 1)) % BOTS]]
        queueing.queue(competition, Match.Kind.LADDER, Match.Queue.INTERACTIVE, seats)
        match = leases.claim("bench")
        assert match is not None
        played = result_of(match)
        start = time.process_time()
        assert leases.finish(match, played)
        took += time.process_time() - start
    observing.matches_finished = real
    return 1000 * took / BLOCK


def result_of(match: Match) -> Played:
    """A result, by the real referee: the bots answer by their seeds."""
    from agon.contest.arena import Played
    from games.core.compliance import scripted
    from games.core.record import SeatInfo

    seats = list(match.seats.select_related("submission").order_by("number"))
    words = "RPS"
    players = [
        lambda request, number=seat.number: words[(match.seed + number * match.seed // 3) % 3]
        for seat in seats
    ]
    driver = scripted.play(match.competition.info, players, match.seed)
    infos = [SeatInfo(seat.name, seat.submission.digest) for seat in seats]
    record = driver.log(infos, "2026-01-01T00:00:00+00:00", 0.001)
    return Played(record, tuple(b"" for _ in seats), driver.files, 0.001)


if __name__ == "__main__":
    main()
