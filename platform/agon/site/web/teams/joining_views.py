"""The page of an invitation: who invites to which team, and the button that joins it."""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from agon.site.accounts.models import User
from agon.site.teams import queries, services
from agon.site.teams.models import Team
from agon.site.teams.services import NoInvitation, Refused
from agon.site.use_cases import teams


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, secret: str) -> HttpResponse:
    """Everybody who has the link sees the team. Joining asks those to sign in or up who have not."""
    try:
        team = services.invited_to(secret)
        if request.method == "POST":
            return _join(request, secret)
    except NoInvitation:
        return render(request, "teams/no_invitation.html", status=404)
    return _page(request, team)


def _join(request: HttpRequest, secret: str) -> HttpResponse:
    if not isinstance(request.user, User):
        return redirect(f"{reverse('account_login')}?{urlencode({'next': request.path})}")
    try:
        team = teams.join(secret, request.user)
    except Refused as why:
        return _page(request, services.invited_to(secret), str(why))
    messages.success(request, _("You are a member of %(team)s now.") % {"team": team})
    return redirect(team)


def _page(request: HttpRequest, team: Team, refused: str = "") -> HttpResponse:
    user = request.user if isinstance(request.user, User) else None
    context = {
        "team": team,
        "members": queries.members(team),
        "most": settings.AGON_TEAM_MEMBERS,
        "is_member": user is not None and queries.acts_for(user, team.account_id),
        "refused": refused or _why_not(team, user),
        "back": urlencode({"next": request.path}),
    }
    return render(request, "teams/join.html", context, status=422 if refused else 200)


def _why_not(team: Team, user: User | None) -> str:
    """Why the reader cannot join it now, said before they try."""
    try:
        if user is None:
            services.check_free_seat(team)
        else:
            teams.check_may_join(team, user)
    except Refused as why:
        return str(why)
    return ""
