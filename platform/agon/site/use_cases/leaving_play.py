"""Takes bots out of play and back into it: stops, releases, withdraws, re-enters, renames, deletes them.

What a user asks for locks the owner's accounts first (agon.site.teams.locking). Each change locks the bot's
row, then the leaderboard's, so that neither an upload nor the ladder sees half of it. When a bot leaves play

- it leaves the leaderboard: its active submission is `out` until the bot returns;
- its submissions that are being built or on trial are rejected;
- its queued qualifications, and matches of comparisons and challenges, are withdrawn. If another bot was to
  qualify against it, that bot gets other opponents. Matches that are being played end normally;
- its rated matches that were drawn are played and count, so that an owner who sees a defeat coming cannot
  avoid it. Only a stop withdraws them.

While an upload is being checked that can count for a milestone whose deadline has passed, its owner cannot
withdraw or delete the bot, or close the account: the upload before it would count instead.
A withdrawn bot may enter again after ABSENCE.

Tournaments are different. In those that run, a bot that is withdrawn or deleted still plays, with the
submission that was frozen at their start; one that is stopped is disqualified
(agon.site.tournaments.stopped).

agon.site.bots.access decides who may do what. Every act leaves an entry in the administration's log and in
the audit log; a stop and a release also in that of each tournament that still runs.
"""

from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from django.contrib.admin.models import CHANGE, DELETION, LogEntry
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.timesince import timeuntil
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.accounts.services import house_user
from agon.site.archives import storing
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.bots import access, naming, reasons, states
from agon.site.bots.access import Act
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import PENDING, BotState, State
from agon.site.bots.taking_part import TakesPartAlready, check_owner
from agon.site.core.db.transitions import IllegalTransition, Transition
from agon.site.core.texts.reasons import StoredReason, in_english
from agon.site.courses import progress
from agon.site.leaderboards import ladder, ratings
from agon.site.matches import queueing
from agon.site.matches.models import Match, Seat
from agon.site.matches.queueing import BOT_LEFT
from agon.site.matches.states import State as MatchState
from agon.site.teams import queries
from agon.site.teams.locking import lock_owner
from agon.site.tournaments import stopped
from agon.site.use_cases import erasing, qualification
from games.core.reason import NO_REASON

ABSENCE = timedelta(hours=1)  # from a withdrawal until the owner may enter the bot again


class ActionNotAllowed(Exception):
    """The request cannot be carried out now; str(e) says why, in the reader's language."""


@transaction.atomic
def perform(act: Act, bot: Bot, by: User, words: str = "", why: str = "") -> None:
    """Do what `by` asks for, if they may do it with the bot in its present state.

    words: the reason of a stop, or the new name. why: the reason of any other act, for the log.
    Raises BadName, ActionNotAllowed.
    """
    lock_owner(bot.owner)
    queries.forget(by)  # a member may have been removed
    current = _locked(bot)
    if act not in access.acts(by, current):
        raise _not_now(current.state)
    match act:
        case Act.STOP:
            stop(current, by, reasons.stopped(words))
        case Act.RENAME:
            rename(current, by, words, why)
        case Act.WITHDRAW | Act.DELETE:
            check_nothing_waits(current)
            WITHOUT_WORDS[act](current, by, why)
        case _:
            WITHOUT_WORDS[act](current, by, why)


def check_nothing_waits(bot: Bot) -> None:
    """Raise ActionNotAllowed if its owner could choose the upload that counts by taking the bot out now."""
    milestone = progress.milestone_waiting_for(bot)
    if milestone is not None:
        raise ActionNotAllowed(
            _("The last upload is still being checked for %(milestone)s. Try again when that is done.")
            % {"milestone": milestone.title}
        )


