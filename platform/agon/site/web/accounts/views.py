"""A user's page: their bots and how these rank; and signing up."""

from collections.abc import Sequence
from typing import NamedTuple

from allauth.account.forms import SignupForm
from allauth.account.views import SignupView
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agon.site.accounts.models import User
from agon.site.bots.access import SEES_PRIVATE
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import BotState
from agon.site.core.db.name_keys import name_key
from agon.site.leaderboards import table
from agon.site.matches.models import Match, Seat
from agon.site.teams.models import Team
from agon.site.teams.queries import acts_for, leads, members, team_of, teams_of
from agon.site.tournaments.match_access import visible
from agon.site.use_cases.closing_accounts import may_close
from agon.site.web.core.paging import Page
from agon.site.web.matches.forms import COUNTED_KINDS
from agon.site.web.teams.history import acts_of, describe

BOTS = 50  # on a page
LATEST_MATCHES = 12  # matches
ACTS = 100  # of a team's history


class Entry(NamedTuple):
    """A bot, its newest version if the reader may see it, and its leaderboard row if it has one."""

    bot: Bot
    newest: Submission | None
    row: table.Row | None


@require_safe
def user(request: HttpRequest, name: str) -> HttpResponse:
    """Owners see everything they have uploaded; others see what competes."""
    user = get_object_or_404(User, username=name, closed=None)
    own = acts_for(request.user, user.pk)
    private = own or request.user.has_perm(SEES_PRIVATE)
    bots = _bots(user, private)
    page = Page(bots, BOTS, request.GET.get("page"))
    context = {
        "person": user,
        "own": own,
        "is_reader": request.user == user,
        "bots": bots.count(),
        "page": page,
        "entries": _entries(page.items, private),
        "may_close": may_close(request.user, user),
        "matches": _latest(visible(request.user), user),
        **_of_team(request, team_of(user.pk), list(teams_of(user)), private),
    }
    return render(request, "accounts/user.html", context)


def _of_team(
    request: HttpRequest, team: Team | None, teams: Sequence[Team], private: bool
) -> dict[str, object]:
    """The members, which everyone sees; the link for captains; the history for members and staff.

    Of a person, the teams that they are in.
    """
    if team is None:
        return {"teams": teams}
    is_captain = leads(request.user, team.account_id)
    context: dict[str, object] = {
        "team": team,
        "members": members(team),
        "is_member": acts_for(request.user, team.account_id),
        "is_captain": is_captain,
    }
    if is_captain and team.invitation and team.invited_until and team.invited_until > timezone.now():
        context["invitation"] = settings.SITE_URL + reverse("team_join", args=[team.invitation])
    if private:
        context["history"] = describe(list(acts_of(team)[:ACTS]))
    return context


def _bots(owner: User, private: bool) -> QuerySet[Bot]:
    versions = Submission.objects.defer("build_log").order_by("-number")
    bots = owner.bots.select_related("competition").prefetch_related(Prefetch("submissions", versions))
    bots = bots.exclude(state=BotState.DELETED) if private else bots.filter(active__isnull=False)
    return bots.order_by("competition__title", "name", "pk")


def _entries(bots: Sequence[Bot], private: bool) -> list[Entry]:
    rows = {row.bot_id: row for row in table.rows_of(bots)}
    return [Entry(bot, _newest(bot) if private else None, rows.get(bot.pk)) for bot in bots]


def _latest(matches: QuerySet[Match], owner: User) -> list[Match]:
    """The last ones that counted and are over, of all their bots."""
    theirs = Seat.objects.filter(submission__bot__owner=owner).values("match")
    over = matches.filter(pk__in=theirs, state=Match.State.FINISHED, kind__in=COUNTED_KINDS)
    shown = over.select_related("competition").prefetch_related("seats__faults")
    return list(shown.order_by("-pk")[:LATEST_MATCHES])


def _newest(bot: Bot) -> Submission | None:
    return next(iter(bot.submissions.all()), None)


class OneAccountAName:
    """For allauth's pages that make accounts: of simultaneous ones of one name, one is made."""

    def form_valid(self, form: SignupForm) -> HttpResponseBase:
        try:
            with transaction.atomic():
                valid: HttpResponseBase = super().form_valid(form)  # type: ignore[misc]
        except IntegrityError:
            if not User.objects.filter(name_key=name_key(form.cleaned_data["username"])).exists():
                raise
            form.add_error("username", _("A user with that username already exists."))
            invalid: HttpResponseBase = self.form_invalid(form)  # type: ignore[attr-defined]
            return invalid
        return valid


class SignUp(OneAccountAName, SignupView):  # type: ignore[misc]
    """allauth's page."""

    def closed(self) -> HttpResponseBase:
        """Ask for the site's code, if there is one; else say that there are no new accounts."""
        if settings.AGON_REGISTRATION == "code":
            return redirect(f"{reverse('registration_code')}?{self.request.GET.urlencode()}")
        answer: HttpResponseBase = super().closed()
        return answer
