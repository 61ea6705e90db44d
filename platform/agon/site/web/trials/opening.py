"""What the editor opens with: a version, a program that was tried, or a starter, and the bot that it is for.

A draft in the reader's browser takes the place of this text (static/js/editor.js). `source` says where the
text comes from, so that a draft which began with it is not taken for another text.
"""

from dataclasses import dataclass
from functools import partial

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest

from agon.site.accounts.models import User
from agon.site.bots import naming
from agon.site.bots.access import may_see_private, source_files
from agon.site.bots.models import Submission
from agon.site.competitions.models import Competition
from agon.site.trials import services, visitors
from agon.site.trials.models import Trial
from agon.site.trials.starting_code import Starter, starters_of
from agon.site.use_cases import trying_again
from agon.site.use_cases.trying_again import Again
from agon.site.web.core.paging import whole_number
from agon.site.web.trials.belonging import Own, own_bot, own_bots


@dataclass(frozen=True)
class Opened:
    """bot: that the text is to become a version of; None: a new one. trial: whose result is shown beside it.

    name: for a new bot. source: "version 7", "trial x", "starter x", or "" for what opens by itself.
    number: of the version that was asked for, or 0. again: the match that the program can be tried in again.
    """

    own: list[Own]
    opponent: str
    bot: Own | None
    trial: Trial | None = None
    name: str = ""
    text: str = ""
    language: str = ""
    source: str = ""
    number: int = 0
    is_starter: bool = False
    again: Again | None = None

    def fields(self) -> dict[str, str]:
        """The initial values of the form."""
        return {"text": self.text, "language": self.language, "name": self.name, "opponent": self.opponent}

    def several(self) -> dict[str, list[str]]:
        """The initial values of the form for several opponents."""
        return {"opponents": [self.opponent]}


def opened(request: HttpRequest, competition: Competition) -> Opened:
    """What the address asks for, else what the bot has, else a starter."""
    own = own_bots(request.user, competition)
    tried = _tried(request, competition)
    version = _version(request, competition)
    asked = None if tried or version else again(request.user, competition, request.GET.get("again"))
    bot = own_bot(own, _key(request, tried, version, asked))
    shown = tried or visitors.latest(request, competition, bot.bot if bot else None)
    if asked is None and shown is not None and shown.again_id is not None:
        asked = again(request.user, competition, f"{shown.again_id}-{shown.seat}")
    elif asked is not None and shown is not None and shown.again_id != asked.match.pk:
        shown = None
    name = naming.proposed(competition, request.user) if request.user.is_authenticated else ""
    opponent = shown.opponent_id if shown else _first_opponent(competition)
    opens = partial(Opened, own, str(opponent), bot, shown, name, again=asked)

    if tried is not None:
        return opens(tried.text, tried.language, f"trial {tried.token}")
    if version is not None:
        return opens(_text(version), version.language, f"version {version.pk}", version.number)
    all_starters = starters(competition)
    wanted = next((starter for starter in all_starters if starter.name == request.GET.get("starter")), None)
    if wanted is not None:
        return opens(wanted.text, wanted.language, f"starter {wanted.name}", is_starter=True)
    newest = _newest(bot)
    if newest is not None:
        return opens(_text(newest), newest.language)
    if all_starters:
        return opens(all_starters[0].text, all_starters[0].language, is_starter=True)
    return opens()


def starters(competition: Competition) -> list[Starter]:
    """The starters that can be opened."""
    return starters_of(competition.info) if competition.is_open else []


def visible(request: HttpRequest, token: str) -> Trial | None:
    """The trial with this token, if the visitor may see it.

    A text that is not printable cannot be a token, and some databases reject it.
    """
    with_token = Trial.objects.filter(token=token if token.isprintable() else "")
    trial = with_token.select_related("competition").first()
    return trial if trial is not None and visitors.may_see(request, trial) else None


def _key(
    request: HttpRequest, tried: Trial | None, version: Submission | None, asked: Again | None
) -> object:
    """Names the bot that the text is for: see `own_bot`."""
    if tried is not None:
        return tried.bot_id
    if version is not None:
        return version.bot_id
    return asked.seat.submission.bot_id if asked is not None else request.GET.get("bot")


def again(user: User | AnonymousUser, competition: Competition, key: str | None) -> Again | None:
    """The match and seat that the key names; None if the user may not play that again."""
    again = trying_again.find(user, key or "")
    return again if again is not None and again.match.competition_id == competition.pk else None


def _first_opponent(competition: Competition) -> int | str:
    submission = None if competition.suspended else services.first_opponent(competition)
    return submission.pk if submission is not None else ""


def _tried(request: HttpRequest, competition: Competition) -> Trial | None:
    """The trial named by `?trial=`; None if the visitor may not see one."""
    trial = visible(request, request.GET.get("trial", ""))
    return trial if trial is not None and trial.competition_id == competition.pk else None


def _version(request: HttpRequest, competition: Competition) -> Submission | None:
    """The version named by `?version=`; None if the visitor may not see it, or it was not written here."""
    number = whole_number(request.GET.get("version"), 0)
    written_here = Submission.objects.filter(pasted=True, bot__competition=competition).exclude(source="")
    submission = written_here.select_related("bot").filter(pk=number).first()
    return submission if submission is not None and may_see_private(request.user, submission) else None


def _newest(bot: Own | None) -> Submission | None:
    """The newest version that was written here; None if there is none."""
    if bot is None:
        return None
    return bot.bot.submissions.filter(pasted=True).exclude(source="").order_by("-number").first()


def _text(version: Submission) -> str:
    ((_file, data),) = source_files(version)
    return data.decode()
