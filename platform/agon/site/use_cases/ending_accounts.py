"""What becomes of an account that ends, a person's or a team's: its bots leave play, its name is erased.

The row stays, since matches, tournaments and the administration's log refer to it. It gets a name that
no one can sign up with, and pages show "closed account". Its old name rests for 30 days, as a digest; others
can take its e-mail address at once. Its bots are withdrawn or deleted; stopped bots stay stopped or are
deleted. Its tournaments continue, and administrators can run them.
"""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.utils import timezone

from agon.site.accounts.models import CLOSED, RestingName, User
from agon.site.archives import storing
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.bots.states import BotState
from agon.site.competitions import organizing
from agon.site.courses import services as courses
from agon.site.events import choices, feed_address, following
from agon.site.use_cases import leaving_play


def end(user: User, by: User, why: str, bots_too: bool) -> None:
    """End an account that the caller has locked. bots_too: whether its bots are deleted, not withdrawn."""
    # All bots before the first leaderboard, as agon.site.use_cases.leaving_play locks them.
    bots = user.bots.select_for_update(no_key=True).exclude(state=BotState.DELETED)
    for bot in bots.order_by("pk"):
        if bots_too:
            leaving_play.delete(bot, by, why)
        elif bot.state == BotState.ENTERED:
            leaving_play.withdraw(bot, by, why)
    _erase(user)
    _log(by, user, why)


def _erase(user: User) -> None:
    for model in (EmailAddress, Authenticator, SocialAccount, UserSession):
        model.objects.filter(user=user).delete()
    user.groups.clear()
    user.user_permissions.clear()
    RestingName.add(user.username)
    user.username = _free_name(user)
    user.first_name = user.last_name = user.email = user.about = ""
    user.is_active = user.is_staff = user.is_superuser = False
    user.last_login = None
    user.closed = timezone.now()
    user.set_unusable_password()  # which ends its open sessions, too
    user.save()
    # Entries of the administration's log about this account contain its old name.
    of_account = {"content_type": ContentType.objects.get_for_model(User), "object_id": str(user.pk)}
    LogEntry.objects.filter(**of_account).update(object_repr=user.username)
    user.trials.all().delete()
    user.tokens.all().delete()
    user.api_answers.all().delete()  # which contain the name, and secrets that were shown once
    organizing.forget(user)
    courses.forget(user)
    choices.forget(user)
    following.forget(user)
    feed_address.remove(user)
    user.webhooks.all().delete()
    storing.forget_person(user.pk)


def _free_name(user: User) -> str:
    """A name for a closed account. An account that was made without a form may have it."""
    name = f"{CLOSED}{user.pk}"
    while User.objects.filter(name_key=name).exists():
        name += "-"
    return name


def _log(by: User, user: User, why: str) -> None:
    acts.record(Verb.CLOSE, by, None, subject=f"account {user.pk}", reason=why)
    if why:
        words = f"Closed by an administrator: {why}"
    else:
        words = "Closed by its owner." if by.pk == user.pk else "Closed with its team."
    LogEntry.objects.log_actions(by.pk, [user], CHANGE, words, single_object=True)
