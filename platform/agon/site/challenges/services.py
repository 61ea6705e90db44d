"""Starts challenges.

A challenge must not starve the ladder, nor cost those who are challenged anything: its matches yield to rated
ones and are played one at a time (agon.site.matches.queueing), and the worker time of all their seats is
charged to the challenger, who may use only a part of it for challenges (agon.site.matches.usage).

If a bot at home is among them, the matches wait until it is connected, for workers of their own
(agon.site.matches.home_queue). This is all that bots at home take part in.
"""

import random
from collections.abc import Sequence

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from agon.contest import secret_seeds
from agon.contest.rotation import rotated
from agon.site.accounts.models import User
from agon.site.bots import at_home
from agon.site.bots.access import own_bots, owns
from agon.site.bots.models import Bot, HomeLine, Submission
from agon.site.bots.states import BotState
from agon.site.challenges import states
from agon.site.challenges.models import Challenge, Opponent
from agon.site.competitions.models import Competition
from agon.site.leaderboards.house_bots import best_house_bots
from agon.site.matches import queueing
from agon.site.matches.models import Match
from agon.site.teams.queries import acting_accounts

MOST_MATCHES = 120  # of a challenge; a multiple of most numbers of seats
USUAL_MATCHES = 20
AT_ONCE = 3  # running challenges of an account


class NotChallenged(Exception):
    """A challenge cannot be started; str(e) says why, in the reader's language.

    field: "bot", "opponents" or "matches", if one of them is to blame; else "".
    """

    def __init__(self, words: str, field: str = "") -> None:
        super().__init__(words)
        self.field = field


def challengers(user: User, competition: Competition) -> list[Bot]:
    """The bots of `user` that may challenge others here, by name."""
    if not competition.is_open or competition.info.max_seats < 2:
        return []
    own = own_bots(user, competition).filter(state=BotState.ENTERED)
    return list(own.filter(Q(active__isnull=False) | Q(home=True)).order_by("name", "pk"))


def challenged(user: User | AnonymousUser, competition: Competition) -> QuerySet[Bot]:
    """The bots that `user` may challenge: those that play, and bots at home that are open or the user's."""
    playing = competition.bots.filter(state=BotState.ENTERED)
    at_home = Q(home=True) & (Q(line__is_open=True) | Q(owner__in=acting_accounts(user)))
    return playing.filter(Q(active__isnull=False) | at_home)


@transaction.atomic
def start(user: User, bot: Bot, opponents: Sequence[Bot], matches: int) -> Challenge:
    """Create a challenge and queue its matches.

    matches: rounded up, so that each bot sits in each seat equally often. House bots fill the seats that a
    game has to have. Raises NotChallenged.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two requests start one after the other
    _check(user, bot, opponents, matches)
    own, *others = _locked([bot, *opponents])
    seated = [own, *others, *_house_bots(bot.competition, [own, *others])]
    planned = -(-matches // len(seated)) * len(seated)
    challenge = Challenge.objects.create(
        competition=bot.competition, owner=user, challenger=own, planned=planned
    )
    Opponent.objects.bulk_create(
        Opponent(challenge=challenge, submission=submission) for submission in seated[1:]
    )
    queue = Match.Queue.HOME if any(submission.is_home for submission in seated) else Match.Queue.BULK
    matches_planned = (
        queueing.Planned([(seat.pk, seat.bot.name) for seat in seats], secret_seeds.draw(), index)
        for index, seats in enumerate(_seatings(seated, planned))
    )
    kind = Match.Kind.CHALLENGE
    queueing.queue_many(bot.competition, kind, matches_planned, queue, challenge=challenge)
    return challenge


def _check(user: User, bot: Bot, opponents: Sequence[Bot], matches: int) -> None:
    """Raises NotChallenged for what does not depend on rows that others change."""
    competition = bot.competition
    most = competition.info.max_seats - 1
    if not competition.is_open:
        raise NotChallenged(_("This competition is closed."))
    if not owns(user, bot):
        raise NotChallenged(_("Choose a bot of yours."), "bot")
    if not opponents:
        raise NotChallenged(_("Choose a bot to challenge."), "opponents")
    if len({bot.pk, *(opponent.pk for opponent in opponents)}) <= len(opponents):
        raise NotChallenged(_("Choose each bot once."), "opponents")
    if any(opponent.competition_id != competition.pk for opponent in opponents):
        raise NotChallenged(_("Choose bots of one competition."), "opponents")
    if len(opponents) > most:
        words = _("Choose at most %(most)d opponents; this game has %(seats)d seats.")
        raise NotChallenged(words % {"most": most, "seats": most + 1}, "opponents")
    shut = next(
        (opponent for opponent in opponents if opponent.home and not _is_open_to(user, opponent)), None
    )
    if shut is not None:
        words = _("%(bot)s plays at home, and only its owner may challenge it.")
        raise NotChallenged(words % {"bot": shut.name}, "opponents")
    if not 1 <= matches <= MOST_MATCHES:
        words = _("Choose from 1 to %(most)d matches; got %(matches)d.")
        raise NotChallenged(words % {"most": MOST_MATCHES, "matches": matches}, "matches")
    if Challenge.objects.filter(owner=user, state=states.State.RUNNING).count() >= AT_ONCE:
        words = _(
            "You have %(most)d challenges that are still running. Wait until one is over, or cancel it."
        )
        raise NotChallenged(words % {"most": AT_ONCE})


def _is_open_to(user: User, bot: Bot) -> bool:
    return owns(user, bot) or HomeLine.objects.filter(bot=bot, is_open=True).exists()


def _locked(bots: Sequence[Bot]) -> list[Submission]:
    """The active versions of these bots, which cannot leave play until the challenge is stored."""
    rows = Bot.objects.select_for_update(of=("self",), no_key=True).order_by("pk")
    by_id = {row.pk: row for row in rows.filter(pk__in=[bot.pk for bot in bots])}
    versions = Submission.objects.select_related("bot").in_bulk(
        [invited.active_id for invited in by_id.values()]
    )
    result = []
    for number, bot in enumerate(bots):
        current = by_id[bot.pk]
        version = at_home.version_of(bot.pk) if current.home else versions.get(current.active_id)
        if version is None or current.state != BotState.ENTERED:
            words = _("%(bot)s does not play now.") % {"bot": current.name}
            raise NotChallenged(words, "opponents" if number else "bot")
        result.append(version)
    return result


def _house_bots(competition: Competition, seated: Sequence[Submission]) -> list[Submission]:
    """The best house bots for the seats that are missing."""
    missing = competition.info.min_seats - len(seated)
    submissions = best_house_bots(competition, missing, [submission.bot_id for submission in seated])
    if len(submissions) < missing:
        words = _(
            "Choose %(wanted)d opponents; this game has %(seats)d seats, and there are too few house bots."
        )
        seats = competition.info.min_seats
        raise NotChallenged(words % {"wanted": seats - 1, "seats": seats}, "opponents")
    return submissions


def _seatings(seated: Sequence[Submission], matches: int) -> list[list[Submission]]:
    """The bots by seat of each match: all rotations of an order, then those of another one."""
    draw = random.SystemRandom()
    seatings: list[list[Submission]] = []
    while len(seatings) < matches:
        seatings += rotated([seated[0], *draw.sample(seated[1:], len(seated) - 1)])
    return seatings
