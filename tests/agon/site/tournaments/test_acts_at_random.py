"""Whatever owners and organizers do while a tournament is played, in any order, it ends, and soundly."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agon.contest.archive.verify import verify
from agon.contest.formats import FORMATS
from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.bots import reasons
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.matches import leases
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import reruns, running, scheduling, services
from agon.site.tournaments.models import Entrant, Rerun, Tournament
from agon.site.tournaments.services import BadTournament
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State
from agon.site.use_cases import leaving_play
from tests.support.at_random import OwnersAtRandom
from tests.support.factories import active_bots, duel
from tests.support.reasons import said

NAMES = "abcdefg"
VALUES = {"budget": [5, 30, 60], "best_of": [1, 2, 3, 4], "groups": [1, 2, 3], "advance": [1, 2, 3]}
# In these a bot may win all that it plays and not be first: it is not drawn at all, or a bye counts as more.
OF_LUCK = frozenset({"started_tens", "swiss"})


class Contest(OwnersAtRandom):
    """A tournament whose format, settings, results and acts follow from `seed`."""

    refusals = (BadTournament,)

    def __init__(self, seed: int, without: frozenset[str] = frozenset()) -> None:
        super().__init__(seed)
        self.staff = User.objects.create_superuser("staff")
        competition = Competition.objects.create(slug="rps", game="honest_rps", title="RPS")
        owners = [User.objects.create_user(f"owner{number}") for number in range(4)]
        names = NAMES[: self.draw.randint(3, len(NAMES))]
        self.bots = [
            bot
            for number, name in enumerate(names)
            for bot in active_bots(owners[number % 4], competition, name)
        ]
        self.champion = self.draw.choice(self.bots)
        while True:
            try:
                self._pk = self._create(competition, without).pk
                break
            except BadTournament:  # not for so many entrants
                continue

    def _create(self, competition: Competition, without: frozenset[str]) -> Tournament:
        two_seats = {slug for slug, format in FORMATS.items() if format.least_seats <= 2}
        slug = self.draw.choice(sorted(two_seats - without))
        settings = {
            setting.name: self.draw.choice(
                VALUES.get(setting.name) or list(setting.choices) or [setting.default]
            )
            for setting in FORMATS[slug].settings
        }
        rounds, seed = self.draw.randint(1, 3), self.draw.randrange(100)
        cup = services.create(self.staff, competition, "Cup", slug, rounds, seed, self.bots, settings)
        self.done.append(f"{slug} {settings}, {rounds} rounds, seed {seed}, {len(self.bots)} bots")
        services.start(cup, self.staff)
        return cup

    @property
    def cup(self) -> Tournament:
        return Tournament.objects.get(pk=self._pk)

    def play(self, most: int, in_between: Callable[[], None] = lambda: None) -> None:
        """Play up to so many matches: the champion wins all of its own, the others by chance."""
        while most and (match := leases.claim("worker")) is not None:
            most -= 1
            chance = self.draw.random()
            if chance < 0.15:
                in_between()
            if chance > 0.95:
                leases.fail(match, said("the platform failed"))
            else:
                others = self.draw.sample(NAMES, len(NAMES))
                leases.finish(match, duel(match, [self.champion.name, *others]))

    def go_on_to_the_end(self) -> None:
        for _ in range(300):
            cup = self.cup
            if cup.state == State.PAUSED:
                services.resume(cup, self.staff)
            self.play(-1)
            scheduling.tick()
            for rerun in cup.reruns.filter(state=Rerun.State.PLAYING):
                reruns.discard(rerun, self.staff)
            for match in Match.objects.filter(state=MatchState.RUNNING):
                leases.fail(match, said("the platform failed"))
            if self.cup.state == State.FINISHED:
                return
        pytest.fail("it does not end")

    # What owners do.

    def some_bot(self) -> Bot:
        """Of another owner than the champion's."""
        pks = [bot.pk for bot in self.bots if bot.owner_id != self.champion.owner_id]
        return Bot.objects.get(pk=self.draw.choice(pks))

    # What organizers and administrators do, to the champion, too.

    def some_entrant(self) -> int:
        return self.draw.randrange(len(self.bots))

    def stop_bot(self) -> None:
        leaving_play.stop(
            Bot.objects.get(pk=self.draw.choice(self.bots).pk), self.staff, reasons.stopped("bad")
        )

    def let_play(self) -> None:
        leaving_play.release(Bot.objects.get(pk=self.draw.choice(self.bots).pk), self.staff)

    def withdraw(self) -> None:
        running.withdraw(self.cup, self.some_entrant(), self.staff, "because")

    def disqualify(self) -> None:
        running.disqualify(self.cup, self.some_entrant(), self.staff, "because")

    def reinstate(self) -> None:
        running.reinstate(self.cup, self.some_entrant(), self.staff, "because")

    def pause(self) -> None:
        services.pause(self.cup, self.staff)

    def resume(self) -> None:
        services.resume(self.cup, self.staff)

    def release(self) -> None:
        running.release(self.cup, self.draw.choice(Tournament.Release.values), self.staff)

    def reveal(self) -> None:
        running.reveal(self.cup, self.staff)

    def begin_rerun(self) -> None:
        played = list(self.cup.matches.values_list("pk", flat=True))
        numbers = self.draw.sample(played, min(len(played), self.draw.randint(1, 4)))
        entrant = self.some_entrant()
        choice = self.draw.choice([reruns.Choice(bot=entrant), reruns.Choice(numbers=tuple(numbers))])
        reruns.begin(self.cup, choice, self.staff, "because")

    def apply_rerun(self) -> None:
        if (rerun := self.cup.reruns.last()) is not None:
            reruns.apply(rerun, self.staff)

    def discard_rerun(self) -> None:
        if (rerun := self.cup.reruns.last()) is not None:
            reruns.discard(rerun, self.staff)


