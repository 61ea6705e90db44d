"""Mails notices to owners who have chosen that.

Theory of operation.

Processes:
- A worker's task sends what is due (`send_due`), never a request. A mail has all notices since the one
  before, and an account gets at most one in EVERY.

Failure:
- An account's row is put off before its mail is sent, and says what was sent afterwards. So a process that
  dies in between, or a server that fails, leads to another attempt, later each time, and two processes do not
  send the same. A server that cannot be reached puts off all mails that are due, so that it is asked once.
- What could not be sent for GIVEN_UP is not mailed any more. It is still on the page of notices.

Trust:
- Only an address that its owner has confirmed gets mail. Each mail has a link that ends them, which works
  without signing in (RFC 8058), and is signed, so that it cannot be guessed for another account.
"""

import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core import mail, signing
from django.db.models import Exists, F, OuterRef, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import ngettext

from agon.site.accounts.models import User
from agon.site.core.isolation import for_each_isolated
from agon.site.events import choices, feed, words
from agon.site.events.models import Event, Mailing
from agon.site.events.words import Described

EVERY = timedelta(minutes=5)
GIVEN_UP = timedelta(days=2)
UNREACHABLE = timedelta(minutes=1)  # until a server that was not reached is asked again
LONGEST_PAUSE = timedelta(hours=6)
AT_ONCE = 20  # mails of one task
MOST_NOTICES = 50  # notices in one mail
SALT = "agon.notices.unsubscribe"

log = logging.getLogger(__name__)


def is_due() -> bool:
    """Whether a mail is to be sent."""
    return settings.MAIL and _due().exists()


def send_due() -> None:
    """Send the mails that are due, at most AT_ONCE."""
    if not settings.MAIL:
        return
    due = list(_due().select_related("account").order_by("due")[:AT_ONCE])
    if not due:
        return
    connection = mail.get_connection()
    try:
        connection.open()
    except (OSError, SMTPException) as error:
        log.warning("the mail server cannot be reached: %s", error)
        later = timezone.now() + UNREACHABLE
        Mailing.objects.filter(due__lt=later).update(due=later)
        return
    try:
        for_each_isolated(due, partial(_send, connection))
    finally:
        connection.close()


def has_address(user: User) -> bool:
    """Whether the account has an address that its owner has confirmed."""
    return bool(EmailAddress.objects.filter(user=user, verified=True).exists())


def account_of(token: str) -> int | None:
    """The account whose mails a link ends; None if the link is none of ours."""
    try:
        return int(signing.Signer(salt=SALT).unsign(token))
    except (signing.BadSignature, ValueError):
        return None


def _due() -> QuerySet[Mailing]:
    feed.number_new()
    confirmed = EmailAddress.objects.filter(user=OuterRef("account"), verified=True)
    new = _wanted().filter(account=OuterRef("account"), number__gt=OuterRef("sent"))
    mailings = Mailing.objects.filter(due__lte=timezone.now(), account__is_active=True)
    return mailings.filter(Exists(new), Exists(confirmed))


def _wanted() -> QuerySet[Event]:
    recent = Event.objects.filter(at__gt=timezone.now() - GIVEN_UP)
    return recent.filter(Exists(choices.wanted_by_mail()))


def _send(connection: Any, mailing: Mailing) -> None:
    try:
        _send_notices(connection, mailing)
    except Exception:
        connection.close()  # the server may have hung up: the next mail begins another connection
        raise


def _send_notices(connection: Any, mailing: Mailing) -> None:
    if not _put_off(mailing):  # another process sends it
        return
    mine = _wanted().filter(account=mailing.account_id, number__gt=mailing.sent)
    events = list(mine.order_by("number")[:MOST_NOTICES])
    if not events:
        return
    with translation.override(mailing.language):
        described = words.describe(events)
        if described:
            _message(connection, mailing, described).send()
    next_one = timezone.now() + EVERY
    Mailing.objects.filter(pk=mailing.pk).update(sent=events[-1].number or 0, failures=0, due=next_one)


def _put_off(mailing: Mailing) -> bool:
    pause = min(UNREACHABLE * 2 ** min(mailing.failures, 10), LONGEST_PAUSE)
    unchanged = Mailing.objects.filter(pk=mailing.pk, due=mailing.due, sent=mailing.sent)
    return bool(unchanged.update(failures=F("failures") + 1, due=timezone.now() + pause))


def _message(connection: Any, mailing: Mailing, described: Sequence[Described]) -> mail.EmailMessage:
    address = EmailAddress.objects.filter(user=mailing.account, verified=True).order_by("-primary").first()
    assert address is not None  # it is due
    token = signing.Signer(salt=SALT).sign(str(mailing.account_id))
    end = settings.SITE_URL + reverse("unsubscribe", args=[token])
    context = {
        "described": described,
        "site": settings.SITE_URL,
        "end": end,
        "name": mailing.account.username,
    }
    last = described[-1].event.number
    return mail.EmailMessage(
        settings.ACCOUNT_EMAIL_SUBJECT_PREFIX + _subject(described),
        render_to_string("events/mail.txt", context),
        to=[address.email],
        connection=connection,
        headers={
            "List-Unsubscribe": f"<{end}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
            "Message-ID": f"<notices-{mailing.account_id}-{last}@{urlsplit(settings.SITE_URL).hostname}>",
        },
    )


def _subject(described: Sequence[Described]) -> str:
    if len(described) == 1:
        return " ".join(described[0].text.split())
    return ngettext("%(count)d notice", "%(count)d notices", len(described)) % {"count": len(described)}
