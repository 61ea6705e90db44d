"""Whether a competition takes a program now, as its organizers have set it: who, when, and in which language.

What holds for every competition of the site, such as its limits, is in agon.site.bots.services.
"""

from zoneinfo import ZoneInfo

from allauth.account.models import EmailAddress
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.competitions.settings import Entry
from agon.site.core.db.leases import now
from sandbox.languages import registry

BY_ADMISSION = (Entry.LINK, Entry.ROSTER)


def why_not_now(competition: Competition) -> str | None:
    """Why no version is accepted at this time, or None. What counts is the time of the upload.

    It is the database's, as for milestones: no web server's clock lets an upload be late.
    """
    opens, closes = competition.entry_opens, competition.entry_closes
    if opens is not None and now() < opens:
        return _("Entry opens at %(time)s.") % {"time": _at(competition, opens=True)}
    if closes is not None and now() >= closes:
        return _("Entry closed at %(time)s.") % {"time": _at(competition, opens=False)}
    return None


def why_not_this_user(competition: Competition, user: User | None) -> str | None:
    """Why this account, or a visitor without one, may not enter; None if they may."""
    if competition.entry in BY_ADMISSION and not competition.participants.filter(user=user).exists():
        if competition.entry == Entry.ROSTER:
            return _("This competition is for the students of a course. Follow your personal link first.")
        return _("This competition is for those who have its link. Ask the organizers for it.")
    if competition.entry == Entry.DOMAIN and not _has_address(user, competition.email_domains):
        return _("Confirm an e-mail address of %(domains)s in your account first.") % {
            "domains": ", ".join(competition.email_domains)
        }
    return None


def why_not_in(competition: Competition, language: str) -> str | None:
    """Why a program in this language is not accepted here, or None."""
    if not competition.languages or language in competition.languages:
        return None
    titles = [spoken.title for spoken in registry.all_languages() if spoken.slug in competition.languages]
    return _("This competition takes programs in %(languages)s alone.") % {"languages": ", ".join(titles)}


def _has_address(user: User | None, domains: list[str]) -> bool:
    confirmed = EmailAddress.objects.filter(user=user, verified=True).values_list("email", flat=True)
    return any(address.rsplit("@", 1)[-1].lower() in domains for address in confirmed)


def _at(competition: Competition, *, opens: bool) -> str:
    """A time in the zone of the organizers, with the zone's name."""
    moment = competition.entry_opens if opens else competition.entry_closes
    local = timezone.localtime(moment, ZoneInfo(competition.time_zone))
    return f"{date_format(local, 'DATETIME_FORMAT')} ({competition.time_zone})"
