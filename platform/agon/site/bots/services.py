"""From a file or text in a form to a submission that waits for its build.

All checks of the upload come first. Then the accounts' rows are locked, which makes the limits hold, and the
bot's row; the upload is stored and the submission written. A refused upload leaves nothing behind. Two
simultaneous uploads to one bot get consecutive numbers.
"""

import hashlib
from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import NamedTuple

from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agon.contest.reasons import from_sandbox
from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.verbs import Verb
from agon.site.bots import entry_rules, languages, limits, naming, quota
from agon.site.bots.bot_of_name import NewBot, bot_of_name, check_place
from agon.site.bots.models import Bot, HomeLine, Submission
from agon.site.bots.naming import BadName
from agon.site.bots.refusal import Closed, NoRoom, Refused
from agon.site.bots.sources import data_of, read
from agon.site.bots.states import FAILED, BotState, State
from agon.site.competitions.models import Competition
from agon.site.core.db.leases import now
from agon.site.core.db.name_keys import name_key
from agon.site.core.queue.notify import notify_on_commit
from agon.site.core.texts.reasons import describe
from agon.site.teams.locking import lock_owner
from agon.site.teams.queries import acting_accounts, team_of
from games.core.manifest import Channel
from sandbox.building.recipes import FORMS, recipe
from sandbox.languages import registry
from sandbox.source import Source
from sandbox.uploads.accept import BadUpload

NOT_ENTERED = {
    BotState.WITHDRAWN: gettext_lazy(
        "%(bot)s is withdrawn. Let it play again before you upload a new version."
    ),
    BotState.STOPPED: gettext_lazy("%(bot)s is stopped. New versions are not accepted."),
    BotState.DELETED: gettext_lazy("%(bot)s was deleted."),
}


class Upload(NamedTuple):
    """A program as it is sent. language: a name of sandbox.languages for a pasted text, None for a file."""

    filename: str
    data: bytes
    language: str | None = None

    @property
    def field(self) -> str:
        return "file" if self.language is None else "text"


class _Sent(NamedTuple):
    """An upload that has passed the checks for which nothing is locked. wanted: as of `receive_text`."""

    owner: User
    author: User
    competition: Competition
    name: str
    upload: Upload
    source: Source
    wanted: Bot | NewBot | None


class Checked(NamedTuple):
    """What an upload would become. number: of the version. is_new_bot: whether no bot has the name yet."""

    digest: str
    language: str
    files: tuple[str, ...]
    number: int
    is_new_bot: bool


def receive_house(owner: User, competition: Competition, name: str, filename: str, data: bytes) -> Submission:
    """Receive a file of the house, whatever state the competition is in. Raises Refused."""
    upload = Upload(filename, data)
    source = _checked_source(upload)
    bot = naming.find_by_name(competition, name)
    if bot is None:
        bot = Bot.objects.create(competition=competition, name=name, owner=owner, house=True)
    elif not bot.house:
        raise Refused("name", _("The name %(name)s is taken in this competition.") % {"name": bot.name})
    return _submit(bot, None, source, upload)


def receive(
    owner: User, competition: Competition, name: str, filename: str, data: bytes, author: User | None = None
) -> Submission:
    """Receive an uploaded file as the next version of `owner`'s bot `name`. Raises Refused.

    author: the member who uploads it for a team; None: the owner.
    """
    return _receive(_sent(owner, author, competition, name, Upload(filename, data)))[0]


def receive_text(
    owner: User,
    competition: Competition,
    name: str,
    text: str,
    language: str,
    author: User | None = None,
    wanted: Bot | NewBot | None = None,
) -> Submission:
    """Receive a pasted program in `language` (a name of sandbox.languages) likewise. Raises Refused.

    wanted: the bot that it is for, whatever it is called now; NEW: a new bot, and never a version of one;
    None: the bot that has the name, else a new one.
    """
    upload = Upload("", text.encode(), language)
    return _receive(_sent(owner, author, competition, name, upload, wanted))[0]


def receive_once(
    owner: User, competition: Competition, name: str, upload: Upload, author: User | None = None
) -> tuple[Submission, bool]:
    """Receive a program, unless the bot's newest version is this program: the version, and whether it is new.

    So a program that is sent again, because the answer was lost, is not entered again. One that was rejected
    is. Raises Refused.
    """
    sent = _sent(owner, author, competition, name, upload)
    return _receive(sent, owner.bots.filter(competition=competition, name_key=name_key(sent.name)))


