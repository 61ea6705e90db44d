"""Starts a trial, if the limits allow it.

A person has one trial at a time, which may be of several matches: a new one replaces what still waits. A
network may have a few, so that a class behind one address can work. The worker time that trials use within
an hour is limited in the same way: for a person and for a network. How much worker time all trials together
get is limited where they are played (agon.site.workers.trying).
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta
from math import ceil

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Avg, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.contest.reasons import from_sandbox
from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.refusal import Refused
from agon.site.bots.sources import read
from agon.site.competitions.models import Competition
from agon.site.core import disk_space
from agon.site.core.queue.notify import request_task
from agon.site.core.texts.reasons import describe
from agon.site.matches.models import Match
from agon.site.trials.models import Trial, new_token
from agon.site.trials.states import GOING_ON, State
from agon.site.trials.tables import MOST_MATCHES, Table, house_opponents, own_opponents, strengths
from agon.site.trials.visitors import Visitor
from games.core.reason import Reason
from sandbox.building.recipes import recipe
from sandbox.uploads.accept import BadUpload

MOST_BYTES = 64 << 10  # of a program, as of a draft (agon.site.web.bots.drafts)
WINDOW = timedelta(hours=1)
LATEST_TRIALS = 20  # trials that show what one usually takes
MOMENT, WHILE = 5, 600  # seconds after which to try again
TASK = "agon.site.workers.tasks.try_programs"
NOT_PLAYING = gettext_lazy("This opponent is not playing at the moment. Choose another.")


def first_opponent(competition: Competition) -> Submission | None:
    """The house bot for a newcomer's first try, which a starter beats; None if none plays.

    In games for two, each bot of the ladder beats the one below it, but not always all below that: it is the
    one below the starter. In games for more, where others sit at the table, too, it is the weakest.
    """
    submissions = house_opponents(competition)
    starter = next((bot.strength for bot in competition.info.house if bot.starter), 0)
    strength = strengths(competition)
    below = [submission for submission in submissions if strength.get(submission.bot.name, 0) < starter]
    if below and competition.info.max_seats == 2:
        return below[-1]
    return submissions[0] if submissions else None


def beaten(trial: Trial) -> int:
    """How many of the house bots that now play here this person's programs have beaten within a day."""
    won = Trial.objects.filter(person=trial.person, competition=trial.competition, won=True)
    beaten_bots = set(won.values_list("opponent__bot", flat=True))
    return sum(house_opponent.bot_id in beaten_bots for house_opponent in house_opponents(trial.competition))


def chosen(competition: Competition, user: User | None, keys: Iterable[str]) -> list[Submission]:
    """The opponents with these primary keys, in the order in which they are offered.

    House bots and the user's own versions are. Raises Refused, with the field "opponent".
    """
    offered = house_opponents(competition) + own_opponents(competition, user)
    wanted = set(keys)
    submissions = [submission for submission in offered if str(submission.pk) in wanted]
    if len(submissions) < len(wanted) or not submissions:
        raise Refused("opponent", str(NOT_PLAYING))
    return submissions


def start(
    visitor: Visitor,
    competition: Competition,
    tables: Sequence[Table],
    language: str,
    text: str,
    bot: Bot | None = None,
    again: Match | None = None,
) -> Trial:
    """Queue a match of a program at each of `tables`, and notify a worker. Returns the first.

    bot: that the program is to become a version of; None: a new one. again: the match that is played again.
    Raises Refused, with the field "text", "language", "number" or "".
    """
    if not competition.is_open:
        raise Refused("", _("The competition %(title)s is closed.") % {"title": competition.title})
    if disk_space.shortage():
        raise Refused("", describe(Reason("disk_full")))
    _check_source(language, text)
    _check_number(visitor, competition, len(tables))
    _check_limits(visitor)
    batch = new_token() if len(tables) > 1 else ""
    trials = [
        Trial(
            competition=competition,
            owner=visitor.owner,
            person=visitor.person,
            network=visitor.network,
            name=_("Your program"),
            language=language,
            text=text,
            bot=bot,
            again=again,
            opponent=table.opponent,
            others=[other.pk for other in table.others],
            seat=table.seat,
            seed=table.seed,
            batch=batch,
            number=number,
        )
        for number, table in enumerate(tables)
    ]
    still_played = Refused("", _("Your last try is still being played. Wait a moment."), retry_after=MOMENT)
    try:
        with transaction.atomic():
            of_person = Trial.objects.filter(person=visitor.person)
            of_person.filter(state=State.QUEUED).delete()
            if of_person.filter(state__in=GOING_ON).exists():
                raise still_played
            Trial.objects.bulk_create(trials)
    except IntegrityError:
        raise still_played from None
    transaction.on_commit(notify)
    return trials[0]


