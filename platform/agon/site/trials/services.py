"""Starts a trial, if the limits allow it.

A person has one trial at a time: a new one replaces one that still waits. A network may have a few, so that a
class behind one address can work. The worker time that trials use within an hour is limited in the same way:
for a person and for a network. How much worker time all trials together get is limited where they are played
(agon.site.workers.trying).
"""

from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.contest.reasons import from_sandbox
from agon.site.bots.models import Bot, Submission
from agon.site.bots.services import Refused
from agon.site.bots.sources import read
from agon.site.bots.states import State as SubmissionState
from agon.site.competitions.models import Competition
from agon.site.core import disk_space
from agon.site.core.queue.notify import request_task
from agon.site.core.texts.reasons import describe
from agon.site.matches.models import Match
from agon.site.trials.models import Trial
from agon.site.trials.states import GOING_ON, State
from agon.site.trials.visitors import Visitor
from games.core.reason import Reason
from sandbox.building.recipes import recipe
from sandbox.uploads.accept import BadUpload

MOST_BYTES = 64 << 10  # of a program, as of a draft (agon.site.web.bots.drafts)
WINDOW = timedelta(hours=1)
MOMENT, WHILE = 5, 600  # seconds after which to try again
TASK = "agon.site.workers.tasks.try_programs"
NOT_PLAYING = gettext_lazy("This house bot is not playing at the moment. Choose another.")


def opponents(competition: Competition) -> list[Submission]:
    """The active house bots of a competition, the weakest first."""
    active = Submission.objects.filter(
        bot__competition=competition, bot__house=True, state=SubmissionState.ACTIVE
    )
    strength = strengths(competition)
    return sorted(
        active.select_related("bot"), key=lambda each: (strength.get(each.bot.name, 0), each.bot_id)
    )


def first_opponent(competition: Competition) -> Submission | None:
    """The house bot for a newcomer's first try, which a starter beats; None if none plays.

    In games for two, each bot of the ladder beats the one below it, but not always all below that: it is the
    one below the starter. In games for more, where others sit at the table, too, it is the weakest.
    """
    found = opponents(competition)
    starter = next((bot.strength for bot in competition.info.house if bot.starter), 0)
    strength = strengths(competition)
    below = [each for each in found if strength.get(each.bot.name, 0) < starter]
    if below and competition.info.max_seats == 2:
        return below[-1]
    return found[0] if found else None


def beaten(trial: Trial) -> int:
    """How many of the house bots that now play here this person's programs have beaten within a day."""
    won = Trial.objects.filter(person=trial.person, competition=trial.competition, won=True)
    beaten_bots = set(won.values_list("opponent__bot", flat=True))
    return sum(each.bot_id in beaten_bots for each in opponents(trial.competition))


def strengths(competition: Competition) -> dict[str, int]:
    """The strengths of the house bots, by name: 1 (weakest) to 10."""
    return {bot.name: bot.strength for bot in competition.info.house}


def start(
    visitor: Visitor,
    competition: Competition,
    opponent: int,
    language: str,
    text: str,
    bot: Bot | None = None,
) -> Trial:
    """Queue one match of a program against the bot of the submission `opponent`, and notify a worker.

    bot: that the program is to become a version of; None: a new one.
    Raises Refused, with the field "text", "language", "opponent" or "".
    """
    if not competition.is_open:
        raise Refused("", _("The competition %(title)s is closed.") % {"title": competition.title})
    if disk_space.shortage():
        raise Refused("", describe(Reason("disk_full")))
    _check_source(language, text)
    chosen = next((each for each in opponents(competition) if each.pk == opponent), None)
    if chosen is None:
        raise Refused("opponent", str(NOT_PLAYING))
    _check_limits(visitor)
    trial = Trial(
        competition=competition,
        owner=visitor.owner,
        person=visitor.person,
        network=visitor.network,
        name=_("Your program"),
        language=language,
        text=text,
        bot=bot,
        opponent=chosen,
    )
    try:
        with transaction.atomic():
            Trial.objects.filter(person=visitor.person, state=State.QUEUED).delete()
            trial.save()
    except IntegrityError:
        message = _("Your last try is still being played. Wait a moment.")
        raise Refused("", message, retry_after=MOMENT) from None
    transaction.on_commit(notify)
    return trial


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


def _check_limits(visitor: Visitor) -> None:
    """Raise Refused if the visitor or their network has used up its time, or the network has many waiting."""
    of_network = Trial.objects.filter(network=visitor.network)
    if (
        of_network.filter(state__in=GOING_ON).exclude(person=visitor.person).count()
        >= settings.AGON_TRIALS_AT_ONCE
    ):
        message = _("Many tries from your network are waiting. Try again in a few seconds.")
        raise Refused("", message, retry_after=MOMENT)
    of_person = _used(Trial.objects.filter(person=visitor.person))
    if of_person >= settings.AGON_TRIAL_SECONDS or _used(of_network) >= settings.AGON_TRIAL_NETWORK_SECONDS:
        raise Refused(
            "",
            _("You've reached this hour's limit for test runs. Enter your bot, or wait a while."),
            retry_after=WHILE,
        )


def _used(trials: QuerySet[Trial]) -> float:
    """The worker time of those of `trials` that were made within the last hour."""
    recent = trials.filter(created__gt=timezone.now() - WINDOW)
    return recent.aggregate(seconds=Sum("used"))["seconds"] or 0.0
