"""One's teams, and the acts of members and captains on a team. The page of a team is that of its account."""

from collections.abc import Callable
from functools import partial

from allauth.account.adapter import get_adapter
from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.site.teams import queries, services
from agon.site.teams.models import Role, Team
from agon.site.teams.services import Refused
from agon.site.use_cases import teams as use_cases
from agon.site.web.core import refused, signed_in
from agon.site.web.core.requests import SignedInRequest


class TeamForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name of the team"),
        max_length=150,
        help_text=gettext_lazy(
            "Letters, digits, and @ . + - _ only. No other person or team can have the same name."
        ),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def clean_name(self) -> str:
        name: str = get_adapter().clean_username(self.cleaned_data["name"])
        return name


class CloseForm(forms.Form):
    bots_too = forms.BooleanField(
        label=gettext_lazy(
            "Also delete the bots; the programs of all their versions are erased, those that a tournament may"
            " have to play again two weeks after its end"
        ),
        required=False,
    )


@signed_in.form
def teams(request: SignedInRequest) -> HttpResponse:
    """The reader's teams, and the form for a new one."""
    form = TeamForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        with refused.in_form(form, Refused):
            team = services.create(form.cleaned_data["name"], request.user)
            messages.success(request, _("The team %(team)s has been created.") % {"team": team})
            return redirect(team)
    roles = queries.roles(request.user)
    own = [(team, roles[team.account_id], queries.members(team)) for team in queries.teams_of(request.user)]
    context = {
        "form": form,
        "teams": own,
        "may_create": len(own) < settings.AGON_TEAMS_PER_USER,
        "most": settings.AGON_TEAM_MEMBERS,
        "most_teams": settings.AGON_TEAMS_PER_USER,
    }
    return render(request, "teams/teams.html", context, status=422 if form.errors else 200)


@signed_in.act
def invite(request: SignedInRequest, pk: int) -> HttpResponse:
    """Make the link, or another one in its place."""
    team = _team(request, pk, Role.CAPTAIN)
    return _act(
        request, team, partial(services.renew_invitation, team, request.user), _("The link is ready.")
    )


@signed_in.act
def revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    team = _team(request, pk, Role.CAPTAIN)
    done = _("Nobody can join by the link any more.")
    return _act(request, team, partial(services.revoke_invitation, team, request.user), done)


@signed_in.act
def role(request: SignedInRequest, pk: int, member: int) -> HttpResponse:
    """Make a member captain or a captain member; `role` says which."""
    team = _team(request, pk, Role.CAPTAIN)
    if request.POST.get("role") not in Role.values:
        raise Http404
    wanted = Role(request.POST["role"])
    done = _("The role has been changed.")
    return _act(request, team, partial(services.set_role, team, request.user, member, wanted), done)


@signed_in.form
def remove(request: SignedInRequest, pk: int, member: int) -> HttpResponse:
    """Ask for confirmation, then remove another member."""
    team = _team(request, pk, Role.CAPTAIN)
    membership = queries.active().select_related("user").filter(team=team, user=member).first()
    if membership is None or member == request.user.pk:
        raise Http404
    name = membership.user.username
    if request.method == "POST":
        done = _("%(name)s is no longer a member.") % {"name": name}
        return _act(request, team, partial(use_cases.remove, team, request.user, member), done)
    return _confirm(
        request,
        team,
        _("Remove %(name)s from %(team)s") % {"name": name, "team": team},
        _("Remove member"),
        [
            _("%(name)s sees and does nothing of the team any more, from this moment on.") % {"name": name},
            _("The link by which people join stays as it is. If %(name)s has it, make another one.")
            % {"name": name},
            _("Bots, versions, and the history of the team stay."),
        ],
    )


@signed_in.form
def leave(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then leave."""
    team = _team(request, pk)
    if request.method == "POST":
        done = _("You have left %(team)s.") % {"team": team}
        return _act(request, team, partial(use_cases.leave, team, request.user), done, reverse("teams"))
    points = [
        _("You see and do nothing of the team any more."),
        _("Its bots stay with the team, also those that you have uploaded."),
    ]
    if len(queries.members(team)) == 1:
        points = [_("You are the last member: the team is closed. This cannot be undone."), *_of_closing()]
    return _confirm(request, team, _("Leave %(team)s") % {"team": team}, _("Leave the team"), points)


@signed_in.form
def close(request: SignedInRequest, pk: int) -> HttpResponse:
    """Ask for confirmation, then close the team."""
    team = _team(request, pk, Role.CAPTAIN)
    form = CloseForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        act = partial(use_cases.close, team, request.user, bots_too=form.cleaned_data["bots_too"])
        done = _("The team %(team)s has been closed.") % {"team": team}
        return _act(request, team, act, done, reverse("teams"))
    points = [_("Nobody is in it any more, you included. This cannot be undone."), *_of_closing()]
    title = _("Close the team %(team)s") % {"team": team}
    return _confirm(request, team, title, _("Close the team"), points, form)


def _of_closing() -> list[str]:
    return [
        _("Its bots are withdrawn. In running tournaments they keep playing with the versions that entered."),
        _("Its name is erased; pages show “closed account” instead."),
        _("Matches, their records, and archives stay, with the names of the bots."),
    ]


def _team(request: SignedInRequest, pk: int, role: Role | None = None) -> Team:
    """A team in which the reader has this role, or any. Others learn nothing of it: 404."""
    mine = queries.active().select_related("team__account").filter(team=pk, user=request.user).first()
    if mine is None or (role is not None and mine.role != role):
        raise Http404
    return mine.team


def _act(
    request: SignedInRequest, team: Team, act: Callable[[], object], done: str, then: str | None = None
) -> HttpResponse:
    with refused.as_message(request, Refused):
        act()
        messages.success(request, done)
        return redirect(then or team)
    queries.forget(request.user)  # they may have been removed just now
    return redirect(team if queries.acts_for(request.user, team.account_id) else "teams")


def _confirm(
    request: SignedInRequest,
    team: Team,
    title: str,
    button: str,
    points: list[str],
    form: forms.Form | None = None,
) -> HttpResponse:
    context = {"team": team, "title": title, "button": button, "points": points, "form": form}
    return render(request, "teams/confirm.html", context)