def check(
    owner: User, competition: Competition, name: str, upload: Upload, author: User | None = None
) -> Checked:
    """What an upload would become, after all checks of one; nothing is kept. Raises Refused."""
    sent = _sent(owner, author, competition, name, upload)
    with transaction.atomic():
        bot = _admit(sent, _lock_owner(owner, sent.author))
        _check_entered(bot)
        number = _last_number(bot) + 1
        transaction.set_rollback(True)
    paths = tuple(file.path for file in sent.source.files)
    return Checked(sent.source.digest, recipe(sent.source).language, paths, number, number == 1)


def receive_again(author: User, version: Submission) -> tuple[Submission, bool]:
    """Receive the program of an earlier version as the next version of its bot, unless its newest version is
    this program: the version, and whether it is new. Raises Refused.

    It is built and tried like every other, and then has the rating that it had
    (agon.site.leaderboards.ratings.enter).
    """
    bot = version.bot
    _check_entered(bot)
    if not version.source:
        raise Refused("", _("The program of version %(number)d was erased.") % {"number": version.number})
    try:
        data = data_of(version)
    except FileNotFoundError:
        lost = _("The program of version %(number)d is lost. Upload it again.")
        raise Refused("", lost % {"number": version.number}) from None
    upload = Upload(version.filename, data, version.language if version.pasted else None)
    sent = _sent(bot.owner, author, bot.competition, bot.name, upload, bot)
    return _receive(sent, Bot.objects.filter(pk=bot.pk))


def enter_at_home(owner: User, competition: Competition, name: str, author: User | None = None) -> Bot:
    """The owner's bot of this name that plays at home (agon.site.bots.at_home); made if there is none.

    author: the member who does so for a team; None: the owner. Raises Refused.
    """
    if not competition.is_open:
        raise Closed("", _("The competition %(title)s is closed.") % {"title": competition.title})
    if competition.info.channel == Channel.PROGRAM:
        raise Refused("", _("This game runs a program anew for each move, so no bot of it can play at home."))
    name, author = _checked_name(name), author or owner
    with transaction.atomic():
        people = _lock_owner(owner, author)
        if refused := entry_rules.why_not_this_user(competition, author):
            raise Refused("", refused)
        bot = bot_of_name(owner, people, competition, name, None)
        if bot.home:
            return bot
        if bot.submissions.exists():
            words = _("%(bot)s has uploaded programs. Choose another name for a bot at home.")
            raise Refused("name", words % {"bot": bot.name})
        limits.check(owner, author)
        bot.home = True
        bot.save(update_fields=["home"])
        HomeLine.objects.create(bot=bot)
        Submission.objects.create(bot=bot, author=author, number=1, state=State.HOME)
        return bot


def _sent(
    owner: User,
    author: User | None,
    competition: Competition,
    name: str,
    upload: Upload,
    wanted: Bot | NewBot | None = None,
) -> _Sent:
    """Whatever takes long is done before anything is locked. Raises Refused."""
    if not competition.is_open:
        raise Closed("", _("The competition %(title)s is closed.") % {"title": competition.title})
    shut = entry_rules.why_not_now(competition)
    if shut:
        raise Closed("", shut)
    upload = upload._replace(filename=_base_name(upload.filename))
    name, source = _checked_name(name), _checked_source(upload)
    _check_offered(source, upload.field)
    refused = entry_rules.why_not_in(competition, recipe(source).language)
    if refused:
        raise Refused(upload.field, refused)
    return _Sent(owner, author or owner, competition, name, upload, source, wanted)


def _receive(sent: _Sent, bots: QuerySet[Bot] | None = None) -> tuple[Submission, bool]:
    """The version, and whether it is new. bots: those whose newest version may be this program already."""
    with transaction.atomic():
        people = _lock_owner(sent.owner, sent.author)
        newest = None if bots is None else Submission.objects.filter(bot__in=bots).order_by("-pk").first()
        if newest is not None and newest.digest == sent.source.digest and _is_in_play(newest):
            return newest, False
        return _submit(_admit(sent, people), sent.author, sent.source, sent.upload), True


def _lock_owner(owner: User, author: User) -> list[User]:
    """One upload of a person and their teams at a time: simultaneous ones would not see each other.

    Returns the people who act for the owner. The author must be one of them still.
    """
    people = lock_owner(owner)
    now = next((user for user in people if user.pk == author.pk), None)
    if now is None:
        raise Refused("", _("You are no longer a member of %(team)s.") % {"team": owner.shown_name})
    if now.closed is not None:
        raise Refused("", _("This account is closed."))
    return people


