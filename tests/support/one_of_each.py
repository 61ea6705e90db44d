"""A site with somebody for each role and one of everything, for tests of who may do what."""

from datetime import timedelta
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group, Permission
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.archives import chain, storing
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.bots import services as bots
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import State
from agon.site.challenges import services as challenges
from agon.site.comparisons.models import Comparison
from agon.site.competitions import announcing
from agon.site.competitions.announcing import Words
from agon.site.competitions.models import Competition, CompetitionDraft
from agon.site.core.db.leases import now
from agon.site.courses.models import Course, Role, Rule
from agon.site.events import feed
from agon.site.events.models import Event
from agon.site.fleet.models import OddWorker, PausedWorker
from agon.site.leaderboards.models import Leaderboard
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.seasons import services as seasons
from agon.site.seasons.services import Wanted
from agon.site.teams import services as teams
from agon.site.tokens.services import issue
from agon.site.tournaments import scheduling, services
from agon.site.trials.models import Trial
from agon.site.webhooks import services as hooks
from agon.site.webhooks.models import Delivery, Outcome
from agon.teaching.beats import Beats, to_json
from tests.support.factories import activate, played, submit

ROLES = (
    "anonymous",
    "newcomer",  # has an account and nothing else
    "owner",  # of the bot, the submission and the account that addresses name
    "rival",  # has another bot, in the same matches
    "organizer",  # of the tournaments that addresses name
    "colleague",  # organizes others
    "staff",  # may sign in to the admin, and nothing else
    "moderator",  # may change bots and view submissions
    "director",  # may change tournaments
    "administrator",  # superuser
)


def every_role(statuses: dict[str, str]) -> list[str]:
    """All roles, of which `statuses` says what each of them gets."""
    return list(statuses)


REFUSALS = ("302", "401", "403", "404", "405")  # 302 is also what follows an act


def boundary(statuses: dict[str, str]) -> list[str]:
    """The first role that gets a status, and the last one that is refused with it.

    A right given too widely reaches one of them.
    """
    roles = [*statuses]
    firsts = {status: role for role, status in reversed(statuses.items())}
    lasts = {status: role for role, status in statuses.items() if status in REFUSALS}
    return sorted({*firsts.values(), *lasts.values()}, key=roles.index)


def one_of_each(user: User, competition: Competition) -> dict[str, Any]:
    """Somebody for each role, and one of everything that addresses name."""
    people = {"owner": user} | {
        role: User.objects.create_user(role) for role in ROLES if role not in ("anonymous", "owner")
    }
    _give_rights(people)
    Leaderboard.objects.get_or_create(competition=competition)
    [own] = activate(user, competition, ["Ada's"])
    rivals = activate(people["rival"], competition, ["Rival", "Rival 2", "Rival 3"])
    own.source.save("", ContentFile(b"print()"))
    own.save()
    rejected = submit(user, competition, "Ada's", State.REJECTED)
    seats = [own, *rivals]
    ladder = _played(competition, seats, Match.Kind.LADDER)
    cups = [_cup(people["organizer"], competition, [seat.bot for seat in seats]) for _ in range(2)]
    services.start(cups[0])
    while (claimed := leases.claim("w")) is not None:
        assert claimed.tournament == cups[0]
        assert leases.finish(claimed, played(claimed))
        cup_match = claimed
    scheduling.settle(cups[0].pk)
    cups[0].refresh_from_db()
    storing.make(cups[0])
    Match.objects.filter(pk=ladder.pk).update(finished_at=timezone.now() - timedelta(days=2))
    day = chain.close_next()
    assert day is not None
    EmailAddress.objects.create(pk=1, user=people["newcomer"], email="new@example.org")
    comparison = Comparison.objects.create(
        competition=competition,
        owner=user,
        new=own,
        old=rivals[0],
        seed=1,
        seats=4,
        least="1/10",
        most_cycles=16,
    )
    challenge = challenges.start(user, own.bot, [rival.bot for rival in rivals], 4)
    home = bots.enter_at_home(user, competition, "Ada at home")
    with transaction.atomic():
        act = acts.record(Verb.START, people["organizer"], competition, cups[0])
    token = issue(user, "laptop", ["read"])[0]
    trial = Trial.objects.create(competition=competition, owner=user, person="ada", opponent=own)
    team = teams.create("Quokkas", user)
    with transaction.atomic():
        teams.add(team, people["rival"])
    _course(people, competition)
    season = seasons.create(people["organizer"], Wanted("Season", "mean", [], None, [cups[0]]))
    hook = hooks.register(user, "https://example.org/agon", None)
    competition.past.create(number=0, title="Old", source="https://a.example", columns=["bot"], rows=[["A"]])
    announcement = announcing.announce(competition, Words("News", "They are good."), people["organizer"])
    return {
        "announcement": announcement,
        "hook": hook,
        "team": team,
        "season": season,
        "delivery": Delivery.objects.create(hook=hook, event=_event_of(user), outcome=Outcome.STATUS),
        "act": act,
        "trial": trial.token,
        "access token": token,
        "comparison": comparison,
        "challenge": challenge,
        "home": home,
        "own seat": cup_match.seats.get(submission=own).number,
        "people": people,
        "own": own,
        "competition draft": CompetitionDraft.objects.create(
            owner=people["organizer"], settings=own.bot.competition.settings.to_json()
        ),
        "rejected": rejected,
        "ladder": ladder,
        "cups": cups,
        "cup match": cup_match,
        "day": day.date,
        "paused": PausedWorker.objects.create(worker="host:core1", since=now(), tried=now()),
        "odd": OddWorker.objects.create(worker="host:core0", competition=own.bot.competition, found=now()),
    }