@transaction.atomic
def stop(bot: Bot, by: User | None, why: StoredReason) -> None:
    """Take a bot out of play until an administrator releases it; a deleted one is disqualified in
    tournaments, and its matches that wait are withdrawn.

    by: None if the site itself stops it (void_rule). why: made by reasons.stopped or reasons.voids.
    Raises ActionNotAllowed.
    """
    if _locked(bot).state == BotState.DELETED:
        Bot.objects.filter(pk=bot.pk).update(cleared=timezone.now(), reason=why)
        _withdraw_matches(bot, states.STOP)
        ratings.change_bots(bot.competition)
    else:
        _leave(bot, states.STOP, reason=why)
    words = in_english(why)  # for standings.csv, too
    stopped.disqualify(bot, words, by)
    _log_act(Verb.STOP, by, bot, f"Stopped: {words}", words)


@transaction.atomic
def release(bot: Bot, by: User, why: str = "") -> None:
    """Let a stopped bot play again, also in tournaments that still run. Raises ActionNotAllowed."""
    _check_taking_part(bot)
    _enter(bot, states.RELEASE, cleared=timezone.now())
    stopped.readmit(bot, why, by)
    _log_act(Verb.LET_PLAY, by, bot, "Let play again.", why)


@transaction.atomic
def withdraw(bot: Bot, by: User, why: str = "") -> None:
    """Take a bot out of play at its owner's request. Raises ActionNotAllowed."""
    _leave(bot, states.WITHDRAW)
    _log_act(Verb.WITHDRAW_BOT, by, bot, "Withdrawn.", why)


@transaction.atomic
def reenter(bot: Bot, by: User, why: str = "") -> None:
    """Bring a bot back that has been withdrawn for ABSENCE. Raises ActionNotAllowed."""
    _check_taking_part(bot)
    bot = _locked(bot)
    time = timezone.now()
    if bot.state == BotState.WITHDRAWN and bot.changed is not None and time < bot.changed + ABSENCE:
        raise ActionNotAllowed(
            _("%(bot)s was withdrawn less than an hour ago. It can play again in %(time)s.")
            % {"bot": bot.name, "time": timeuntil(bot.changed + ABSENCE, time)}
        )
    _enter(bot, states.REENTER)
    _log_act(Verb.REENTER, by, bot, "Entered again.", why)


@transaction.atomic
def delete(bot: Bot, by: User, why: str = "") -> None:
    """Erase a bot's programs for good; its results stay. Raises ActionNotAllowed."""
    _leave(bot, states.DELETE)
    storing.forget_programs(bot.pk)
    _log_act(Verb.DELETE, by, bot, "Deleted.", why, DELETION)
    transaction.on_commit(partial(erasing.of_bot, bot.pk))


@transaction.atomic
def rename(bot: Bot, by: User, name: str, why: str = "") -> None:
    """Give a bot another name; its past matches keep the old one. Raises BadName, ActionNotAllowed."""
    name = naming.normalize_name(name)
    bot = _locked(bot)
    if bot.state == BotState.DELETED:
        raise _not_now(bot.state)
    if name == bot.name:
        return
    naming.check_free(bot.competition, name, bot.owner, bot)
    naming.give_up(bot)
    old, bot.name = bot.name, name
    try:
        with transaction.atomic():
            bot.save(update_fields=["name", "name_key", "skeleton_folded", "skeleton_written"])
    except IntegrityError:  # another bot got it just now
        raise naming.name_taken_error(name) from None
    ratings.raise_version(bot.competition)
    _log_act(Verb.RENAME, by, bot, f"Renamed from {old} to {name}.", why, details={"from": old})


@transaction.atomic
def remove(submission: Submission, by: User, why: str = "") -> None:
    """Erase a rejected submission, and a bot that never played with its last one.

    Raises ActionNotAllowed.
    """
    bot = _locked(submission.bot)
    try:
        submission.move(states.REMOVE, reason=NO_REASON)
    except IllegalTransition as illegal:
        raise ActionNotAllowed(
            _("Only a rejected version can be removed; this one is %(state)s.")
            % {"state": State(illegal.actual).label}
        ) from None
    _log_act(
        Verb.REMOVE,
        by,
        bot,
        f"Version {submission.number} removed.",
        why,
        details={"version": submission.number},
    )
    transaction.on_commit(partial(erasing.of_submission, submission.pk))
    if bot.state == BotState.ENTERED and not bot.submissions.exclude(state=State.REMOVED).exists():
        delete(bot, by, why)