def check(cup: Tournament) -> None:
    rows = current_standings(cup)
    ranks = [row.rank for row in rows if not row.disqualified]
    entrants = cup.entrants.all()
    assert sorted(row.entrant for row in rows) == sorted(entrant.number for entrant in entrants)
    assert ranks == sorted(ranks)
    assert all(rank <= place for place, rank in enumerate(ranks, start=1))
    disqualified = entrants.filter(left=Entrant.Left.DISQUALIFIED)
    assert {entrant.number for entrant in disqualified} <= {row.entrant for row in rows if row.disqualified}
    gone = entrants.exclude(left="").values("submission")
    queued = Seat.objects.filter(match__tournament=cup, match__state=MatchState.QUEUED)
    assert not queued.filter(submission__in=gone).exists()


@pytest.mark.production
@pytest.mark.first(4)
@pytest.mark.parametrize("seed", range(60))
def test_a_tournament_ends_and_verifies_whatever_is_done_to_it(db, seed):
    contest = Contest(seed)
    of_owners = [contest.withdraw_bot, contest.reenter_bot, contest.delete_bot, contest.close_account]
    of_staff = [contest.stop_bot, contest.let_play, contest.withdraw, contest.disqualify, contest.reinstate]
    of_staff += [contest.pause, contest.resume, contest.resume, contest.release, contest.reveal]
    of_staff += [contest.begin_rerun, contest.begin_rerun, contest.apply_rerun, contest.discard_rerun]

    def act() -> None:
        contest.act(*of_owners, *of_staff)

    try:
        for _ in range(contest.draw.randint(10, 30)):
            contest.draw.choice([act, scheduling.tick, lambda: contest.play(8, act)])()
            check(contest.cup)
        contest.go_on_to_the_end()
        check(contest.cup)
        storing.make(contest.cup)
        archive = Path(contest.cup.downloads.get(kind="archive").file.path)
        assert verify(archive).differences == ()
    finally:
        print("\n".join(contest.done))


@pytest.mark.production
@pytest.mark.first(6)
@pytest.mark.parametrize("seed", range(100))
def test_no_owner_takes_the_first_place_from_a_bot_that_wins_all_its_matches(db, seed):
    contest = Contest(seed, without=OF_LUCK)

    def act() -> None:
        contest.act(contest.withdraw_bot, contest.reenter_bot, contest.delete_bot, contest.close_account)

    try:
        for _ in range(contest.draw.randint(5, 20)):
            contest.draw.choice([act, scheduling.tick, lambda: contest.play(8, act)])()
        contest.go_on_to_the_end()
        [rank] = [row.rank for row in current_standings(contest.cup) if row.bot == contest.champion.name]
        assert rank == 1
    finally:
        print("\n".join(contest.done))
