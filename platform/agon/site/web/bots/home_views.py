"""Bots at home: making one, and who may challenge it. Their programs are run by `agon connect`."""

from typing import Any

from django import forms
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy as _

from agon.site.bots import access, at_home, entry_rules
from agon.site.bots.access import get_bot
from agon.site.bots.owners import owner_of
from agon.site.bots.refusal import Refused
from agon.site.bots.services import enter_at_home
from agon.site.competitions.models import Competition
from agon.site.web.core import refused, signed_in
from agon.site.web.core.requests import SignedInRequest
from agon.site.web.teams.choosing import TeamField


class HomeBotForm(forms.Form):
    name = forms.CharField(
        label=_("Bot name"),
        max_length=200,  # agon.site.bots.naming has the better error message
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    team = TeamField()
    is_open = forms.BooleanField(label=_("Everyone may challenge it"), required=False)

    def __init__(self, *args: Any, user: Any) -> None:
        super().__init__(*args)
        team: TeamField = self.fields["team"]  # type: ignore[assignment]
        self.in_teams = team.offer(user)


@signed_in.form
def make(request: SignedInRequest, slug: str) -> HttpResponse:
    """Make a bot that plays at home. Its page says how to connect it."""
    competition = get_object_or_404(Competition, slug=slug)
    form = HomeBotForm(request.POST if request.method == "POST" else None, user=request.user)
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        with refused.in_form(form, Refused):
            owner = owner_of(request.user, competition, data["name"], data["team"])
            bot = enter_at_home(owner, competition, data["name"], request.user)
            at_home.set_open(bot.pk, data["is_open"])
            return redirect(bot)
    not_admitted = entry_rules.why_not_this_user(competition, request.user)
    context = {"competition": competition, "form": form, "not_admitted": not_admitted}
    return render(request, "bots/make_at_home.html", context, status=422 if form.errors else 200)


@signed_in.act
def set_open(request: SignedInRequest, pk: int) -> HttpResponse:
    """Set whether everyone may challenge a bot at home. 404 for bots of others, and for uploaded ones."""
    bot = get_bot(request.user, pk)
    if not bot.home or not access.owns(request.user, bot):
        raise Http404
    at_home.set_open(bot.pk, request.POST.get("is_open") == "yes")
    return redirect(bot)
