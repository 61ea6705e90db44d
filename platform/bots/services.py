"""From a file or a text in a form to a submission that waits for its build.

Everything that may be wrong with the upload is looked at first. Then its author's row is locked, which makes
the limits hold, and the bot's row; the upload is stored and the submission is written. Nothing is left of an
upload that was refused. Two uploads to one bot at once get numbers one after the other.
"""

import re
import unicodedata
from datetime import timedelta
from pathlib import PurePath

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from agon.names import folded, has_invisible, looks
from bots import quota, reasons
from bots.models import Bot, Submission
from bots.sources import read
from bots.states import PENDING
from competitions.models import Competition
from matches.hints import hint
from sandbox.recipes import recipe
from sandbox.source import Source
from sandbox.uploads import BadUpload

NAME = re.compile(r"\w[\w .+'-]{0,38}[\w.+'-]|\w")


class Refused(Exception):
    """An upload that is not taken. `field`: "name", "file", "text", "language", or "" for none of them."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def receive_house(owner: User, competition: Competition, name: str, filename: str, data: bytes) -> Submission:
    """Take a file of the house's own, in whatever state the competition is. Raises Refused."""
    source = _checked_source(filename, data, None, "file")
    bot = Bot.objects.filter(competition=competition, folded=folded(name)).first()
    if bot is None:
        bot = Bot.objects.create(competition=competition, name=name, owner=owner, house=True)
    elif not bot.house:
        raise Refused("name", _("The name %(name)s is taken in this competition.") % {"name": bot.name})
    return _submit(bot, source, data, None)


def receive(owner: User, competition: Competition, name: str, filename: str, data: bytes) -> Submission:
    """Take an uploaded file as the next version of `owner`'s bot `name`. Raises Refused."""
    filename = PurePath(filename.replace("\\", "/")).name[:255]
    return _receive(owner, competition, name, filename, data, None, "file")


def receive_text(owner: User, competition: Competition, name: str, text: str, language: str) -> Submission:
    """Take a pasted program in `language` (a name of sandbox.languages) likewise. Raises Refused."""
    return _receive(owner, competition, name, "", text.encode(), language, "text")


def _receive(
    owner: User,
    competition: Competition,
    name: str,
    filename: str,
    data: bytes,
    language: str | None,
    field: str,
) -> Submission:
    if not competition.is_open:
        raise Refused("", _("The competition %(title)s is closed.") % {"title": competition.title})
    name = _checked_name(name)
    source = _checked_source(filename, data, language, field)
    with transaction.atomic():
        # One upload of a person after the other: of many at once each would see none of the others.
        User.objects.select_for_update(no_key=True).get(pk=owner.pk)
        _check_limits(owner)
        bot = _bot(owner, competition, name)
        full = quota.of_account(bot, len(data)) or quota.of_others(bot, len(data))
        if full:
            raise Refused("", reasons.translated(full))
        return _submit(bot, source, data, language)


def _submit(bot: Bot, source: Source, data: bytes, language: str | None) -> Submission:
    stored = None
    try:
        with transaction.atomic():
            bot = Bot.objects.select_for_update().get(pk=bot.pk)
            last = bot.submissions.aggregate(last=Max("number"))["last"] or 0
            submission = Submission(
                bot=bot,
                number=last + 1,
                digest=source.digest,
                filename=source.filename,
                pasted=language is not None,
                language=language or "",
                source_bytes=len(data),
            )
            submission.source.save("", ContentFile(data), save=False)
            stored = submission.source
            submission.save()
            hint("build")
    except BaseException:
        if stored is not None:
            stored.delete(save=False)
        raise
    return submission


def _checked_name(name: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not NAME.fullmatch(name):
        raise Refused(
            "name",
            _("A bot's name has 1 to 40 letters, digits, blanks or . _ + ' -, a letter or digit first."),
        )
    return name


def _checked_source(filename: str, data: bytes, language: str | None, field: str) -> Source:
    try:
        source = read(filename, data, language)
        recipe(source)
    except BadUpload as error:
        raise Refused(field, reasons.translated(error.reason)) from error
    return source


def _check_limits(owner: User) -> None:
    theirs = Submission.objects.filter(bot__owner=owner, bot__house=False)
    if theirs.filter(state__in=PENDING).count() >= settings.AGON_PENDING_PER_USER:
        raise Refused(
            "",
            _("%(count)d of your submissions are still being built or tried: wait for one of them.")
            % {"count": settings.AGON_PENDING_PER_USER},
        )
    hour_ago = timezone.now() - timedelta(hours=1)
    if theirs.filter(created__gt=hour_ago).count() >= settings.AGON_SUBMISSIONS_PER_HOUR:
        raise Refused(
            "",
            _("You have made %(count)d submissions within an hour: wait before you make another.")
            % {"count": settings.AGON_SUBMISSIONS_PER_HOUR},
        )


def _bot(owner: User, competition: Competition, name: str) -> Bot:
    """The owner's bot of that name, made if there is none. Raises Refused if it is somebody else's."""
    named = Bot.objects.filter(competition=competition, folded=folded(name))
    bot = named.first()
    if bot is None:
        _check_number_of_bots(owner, competition)
        _check_look(owner, competition, name)
        try:
            with transaction.atomic():
                return Bot.objects.create(owner=owner, competition=competition, name=name)
        except IntegrityError:  # another upload was first
            bot = named.get()
    if bot.owner_id != owner.pk:
        raise Refused(
            "name", _("The name %(name)s is taken in this competition: choose another.") % {"name": bot.name}
        )
    return bot


def _check_look(owner: User, competition: Competition, name: str) -> None:
    """Raises Refused for a new name that is hard to tell from somebody else's, or from the house's."""
    if has_invisible(name):
        raise Refused("name", _("A name cannot contain invisible characters."))
    look = looks(name)
    others = Bot.objects.filter(competition=competition).exclude(owner=owner)
    alike = others.filter(Q(look_folded=look.folded) | Q(look_written=look.written)).first()
    if alike is not None:
        raise Refused(
            "name",
            _("This name looks like %(name)s, which is taken in this competition: choose another.")
            % {"name": alike.name},
        )


def _check_number_of_bots(owner: User, competition: Competition) -> None:
    if owner.bots.filter(competition=competition, house=False).count() >= settings.AGON_BOTS_PER_USER:
        raise Refused(
            "name",
            _("You have %(count)d bots in this competition, the most there may be: upload to one of them.")
            % {"count": settings.AGON_BOTS_PER_USER},
        )
