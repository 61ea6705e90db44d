"""The page about signing in: the second factor, other ways in, and where the account is signed in."""

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from agon.site.accounts import second_factor
from agon.site.web.core import signed_in
from agon.site.web.core.requests import SignedInRequest


@signed_in.page
def security(request: SignedInRequest) -> HttpResponse:
    """Sessions that have ended since are left out."""
    own = request.session.session_key
    sessions = UserSession.objects.purge_and_list(request.user)
    sessions.sort(key=lambda session: (session.session_key != own, -session.created_at.timestamp()))
    context = {
        "second_factor": second_factor.is_on(request.user),
        "sessions": [(session, session.session_key == own) for session in sessions],
        "has_provider": bool(settings.SOCIALACCOUNT_PROVIDERS),
    }
    return render(request, "accounts/security.html", context)


@signed_in.act
def end(request: SignedInRequest, pk: int) -> HttpResponse:
    """Sign out in one place. 404 for another account's."""
    session = UserSession.objects.filter(pk=pk, user=request.user).first()
    if session is None:
        raise Http404
    session.end()
    messages.success(request, _("Signed out there."))
    return redirect("security")


@signed_in.act
def end_others(request: SignedInRequest) -> HttpResponse:
    """Sign out everywhere but here."""
    for session in UserSession.objects.filter(user=request.user):
        if session.session_key != request.session.session_key:
            session.end()
    messages.success(request, _("Signed out everywhere else."))
    return redirect("security")