WITHOUT_WORDS = {Act.RELEASE: release, Act.WITHDRAW: withdraw, Act.REENTER: reenter, Act.DELETE: delete}


def _leave(bot: Bot, transition: Transition, **changes: object) -> None:
    bot = _locked(bot)
    active = bot.active
    _move(bot, transition, active=None, changed=timezone.now(), **changes)
    ratings.lock(bot.competition)
    for submission in bot.submissions.select_for_update(no_key=True).filter(state__in=PENDING):
        submission.move(states.REJECT, reason=reasons.bot_left(), lease_until=None)
    if active is not None:
        active.move(states.LEAVE)
    _withdraw_matches(bot, transition)
    ratings.change_bots(bot.competition)
    transaction.on_commit(partial(ladder.top_up, bot.competition))


def _enter(bot: Bot, transition: Transition, **changes: object) -> None:
    bot = _locked(bot)
    out = bot.submissions.filter(state=State.OUT).first()
    if out is not None:
        out.move(states.RETURN)
    _move(bot, transition, active=out, changed=timezone.now(), reason=NO_REASON, **changes)
    ratings.change_bots(bot.competition)
    transaction.on_commit(partial(ladder.top_up, bot.competition))


def _check_taking_part(bot: Bot) -> None:
    """Its owner may have closed the account meanwhile, or entered another bot for another owner.

    Raises ActionNotAllowed.
    """
    people = lock_owner(bot.owner)
    if User.objects.filter(pk=bot.owner_id, closed__isnull=False).exists():
        raise ActionNotAllowed(_("This account is closed."))
    try:
        check_owner(bot.competition, bot.owner, people)
    except TakesPartAlready as why:
        raise ActionNotAllowed(str(why)) from None


def _withdraw_matches(bot: Bot, transition: Transition) -> None:
    """Withdraw its queued matches outside of tournaments: if it was stopped all, otherwise unrated ones.

    Re-run matches belong to a tournament although they have no `tournament`, and assessments count whatever
    the owner does: only a stop withdraws them.
    """
    theirs = Seat.objects.filter(submission__bot=bot).values("match")
    queued = Match.objects.filter(pk__in=theirs, state=MatchState.QUEUED, tournament=None)
    if transition is not states.STOP:
        queued = queued.exclude(kind__in=[Match.Kind.LADDER, Match.Kind.RERUN, Match.Kind.ASSESSMENT])
    newcomers = [
        match.qualifies
        for match in queued.select_related("qualifies__bot__competition")
        if match.qualifies is not None and match.qualifies.bot_id != bot.pk
    ]
    queueing.withdraw(queued, BOT_LEFT)
    for newcomer in newcomers:
        qualification.restart(newcomer)


def _locked(bot: Bot) -> Bot:
    """Lock the bot's row, and read it."""
    return (
        Bot.objects.select_for_update(of=("self",), no_key=True)
        .select_related("competition", "owner")
        .get(pk=bot.pk)
    )


def _move(bot: Bot, transition: Transition, **changes: object) -> None:
    try:
        bot.move(transition, **changes)
    except IllegalTransition as illegal:
        raise _not_now(illegal.actual) from None


def _not_now(current: str) -> ActionNotAllowed:
    return ActionNotAllowed(
        _("You cannot do this now: the bot is %(state)s.") % {"state": BotState(current).label}
    )


def _log_act(
    verb: Verb,
    by: User | None,
    bot: Bot,
    words: str,
    why: str,
    flag: int = CHANGE,
    details: Mapping[str, object] | None = None,
) -> None:
    acts.record(
        verb,
        by,
        bot.competition,
        subject=bot.name,
        reason=why,
        details={"bot": bot.pk, **(details or {})},
        team=queries.team_of(bot.owner_id),
    )
    LogEntry.objects.log_actions((by or house_user()).pk, [bot], flag, words, single_object=True)
