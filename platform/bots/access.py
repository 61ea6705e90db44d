"""Who may see what of a bot. Names, results and states are public; source, build log and stderr are not.

What somebody may not see does not exist for him: 404, never 403.
"""

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from accounts.models import User
from bots.models import Bot, Submission
from bots.sources import source_of


def may_see_private(user: User | AnonymousUser, submission: Submission) -> bool:
    """Source, build log and standard error: the owner's and the staff's."""
    return user.is_authenticated and (user.is_staff or submission.bot.owner_id == user.pk)


def get_bot(user: User | AnonymousUser, pk: int) -> Bot:
    """A bot's public page. Raises Http404."""
    try:
        return Bot.objects.select_related("owner", "competition", "active").get(pk=pk)
    except Bot.DoesNotExist:
        raise Http404 from None


def get_submission(user: User | AnonymousUser, pk: int) -> Submission:
    """A submission whose page `user` may see. Raises Http404, also where there is one that he may not see."""
    try:
        submission = Submission.objects.select_related("bot__owner", "bot__competition").get(pk=pk)
    except Submission.DoesNotExist:
        raise Http404 from None
    if not may_see_private(user, submission):
        raise Http404
    return submission


def source_files(submission: Submission) -> tuple[tuple[str, bytes], ...]:
    """(path, contents) of each file of the source, for those who may see it."""
    return tuple((file.path, file.data) for file in source_of(submission).files)