def _course(people: dict[str, User], competition: Competition) -> None:
    """A course that the organizer teaches and the colleague assists; the newcomer has left its roster."""
    course = Course.objects.create(slug="samurai", title="Strategy 101")
    course.competitions.add(competition)
    course.staff.create(user=people["organizer"], role=Role.TEACHER)
    course.staff.create(user=people["colleague"], role=Role.ASSISTANT)
    policy = {"kind": "last_accepted"}
    course.milestones.create(pk=1, title="First bot", rule=Rule.ACCEPTED, policy=policy, points=10)
    for number, role in enumerate(("rival", "newcomer")):
        course.students.create(number=number, name=role, pseudonym=role, user=people[role])
    course.students.filter(name="newcomer").update(removed=timezone.now())
    deadline = timezone.now() - timedelta(days=1)
    terms = to_json(Beats(60, 10))
    beats = course.milestones.create(
        pk=2, title="Beat it", rule=Rule.BEATS, policy=policy, points=10, terms=terms, deadline=deadline
    )
    judging = beats.judgings.create(number=1, terms=terms)
    version = Submission.objects.filter(bot__owner=people["rival"]).latest("pk")
    student = course.students.get(name="rival")
    judging.assessments.create(pk=1, student=student, submission=version, state="cancelled")


def _event_of(user: User) -> Event:
    """The first event that concerns an account, which has a number."""
    feed.number_new()
    event = Event.objects.filter(account=user).order_by("number").first()
    assert event is not None
    return event


def _give_rights(people: dict[str, User]) -> None:
    for role in ("organizer", "colleague"):
        people[role].groups.add(Group.objects.get(name="Organizers"))
    for role in ("staff", "moderator", "director", "administrator"):
        people[role].is_staff = True
    for role, names in {
        "moderator": ("view_bot", "change_bot", "view_submission"),
        "director": ("view_tournament", "change_tournament"),
    }.items():
        people[role].user_permissions.set(Permission.objects.filter(codename__in=names))
    people["administrator"].is_superuser = True
    for person in people.values():
        person.save()


def _played(competition: Competition, seats, kind: str) -> Match:
    """The first of the seats wins from this seed."""
    queueing.queue(competition, kind, Match.Queue.INTERACTIVE, seats, seed=1)
    claimed = leases.claim("w")
    assert leases.finish(claimed, played(claimed))
    return claimed


def _cup(organizer: User, competition: Competition, bots: list[Bot]):
    return services.create(organizer, competition, "Cup", "rotations", 1, 1, bots)
