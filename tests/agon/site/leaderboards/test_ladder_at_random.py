"""Whatever owners, teams and organizers do while a ladder is played, in any order, its figures stay sound."""

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F, QuerySet
from django.test import Client

from agon.site.accounts.models import User
from agon.site.bots import reasons
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import PENDING, BotState
from agon.site.bots.states import State as Version
from agon.site.challenges import progress as challenge_progress
from agon.site.challenges import services as challenges
from agon.site.challenges import states as challenge_states
from agon.site.challenges.models import Challenge
from agon.site.comparisons import progress as comparison_progress
from agon.site.comparisons import services as comparisons
from agon.site.comparisons import states as comparison_states
from agon.site.comparisons.models import Comparison
from agon.site.competitions.models import Competition
from agon.site.leaderboards import fitting, recompute
from agon.site.matches import leases
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import State
from agon.site.teams import services as teams
from agon.site.teams.models import Role, Team
from agon.site.use_cases import competition_states, leaving_play, qualification
from agon.site.use_cases import teams as team_acts
from agon.site.workers.tasks import sweep
from tests.support.at_random import OwnersAtRandom
from tests.support.factories import duel, submit, versions
from tests.support.reasons import said

NAMES = "abcdefgh"


class Ladder(OwnersAtRandom):
    """A ladder whose results and acts follow from `seed`."""

    refusals = (teams.Refused, challenges.NotChallenged, comparisons.NotComparable)

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.staff = User.objects.create_superuser("staff")
        self.competition = Competition.objects.create(slug="rps", game="honest_rps", title="RPS")
        self.people = [User.objects.create_user(f"owner{number}") for number in range(4)]
        self.team = teams.create("Team", self.people[0])
        owners = [*self.people, self.team.account]
        for number, name in enumerate(NAMES):
            versions(owners[number % len(owners)], self.competition, [name])

    def play(self, most: int, in_between: Callable[[], None] = lambda: None) -> None:
        """Play up to so many matches, all by chance."""
        while most and (match := leases.claim("worker")) is not None:
            most -= 1
            chance = self.draw.random()
            if chance < 0.2:
                in_between()
            if chance > 0.92:
                leases.fail(match, said("the platform failed"))
            elif chance > 0.9:  # its worker is dead
                Match.objects.filter(pk=match.pk).update(lease_until=F("lease_until") - timedelta(hours=1))
                leases.give_back_expired()
            else:
                names = [seat.name for seat in match.seats.all()]
                order = self.draw.choice([[], self.draw.sample(names, len(names))])
                faulty = [name for name in names if self.draw.random() < 0.05]
                leases.finish(match, duel(match, order, faulty))

    def some_bot(self) -> Bot:
        return self.draw.choice(list(Bot.objects.filter(house=False).order_by("pk")))

    def some_owner(self) -> User:
        return User.objects.get(pk=self.draw.choice(self.people).pk)

    def rename_bot(self) -> None:
        bot = self.some_bot()
        leaving_play.rename(bot, bot.owner, f"{bot.name}x"[:40])

    def new_version(self) -> None:
        bot = self.some_bot()
        if bot.state == BotState.ENTERED:
            submission = submit(bot.owner, bot.competition, bot.name, Version.BUILT)
            if self.draw.random() < 0.3 and bot.active:
                Submission.objects.filter(pk=submission.pk).update(digest=bot.active.digest)

    def new_bot(self) -> None:
        owner = self.some_owner()
        if owner.is_active:
            submit(owner, self.competition, f"n{len(self.done)}", Version.BUILT)

    def stop_bot(self) -> None:
        leaving_play.stop(self.some_bot(), self.staff, reasons.stopped("bad"))

    def let_play(self) -> None:
        leaving_play.release(self.some_bot(), self.staff)

    def challenge(self) -> None:
        bot, other = self.some_bot(), self.some_bot()
        challenges.start(bot.owner, bot, [other], self.draw.randint(1, 8))

    def cancel_challenge(self) -> None:
        if (challenge := Challenge.objects.last()) is not None:
            challenge_progress.cancel(challenge)

    def compare(self) -> None:
        bot = self.some_bot()
        news = list(bot.submissions.order_by("-number")[:2])
        if len(news) == 2:
            comparisons.start(bot.owner, *news)

    def cancel_comparison(self) -> None:
        if (comparison := Comparison.objects.last()) is not None:
            comparison_progress.cancel(comparison)

    def join_team(self) -> None:
        captain = self.team.memberships.filter(left=None, role=Role.CAPTAIN).first()
        if captain is not None:
            invited = teams.renew_invitation(self.team, captain.user)
            team_acts.join(invited.invitation, self.some_owner())

    def leave_team(self) -> None:
        team_acts.leave(self.team, self.some_owner())

    def close_or_open(self) -> None:
        state = self.draw.choice([Competition.State.OPEN, Competition.State.CLOSED])
        competition_states.set_state(Competition.objects.get(), state, self.staff, "because")

    def go_on_to_the_end(self) -> None:
        competition_states.set_state(Competition.objects.get(), Competition.State.OPEN, self.staff, "because")
        for _ in range(60):
            sweep()
            self.play(200)
            if not any(rows.exists() for rows in unfinished()):
                return
        pytest.fail(f"it does not end: {[list(rows.values()) for rows in unfinished()]}")


