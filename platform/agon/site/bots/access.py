"""Who may see what of a bot, and who may do what with it.

Names, results and states are public; source, build log and standard error are not, and neither is a bot of
which no version has qualified and some have failed. What a user may not see or do does not exist for them:
404, never 403.

A bot's owner withdraws, renames and deletes it. Once it is stopped, only an administrator may act on it.
Members of a team are each an owner of its bots, but only captains delete one:

    of a team's bot             member  captain
    see sources, logs, stderr   yes     yes
    upload, restore, try        yes     yes
    challenge, compare, enter   yes     yes
    rename, withdraw, reenter   yes     yes
    remove a rejected version   yes     yes
    delete                      no      yes

Administrators are those with Django's permission to change bots. House bots belong to an account that
cannot sign in, and keep their names, by which they are installed; they can be stopped.
"""

from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.sources import data_of, source_of
from agon.site.bots.states import COMPETED, FAILED, BotState, State
from agon.site.competitions.models import Competition
from agon.site.competitions.visibility import Audience, Subject
from agon.site.teams.queries import acting_accounts, acts_for, is_present, leads

ADMINISTRATOR = "bots.change_bot"
SEES_PRIVATE = "bots.view_submission"


class Act(models.TextChoices):
    STOP = "stop"
    RELEASE = "release"
    WITHDRAW = "withdraw"
    REENTER = "reenter"
    RENAME = "rename"
    DELETE = "delete"


OWNERS_ACTS: dict[str, tuple[Act, ...]] = {
    BotState.ENTERED: (Act.RENAME, Act.WITHDRAW, Act.DELETE),
    BotState.WITHDRAWN: (Act.REENTER, Act.RENAME, Act.DELETE),
}
ADMINISTRATORS_ACTS: dict[str, tuple[Act, ...]] = {
    BotState.ENTERED: (Act.STOP, Act.RENAME, Act.DELETE),
    BotState.WITHDRAWN: (Act.STOP, Act.RENAME, Act.DELETE),
    BotState.STOPPED: (Act.RELEASE, Act.RENAME, Act.DELETE),
    BotState.DELETED: (Act.STOP,),  # it may still play in running tournaments
}
CAPTAINS_ACTS = (Act.DELETE,)  # of a team's bots
OF_HOUSE_BOTS = (Act.STOP, Act.RELEASE)


def may_see_private(user: User | AnonymousUser, submission: Submission) -> bool:
    """Whether `user` sees source, build log and standard error: the owner, and holders of SEES_PRIVATE.

    Being staff is not enough: it only lets a user sign in to the admin. Holders of SEES_PRIVATE who meet the
    bot in a tournament must wait for its end.
    """
    owns = acts_for(user, submission.bot.owner_id)
    return owns or (user.has_perm(SEES_PRIVATE) and not _meets(user, submission.bot))


def may_see_source(user: User | AnonymousUser, submission: Submission) -> bool:
    """Whether `user` sees the program: also everyone, of a version that has competed, where the competition
    says so; unless its bot was deleted, or its owner has left.
    """
    if may_see_private(user, submission):
        return True
    bot = submission.bot
    is_open = bot.competition.shown_to(Subject.SOURCES) is Audience.EVERYONE
    is_kept = submission.state in COMPETED and bot.state != BotState.DELETED
    return is_open and is_kept and is_present(bot.owner)


def _meets(user: User | AnonymousUser, bot: Bot) -> bool:
    """Whether a bot of theirs is in a tournament with this one that is not over."""
    entries = bot.entries.exclude(tournament__state__in=["finished", "cancelled"])
    return entries.filter(tournament__entrants__bot__owner__in=acting_accounts(user)).exists()


def visible_bots(user: User | AnonymousUser, bots: QuerySet[Bot]) -> QuerySet[Bot]:
    """Those of `bots` that `user` may see: failed ones are for their owners and for staff."""
    if user.has_perm(SEES_PRIVATE) or user.has_perm(ADMINISTRATOR):
        return bots
    return bots.filter(Q(owner__in=acting_accounts(user)) | ~failed())


