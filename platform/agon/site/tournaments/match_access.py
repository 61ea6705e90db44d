"""Access rules: who may see a match, and who may see what its bots wrote to standard error.

Matches are public unless the results of their tournament are not released, or they are the qualification of a
version that has failed, which is its owner's and staff's. Standard error is visible only to the bot's author
and to organizers. The settings of a competition may hide matches, and show standard error once it is closed
(agon.site.competitions.visibility).
"""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from agon.site.accounts.models import User
from agon.site.bots.access import SEES_PRIVATE, may_see_private
from agon.site.bots.states import FAILED
from agon.site.competitions.access import RUNS_ALL, may_run
from agon.site.competitions.models import Competition
from agon.site.competitions.settings import Records
from agon.site.competitions.visibility import Audience, Subject
from agon.site.matches.models import Match, Seat
from agon.site.teams.queries import acting_accounts
from agon.site.tournaments.models import Rerun, RerunMatch, Tournament
from agon.site.tournaments.rights import may_see_logs, organized_by
from agon.site.tournaments.running import unreleased_to


def visible(user: User | AnonymousUser) -> QuerySet[Match]:
    """The matches that `user` may see.

    Excludes matches of tournaments whose results are not released to them, re-run matches of which it is not
    decided whether they count, and matches of comparisons and failed qualifications that they may not see.
    What was discarded is shown: whether that was right is for everyone to judge.
    """
    unreleased = Tournament.objects.filter(unreleased_to(user))
    released = Match.objects.exclude(tournament__in=unreleased)
    if not user.has_perm(RUNS_ALL):
        released = released.exclude(hidden_from(user))
    if not user.has_perm(SEES_PRIVATE):
        own_comparisons = Q(comparison__new__bot__owner__in=acting_accounts(user))
        released = released.filter(Q(comparison=None) | own_comparisons)
        own = Q(qualifies__bot__owner__in=acting_accounts(user))
        released = released.filter(Q(qualifies=None) | ~Q(qualifies__state__in=FAILED) | own)
    if user.has_perm("tournaments.change_tournament"):
        return released
    pairs = RerunMatch.objects.exclude(rerun__tournament__in=unreleased)
    own_tournaments = Tournament.objects.filter(organized_by(user))
    shown = (
        Q(pk__in=pairs.filter(rerun__state=Rerun.State.APPLIED).values("old"))
        | Q(pk__in=pairs.filter(rerun__state=Rerun.State.DISCARDED).values("new"))
        | Q(pk__in=RerunMatch.objects.filter(rerun__tournament__in=own_tournaments).values("new"))
    )
    return released.exclude(Q(kind=Match.Kind.RERUN) & ~shown)


def hidden_from(user: User | AnonymousUser) -> Q:
    """Selects the matches that the settings of their competitions hide from `user`, who is no organizer of
    the site. Owners see the qualifications of their own bots, which say what was wrong.
    """
    others = Competition.objects.exclude(records=Records.ALL)
    if user.is_authenticated:
        others = others.exclude(organizers__user=user.pk)
    restricted = list(others)  # few or none: without any, lists of matches cost no look at seats
    own = acting_accounts(user)
    checked = Q(qualifies__bot__owner__in=own)
    seated = Q(pk__in=Seat.objects.filter(submission__bot__owner__in=own).values("match"))
    hidden = Q(pk__in=[])
    for audience, seen in ((Audience.PARTIES, checked | seated), (Audience.ORGANIZERS, checked)):
        where = [
            competition.pk for competition in restricted if competition.shown_to(Subject.RECORDS) is audience
        ]
        if where:
            hidden |= Q(competition__in=where) & ~seen if own else Q(competition__in=where)
    return hidden


def may_see_records(user: User | AnonymousUser, competition: Competition) -> bool:
    """Whether `user` may see all matches of a competition, as far as its settings go: an archive has them."""
    return competition.shown_to(Subject.RECORDS) is Audience.EVERYONE or may_run(user, competition)


def may_see_stderr(user: User | AnonymousUser, seat: Seat) -> bool:
    """Whether `user` may see what the bot in this seat wrote to standard error.

    They may if it is their own, or they may run the match's tournament and do not take part in it, or the
    competition shows it to everyone by now. Whether they may see the match is another question.
    """
    tournament = seat.match.tournament
    organizes = tournament is not None and may_see_logs(user, tournament)
    if organizes or may_see_private(user, seat.submission):
        return True
    return seat.match.competition.shown_to(Subject.STDERR) is Audience.EVERYONE