def unfinished() -> list[QuerySet[Any]]:
    """What has to come to an end by itself."""
    return [
        Challenge.objects.filter(state=challenge_states.State.RUNNING),
        Comparison.objects.filter(state=comparison_states.State.RUNNING),
        Submission.objects.filter(state__in=PENDING),
    ]


def check(competition: Competition) -> None:
    fitting.fit_now(competition.pk)
    assert recompute.differences(competition) == []
    waiting = Seat.objects.filter(match__state=State.QUEUED)
    out = waiting.exclude(submission__bot__state=BotState.ENTERED)
    assert not out.exclude(match__kind=Match.Kind.LADDER).exists()
    assert not out.filter(submission__bot__state=BotState.STOPPED).exists()
    for bot in Bot.objects.select_related("active"):
        active = bot.submissions.filter(state=Version.ACTIVE)
        if bot.state == BotState.ENTERED:
            assert list(active) == ([bot.active] if bot.active else [])
        else:
            assert bot.active is None
            assert not active.exists()
            assert not bot.submissions.filter(state__in=PENDING).exists()


def look_at_pages(users: Iterable[User | None]) -> None:
    """Every bot, challenge and comparison, and the lists, as these people see them; None: a visitor."""
    pages = ["/", "/c/rps/", "/c/rps/matches/", "/c/rps/head-to-head/", "/teams/"]
    pages += [row.get_absolute_url() for model in (Bot, Challenge, Team) for row in model.objects.all()]
    for user in users:
        client = Client()
        if user is not None:
            client.force_login(user)
        for page in pages:
            assert client.get(page).status_code in (200, 302, 404), page


@pytest.mark.production
@pytest.mark.first(2)
@pytest.mark.parametrize("seed", range(60))
def test_the_figures_of_a_ladder_stay_sound_whatever_is_done_to_it(db, seed, monkeypatch):
    monkeypatch.setattr(qualification, "PAUSE", timedelta(0))
    ladder = Ladder(seed)
    of_owners = [ladder.withdraw_bot, ladder.reenter_bot, ladder.delete_bot, ladder.rename_bot]
    of_owners += [ladder.new_version, ladder.new_version, ladder.new_bot, ladder.close_account]
    of_owners += [ladder.challenge, ladder.challenge, ladder.cancel_challenge, ladder.join_team]
    of_owners += [ladder.compare, ladder.compare, ladder.cancel_comparison, ladder.leave_team]
    of_staff = [ladder.stop_bot, ladder.let_play, ladder.close_or_open]

    def act() -> None:
        ladder.act(*of_owners, *of_staff)

    try:
        for _ in range(ladder.draw.randint(10, 30)):
            ladder.draw.choice([act, act, sweep, lambda: ladder.play(8, act)])()
            check(ladder.competition)
        ladder.go_on_to_the_end()
        check(ladder.competition)
        look_at_pages([None, User.objects.filter(username__startswith="owner").first(), ladder.staff])
    finally:
        print("\n".join(ladder.done))
