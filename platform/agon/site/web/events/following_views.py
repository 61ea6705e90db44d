"""The buttons with which readers follow a bot or a competition, and stop."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from agon.site.bots.access import get_bot
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.events import following
from agon.site.events.following import CannotFollow
from agon.site.web.core import refused, signed_in
from agon.site.web.core.requests import SignedInRequest


@signed_in.act
def follow_bot(request: SignedInRequest, pk: int) -> HttpResponse:
    return _follow(request, get_bot(request.user, pk))


@signed_in.act
def follow_competition(request: SignedInRequest, slug: str) -> HttpResponse:
    return _follow(request, get_object_or_404(Competition, slug=slug))


def _follow(request: SignedInRequest, followed: Bot | Competition) -> HttpResponse:
    """`stop` in the form: no longer."""
    if "stop" in request.POST:
        following.unfollow(request.user, followed)
        messages.success(request, _("You no longer follow %(name)s.") % {"name": followed})
        return redirect("notices" if request.POST["stop"] == "notices" else followed)
    with refused.as_message(request, CannotFollow):
        following.follow(request.user, followed)
        messages.success(
            request, _("You follow %(name)s. Its news are among your notices.") % {"name": followed}
        )
    return redirect(followed)