def _admit(sent: _Sent, people: Sequence[User]) -> Bot:
    """The bot that may have this version; it is created if there is none. The owner is locked."""
    owner, author, competition, wanted = sent.owner, sent.author, sent.competition, sent.wanted
    refused = entry_rules.why_not_this_user(competition, author)
    if refused:
        raise Refused("", refused)
    limits.check(owner, author)
    _check_not_stopped({owner.pk, *acting_accounts(author)}, competition, sent.source.digest)
    if isinstance(wanted, Bot):
        bot = wanted
        check_place(owner, competition, bot)
    else:
        bot = bot_of_name(owner, people, competition, sent.name, wanted)
    if full := quota.of_account(bot, len(sent.upload.data)):
        raise Refused("", describe(full))
    if full := quota.of_others(bot, len(sent.upload.data)):
        raise NoRoom("", describe(full))
    return bot


def _submit(bot: Bot, author: User | None, source: Source, upload: Upload) -> Submission:
    stored = None
    try:
        with transaction.atomic():
            bot = Bot.objects.select_for_update(no_key=True).get(pk=bot.pk)
            _check_entered(bot)
            submission = Submission(
                bot=bot,
                author=author,
                number=_last_number(bot) + 1,
                digest=source.digest,
                filename=source.filename,
                pasted=upload.language is not None,
                language=upload.language or "",
                source_bytes=len(upload.data),
            )
            sha256 = hashlib.sha256(upload.data).hexdigest()
            submission.source.save(sha256, ContentFile(upload.data), save=False)
            stored = submission.source
            submission.created = now()  # storing may have taken long, and judging waits for a minute only
            submission.save()
            if author is not None:
                _record(submission, author)
            notify_on_commit("build")
    except BaseException:
        if stored is not None:
            stored.delete(save=False)
        raise
    return submission


def _record(version: Submission, author: User) -> None:
    """In the history of a team, who uploaded what; people know what they have uploaded themselves."""
    bot = version.bot
    team = team_of(bot.owner_id) if author.pk != bot.owner_id else None
    if team is not None:
        details = {"bot": bot.pk, "version": version.number}
        acts.record(Verb.UPLOAD, author, bot.competition, subject=bot.name, details=details, team=team)


def _is_in_play(version: Submission) -> bool:
    return version.state not in FAILED and version.bot.state == BotState.ENTERED


def _last_number(bot: Bot) -> int:
    last: int | None = bot.submissions.aggregate(last=Max("number"))["last"]
    return last or 0


def _base_name(filename: str) -> str:
    """The name of a file without the folders that browsers and programs may put before it."""
    return PurePath(filename.replace("\\", "/")).name[:255]


def _checked_name(name: str) -> str:
    try:
        return naming.normalize_name(name)
    except BadName as error:
        raise Refused("name", str(error)) from None


def _check_entered(bot: Bot) -> None:
    """Refuse a new version of a bot that left play: it would not bring the bot back."""
    if bot.home:
        words = _("%(bot)s plays at home: it takes no programs. Choose another name for this one.")
        raise Refused("name", words % {"bot": bot.name})
    if bot.state != BotState.ENTERED:
        raise Refused("name", NOT_ENTERED[BotState(bot.state)] % {"bot": bot.name})


def _check_not_stopped(owners: Collection[int], competition: Competition, digest: str) -> None:
    """Refuse the program of a stopped bot under another name, or for another team."""
    stopped = Bot.objects.filter(owner__in=owners, competition=competition, state=BotState.STOPPED)
    same = stopped.filter(submissions__digest=digest).first()
    if same is not None:
        raise Refused("", _("This program belongs to %(bot)s, which is stopped.") % {"bot": same.name})


def _checked_source(upload: Upload) -> Source:
    try:
        source = read(upload.filename, upload.data, upload.language)
        recipe(source)
    except BadUpload as error:
        raise Refused(upload.field, describe(from_sandbox(error.reason))) from error
    return source


def _check_offered(source: Source, field: str) -> None:
    """Refuse a language that this site cannot build; a recipe of the author's own may use any program."""
    language, offered = recipe(source).language, languages.offered()
    if language in FORMS or language in {known.slug for known in offered}:
        return
    raise Refused(
        field,
        _("%(language)s is not offered here. Choose one of these languages: %(offered)s.")
        % {
            "language": registry.get(language).title,
            "offered": ", ".join(known.title for known in offered),
        },
    )
