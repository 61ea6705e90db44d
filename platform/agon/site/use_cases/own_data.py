"""All that the site keeps of one person, as a zip for that person: lines of JSON by subject, and programs.

- TABLES names each model with rows of a person; LEFT_OUT the others, and why. A test compares both with the
  models, so that a new one has to be put somewhere.
- Fields are named one by one: no secret gets in because a model has got one.
- Of other people there is nothing but what pages show anyway: of a match the own seat, if it is over.
"""

import json
import re
import shutil
import zipfile
from collections.abc import Callable
from typing import IO, Any, NamedTuple

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Q, QuerySet

from agon.site.accounts.models import User
from agon.site.audit.models import Act
from agon.site.bots.models import Bot, Submission
from agon.site.challenges.models import Challenge
from agon.site.comparisons.models import Comparison
from agon.site.competitions.models import Announcement, CompetitionDraft, Organizer, Participant
from agon.site.courses.models import Staff, Student
from agon.site.events.models import Follow, NoticeChoice
from agon.site.matches.models import Match, Seat
from agon.site.seasons.models import Season
from agon.site.teams.models import Membership
from agon.site.tokens.models import Token
from agon.site.tournaments.match_access import visible
from agon.site.tournaments.models import Tournament
from agon.site.trials.models import Trial
from agon.site.webhooks.models import Hook

CHUNK = 2000  # rows read at a time
ABOUT = "username email first_name last_name about date_joined last_login"


class Table(NamedTuple):
    """Rows of a person: a file of the zip, and which fields of them."""

    name: str
    rows: Callable[[User], QuerySet[Any]]
    fields: str


def _of(model: type, field: str) -> Callable[[User], QuerySet[Any]]:
    return lambda user: model._default_manager.filter(**{field: user})  # type: ignore[attr-defined]


def _uploads(user: User) -> QuerySet[Submission]:
    return Submission.objects.filter(Q(bot__owner=user) | Q(author=user))


def _seats(user: User) -> QuerySet[Seat]:
    known = visible(user).filter(state__in=(Match.State.FINISHED, Match.State.VOID))
    return Seat.objects.filter(submission__bot__owner=user, match__in=known)


TABLES = (
    Table("account", lambda user: User.objects.filter(pk=user.pk), ABOUT),
    Table("email-addresses", _of(EmailAddress, "user"), "email verified primary"),
    Table("sessions", _of(UserSession, "user"), "ip user_agent created_at last_seen_at"),
    Table("second-factors", _of(Authenticator, "user"), "type created_at last_used_at"),
    Table("other-sites", _of(SocialAccount, "user"), "provider uid extra_data date_joined last_login"),
    Table("tokens", _of(Token, "owner"), "name ending scopes competition__slug created expires used"),
    Table("webhooks", _of(Hook, "owner"), "url competition__slug created off"),
    Table("bots", _of(Bot, "owner"), "id name competition__slug state created"),
    Table(
        "versions",
        _uploads,
        "id bot__id bot__name number state filename language digest build_log created activated",
    ),
    Table(
        "matches",
        _seats,
        "match__id match__competition__slug match__kind match__state match__finished_at "
        "submission__id number name rank score won",
    ),
    Table("trials", _of(Trial, "owner"), "competition__slug state created"),
    Table("comparisons", _of(Comparison, "owner"), "id competition__slug state new__id old__id created"),
    Table("challenges", _of(Challenge, "owner"), "id competition__slug state challenger__id created"),
    Table("teams", _of(Membership, "user"), "team__account__username role joined left"),
    Table("notices", lambda user: user.events.filter(number__isnull=False), "number kind data at"),
    Table("notice-choices", _of(NoticeChoice, "account"), "kind on_site"),
    Table("follows", _of(Follow, "account"), "bot__name competition__slug"),
    Table("acts", _of(Act, "actor"), "at verb competition__slug subject reason"),
    Table("organizes", _of(Organizer, "user"), "competition__slug"),
    Table("admitted-to", _of(Participant, "user"), "competition__slug"),
    Table("announcements", _of(Announcement, "author"), "competition__slug title text created"),
    Table("drafts", _of(CompetitionDraft, "owner"), "settings"),
    Table("tournaments", _of(Tournament, "organizer"), "id name competition__slug state created"),
    Table("seasons", _of(Season, "organizer"), "id title"),
    Table("courses", _of(Staff, "user"), "course__slug role since"),
    Table("rosters", _of(Student, "user"), "course__slug number name email group pseudonym joined removed"),
)
LEFT_OUT = {
    "admin.LogEntry": "the acts say the same",
    "api.Answer": "answers of operations, kept for a day so that one sent twice is carried out once",
    "bots.FormerName": "names of bots that are reserved for their owner for a while",
    "courses.Judging": "acts on milestones, which are among the acts",
    "events.FeedAddress": "a secret address",
    "events.Mailing": "up to which notice mails were sent",
    "events.Reader": "up to which notice the list was read",
    "teams.Team": "the account of a team is nobody's own",
    "tokens.DeviceLogin": "programs that ask for a token, kept for minutes",
    "tournaments.Rerun": "re-runs of matches, which are among the acts",
}


def write(user: User, file: IO[bytes]) -> None:
    """Write the zip. Programs that are erased, or lost, are left out."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for table in TABLES:
            rows = table.rows(user).order_by("pk").values(*table.fields.split())
            with archive.open(f"{table.name}.jsonl", "w") as lines:
                for row in rows.iterator(CHUNK):
                    lines.write(json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False).encode() + b"\n")
        for upload in _uploads(user).exclude(source="").defer("build_log").order_by("pk").iterator(CHUNK):
            name = re.sub(r"[^\w.-]", "_", upload.filename)[-100:]
            _add(archive, f"programs/{upload.bot_id}/{upload.number}-{name}", upload)


def _add(archive: zipfile.ZipFile, name: str, upload: Submission) -> None:
    try:
        with upload.source.open("rb") as source, archive.open(name, "w", force_zip64=True) as member:
            shutil.copyfileobj(source, member)
    except OSError:
        return