def notify() -> None:
    """Notify a worker of waiting trials. A notice may be lost: the sweeper sends another."""
    request_task(TASK, Match.Queue.INTERACTIVE, Match.Queue.INTERACTIVE)


def _check_source(language: str, text: str) -> None:
    size = len(text.encode(errors="replace"))
    if size > MOST_BYTES:
        raise Refused(
            "text",
            _("This program has %(size)d KiB; at most %(most)d can be tried here. Upload it as a file.")
            % {"size": size >> 10, "most": MOST_BYTES >> 10},
        )
    try:
        recipe(read("", text.encode(), language))
    except BadUpload as error:
        raise Refused("text", describe(from_sandbox(error.reason))) from error


def _check_number(visitor: Visitor, competition: Competition, number: int) -> None:
    """Raise Refused if so many matches are too many, or take more time than the visitor has left."""
    if number > MOST_MATCHES:
        raise Refused(
            "number",
            _("These are %(number)d matches; at most %(most)d are played at once.")
            % {"number": number, "most": MOST_MATCHES},
        )
    usual = usual_seconds(competition)
    left = settings.AGON_TRIAL_SECONDS - _used(Trial.objects.filter(person=visitor.person))
    if number > 1 and number * usual > left:
        raise Refused(
            "number",
            _(
                "%(number)d matches take about %(seconds)d s of worker time, and you have %(left)d s left "
                "of this hour. Choose fewer."
            )
            % {"number": number, "seconds": ceil(number * usual), "left": max(int(left), 0)},
        )


def usual_seconds(competition: Competition) -> float:
    """The worker time that a trial takes in a competition, as far as is known."""
    latest = Trial.objects.filter(competition=competition, state=State.FINISHED).order_by("-pk")
    used = latest[:LATEST_TRIALS].aggregate(mean=Avg("used"))["mean"]
    return used or 0.0


def seconds_used(visitor: Visitor) -> tuple[float, float]:
    """The worker time of the trials of the last hour: of the person, and of all in their network."""
    return (
        _used(Trial.objects.filter(person=visitor.person)),
        _used(Trial.objects.filter(network=visitor.network)),
    )


def is_out_of_time(trial: Trial) -> bool:
    """Whether the person or the network has used up its time since the matches of a batch were queued."""
    of_person = _used(Trial.objects.filter(person=trial.person))
    of_network = _used(Trial.objects.filter(network=trial.network))
    return of_person >= settings.AGON_TRIAL_SECONDS or of_network >= settings.AGON_TRIAL_NETWORK_SECONDS


def _check_limits(visitor: Visitor) -> None:
    """Raise Refused if the visitor or their network has used up its time, or the network has many waiting."""
    of_network = Trial.objects.filter(network=visitor.network)
    others = of_network.filter(state__in=GOING_ON).exclude(person=visitor.person)
    if others.values("person").distinct().count() >= settings.AGON_TRIALS_AT_ONCE:
        message = _("Many tries from your network are waiting. Try again in a few seconds.")
        raise Refused("", message, retry_after=MOMENT)
    by_person, by_network = seconds_used(visitor)
    if by_person >= settings.AGON_TRIAL_SECONDS or by_network >= settings.AGON_TRIAL_NETWORK_SECONDS:
        raise Refused(
            "",
            _("You've reached this hour's limit for test runs. Enter your bot, or wait a while."),
            retry_after=WHILE,
        )


def _used(trials: QuerySet[Trial]) -> float:
    """The worker time of those of `trials` that were made within the last hour."""
    recent = trials.filter(created__gt=timezone.now() - WINDOW)
    return recent.aggregate(seconds=Sum("used"))["seconds"] or 0.0