def failed() -> Q:
    """Of bots: no version has qualified, and some have failed."""
    versions = Submission.objects.filter(bot=OuterRef("pk"))
    return Q(Exists(versions.filter(state__in=FAILED))) & ~Q(Exists(versions.filter(state__in=COMPETED)))


def get_bot(user: User | AnonymousUser, pk: int) -> Bot:
    """A bot whose page `user` may see. Raises Http404."""
    bots = visible_bots(user, Bot.objects.select_related("owner", "competition", "active"))
    return get_object_or_404(bots, pk=pk)


def get_submission(user: User | AnonymousUser, pk: int) -> Submission:
    """A submission whose page `user` may see. Raises Http404, also for one that exists but that they may not
    see.
    """
    submission = get_object_or_404(Submission.objects.select_related("bot__owner", "bot__competition"), pk=pk)
    if submission.is_home or not may_see_private(user, submission):
        raise Http404
    return submission


def get_source(user: User | AnonymousUser, pk: int) -> Submission:
    """A submission whose program `user` may see, with its source. Raises Http404."""
    submission = get_object_or_404(Submission.objects.select_related("bot__owner", "bot__competition"), pk=pk)
    if not submission.source or not may_see_source(user, submission):
        raise Http404
    return submission


def may_act(user: User | AnonymousUser, bot: Bot, act: Act) -> bool:
    """Whether `user` may do this with `bot` in some state of it."""
    return any(act in some for some in _acts_by_state(user, bot).values())


def acts(user: User | AnonymousUser, bot: Bot) -> tuple[Act, ...]:
    """What `user` may do with `bot` in its current state."""
    return _acts_by_state(user, bot).get(bot.state, ())


def may_remove(user: User | AnonymousUser, submission: Submission) -> bool:
    """Whether `user` may remove a rejected submission: its owner and administrators may."""
    theirs = acts_for(user, submission.bot.owner_id)
    return submission.state == State.REJECTED and (theirs or user.has_perm(ADMINISTRATOR))


def may_restore(user: User | AnonymousUser, submission: Submission) -> bool:
    """Whether `user` may let an earlier version of a bot play again: its owner may."""
    return owns(user, submission.bot) and submission.state == State.REPLACED


def owns(user: User | AnonymousUser, bot: Bot) -> bool:
    """Whether the bot is the user's own: theirs, or that of a team of theirs."""
    return acts_for(user, bot.owner_id) and not bot.house


def own_bots(user: User | AnonymousUser, competition: Competition | None = None) -> QuerySet[Bot]:
    """The bots that are the user's own, here or everywhere; without house bots."""
    bots = Bot.objects.filter(owner__in=acting_accounts(user), house=False)
    return bots if competition is None else bots.filter(competition=competition)


def _acts_by_state(user: User | AnonymousUser, bot: Bot) -> dict[str, tuple[Act, ...]]:
    owners = OWNERS_ACTS if owns(user, bot) else {}
    decides = leads(user, bot.owner_id)
    administrators = ADMINISTRATORS_ACTS if user.has_perm(ADMINISTRATOR) else {}
    return {
        state: tuple(
            act
            for act in Act
            if (act in owners.get(state, ()) and (decides or act not in CAPTAINS_ACTS))
            or act in administrators.get(state, ())
            if not bot.house or act in OF_HOUSE_BOTS
        )
        for state in BotState
    }


def source_files(submission: Submission) -> tuple[tuple[str, bytes], ...]:
    """(path, contents) of each file of the source, for those who may see it. Raises Http404 if it is lost."""
    try:
        return tuple((file.path, file.data) for file in source_of(submission).files)
    except FileNotFoundError:
        raise Http404 from None


def sent_file(submission: Submission) -> tuple[str, bytes]:
    """Name and contents of the file that was sent; of a text the file that it became. Raises Http404."""
    if submission.pasted:
        return source_files(submission)[0]
    try:
        return submission.filename, data_of(submission)
    except FileNotFoundError:
        raise Http404 from None
