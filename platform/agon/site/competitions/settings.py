"""What an organizer sets of a competition, as one validated value.

The form, a draft, an exported file, a copy and a change of an open competition are all this value, so that
each of them has the same fields and the same checks. Times are aware and in UTC; `time_zone` is the zone in
which the organizer writes them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, NamedTuple, get_type_hints
from zoneinfo import available_timezones

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import AfterValidator, AwareDatetime, TypeAdapter

from agon.contest.formats import FORMATS
from agon.site.competitions import prizes
from agon.site.competitions.prizes import Prize
from agon.site.core.db.name_keys import misleads
from agon.site.core.texts.likely_times import why_unlikely
from games.core.broken import working_games
from sandbox.languages.registry import all_languages

LONGEST_TITLE = 120
LONGEST_SUMMARY = 400
LONGEST_TEXT = 20_000
LONGEST_ADDRESS = 60
MOST_BOTS = 100
MOST_DOMAINS = 20
MOST_ROUNDS = 100_000
TIMES = ("entry_opens", "entry_closes", "final_starts")
_ADDRESS = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_DOMAIN = re.compile(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")
_TEXT_CONTROLS = re.compile("[\0-\b\v\f\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


class Entry(models.TextChoices):
    """Who may enter."""

    ALL = "all", gettext_lazy("everyone with an account")
    LINK = "link", gettext_lazy("anyone with the link")
    ROSTER = "roster", gettext_lazy("the students of a course")
    DOMAIN = "domain", gettext_lazy("confirmed e-mail addresses of some domains")


class Teams(models.TextChoices):
    """Who may own bots; agon.site.bots.taking_part checks it."""

    ANY = "any", gettext_lazy("people and teams; one person in several of them")
    ONE = "one", gettext_lazy("people and teams; every person alone or in one team")
    NONE = "none", gettext_lazy("people alone")


class Sources(models.TextChoices):
    """Who sees programs; agon.site.competitions.visibility says when."""

    AUTHOR = "author", gettext_lazy("their authors alone")
    CLOSED = "closed", gettext_lazy("everyone, once the competition is closed")


class Records(models.TextChoices):
    """Who sees matches, with their replays and records."""

    ALL = "all", gettext_lazy("everyone")
    PLAYED = "played", gettext_lazy("those whose bots played in them")
    ORGANIZERS = "organizers", gettext_lazy("organizers, until the competition is closed; then everyone")


class Stderr(models.TextChoices):
    """Who sees what bots write to standard error, beside their authors."""

    AUTHOR = "author", gettext_lazy("their authors alone")
    CLOSED = "closed", gettext_lazy("everyone, once the competition is closed")


class BadSettings(ValueError):
    """Settings that cannot be used. problems: a sentence for each field that is wrong."""

    def __init__(self, problems: Mapping[str, str]) -> None:
        super().__init__("; ".join(f"{name}: {why}" for name, why in problems.items()))
        self.problems = dict(problems)


@dataclass(frozen=True)
class CompetitionSettings:
    """languages: slugs, empty for all that the site offers. bots_per_owner: None for the site's own limit.

    entry_opens, entry_closes: None for no such time. email_domains: in lower case, of Entry.DOMAIN alone.
    final_format: a name of agon.contest.formats, "" for no final that starts by itself. final_rounds: None
    for as many as the format proposes.
    """

    title: str
    slug: str
    game: str
    summary: str = ""
    text: str = ""
    entry: str = Entry.ALL
    email_domains: tuple[str, ...] = ()
    entry_opens: datetime | None = None
    entry_closes: datetime | None = None
    time_zone: str = "UTC"
    teams: str = Teams.ANY
    bots_per_owner: int | None = None
    languages: tuple[str, ...] = ()
    house_bots: bool = True
    ladder: bool = True
    prizes: tuple[Prize, ...] = ()
    sources: str = Sources.AUTHOR
    records: str = Records.ALL
    stderr: str = Stderr.AUTHOR
    final_format: str = ""
    final_rounds: int | None = None
    final_starts: datetime | None = None

    def to_json(self) -> dict[str, Any]:
        """The value as JSON, which `from_json` reads."""
        values = asdict(self)
        for name in TIMES:
            values[name] = values[name] and values[name].astimezone(UTC).isoformat()
        return values | {
            "email_domains": list(self.email_domains),
            "languages": list(self.languages),
            "prizes": [prize.to_json() for prize in self.prizes],
        }

    def changes_to(self, new: "CompetitionSettings") -> dict[str, tuple[Any, Any]]:
        """Old and new value, as JSON, of each field that differs."""
        old, now = self.to_json(), new.to_json()
        return {name: (old[name], now[name]) for name in old if old[name] != now[name]}


NAMES = tuple(field.name for field in fields(CompetitionSettings))
_CHOICES: dict[str, type[models.TextChoices]] = {
    "entry": Entry,
    "teams": Teams,
    "sources": Sources,
    "records": Records,
    "stderr": Stderr,
}


class Wrong(NamedTuple):
    field: str
    why: str


def from_json(values: object) -> CompetitionSettings:
    """The settings of a draft or of an exported file, unchecked beyond their types. Raises BadSettings."""
    if not isinstance(values, dict):
        raise BadSettings(
            {"settings": _("Expected an object, got %(kind)s.") % {"kind": type(values).__name__}}
        )
    problems = {str(name)[:60]: _("There is no such setting.") for name in values if name not in NAMES}
    taken: dict[str, Any] = {}
    for name in (name for name in NAMES if name in values):
        kind, expected = _FIELDS[name]
        try:
            taken[name] = kind.validate_json(json.dumps(values[name]), strict=True)
        except (TypeError, ValueError, OverflowError):
            given = {"kind": expected, "given": repr(values[name])[:60]}
            problems[name] = _("Expected %(kind)s, got %(given)s.") % given
    problems |= {name: _("It is missing.") for name in ("title", "slug", "game") if name not in values}
    if problems:
        raise BadSettings(problems)
    return CompetitionSettings(**taken)


def validated(settings: CompetitionSettings) -> CompetitionSettings:
    """The settings in their normal form. Raises BadSettings with a sentence for each field that is wrong."""
    normal = replace(
        settings,
        title=" ".join(settings.title.split()),
        summary=" ".join(settings.summary.split()),
        text=settings.text.replace("\r\n", "\n").strip(),
        email_domains=tuple(dict.fromkeys(name.lower().lstrip("@") for name in settings.email_domains)),
        languages=tuple(sorted(set(settings.languages))),
        prizes=prizes.normal(settings.prizes),
    )
    problems = {wrong.field: wrong.why for wrong in reversed(list(_wrong(normal)))}
    if problems:
        raise BadSettings(problems)
    return normal


def has_text_controls(text: str) -> bool:
    """Whether a text of several lines has characters that are invisible or turn text around."""
    return _TEXT_CONTROLS.search(text) is not None


def _wrong(given: CompetitionSettings) -> Iterable[Wrong]:
    yield from _wrong_words(given)
    if given.game not in {info.slug for info in working_games()}:
        yield Wrong("game", _("There is no game “%(game)s” here.") % {"game": given.game[:60]})
    for name, known in _CHOICES.items():
        if getattr(given, name) not in known.values:
            yield Wrong(name, _("Expected one of: %(known)s.") % {"known": ", ".join(known.values)})
    yield from _wrong_domains(given)
    unknown = set(given.languages) - {language.slug for language in all_languages()}
    if unknown:
        words = _("There is no language “%(language)s”.")
        yield Wrong("languages", words % {"language": min(unknown)[:60]})
    if given.time_zone not in _time_zones():
        zone = {"zone": given.time_zone[:60]}
        yield Wrong("time_zone", _("There is no time zone “%(zone)s”. One is Europe/Berlin.") % zone)
    for name in TIMES:
        if wrong := why_unlikely(getattr(given, name)):
            yield Wrong(name, wrong)
    if given.entry_opens and given.entry_closes and given.entry_opens >= given.entry_closes:
        yield Wrong("entry_closes", _("Entry closes before it opens."))
    yield from _wrong_final(given)
    if wrong := prizes.problem(given.prizes):
        yield Wrong("prizes", wrong)
    if given.bots_per_owner is not None and not 1 <= given.bots_per_owner <= MOST_BOTS:
        yield Wrong("bots_per_owner", _("Expected a number from 1 to %(most)d.") % {"most": MOST_BOTS})


@cache
def _time_zones() -> set[str]:
    """The names of all time zones, read once: reading takes longer than all other checks."""
    return available_timezones()


def _wrong_final(given: CompetitionSettings) -> Iterable[Wrong]:
    if not given.final_format:
        if given.final_starts is not None or given.final_rounds is not None:
            yield Wrong(
                "final_format", _("Choose the format of the final, or leave out its time and rounds.")
            )
        return
    chosen = FORMATS.get(given.final_format)
    if chosen is None:
        yield Wrong("final_format", _("Expected one of: %(known)s.") % {"known": ", ".join(FORMATS)})
        return
    if given.final_starts is None:
        yield Wrong("final_starts", _("Say when the final starts."))
    if given.final_rounds is not None and not chosen.takes_rounds:
        yield Wrong("final_rounds", _("This format has no rounds to choose. Leave them out."))
    elif given.final_rounds is not None and not 1 <= given.final_rounds <= MOST_ROUNDS:
        yield Wrong("final_rounds", _("Expected a number from 1 to %(most)d.") % {"most": MOST_ROUNDS})
    elif given.final_rounds is None and chosen.takes_rounds and chosen.proposed_rounds is None:
        yield Wrong("final_rounds", _("Say how many rounds are played."))


def _wrong_words(given: CompetitionSettings) -> Iterable[Wrong]:
    if not given.title or misleads(given.title):
        yield Wrong("title", _("A title needs visible letters, and no control characters."))
    if given.summary and misleads(given.summary):
        yield Wrong("summary", _("It contains characters that are invisible or turn text around."))
    if has_text_controls(given.text):
        yield Wrong("text", _("It contains characters that are invisible or turn text around."))
    if not _ADDRESS.fullmatch(given.slug):
        yield Wrong(
            "slug",
            _("An address has lowercase letters, digits, and hyphens between them, such as spring-cup."),
        )
    limits = {
        "title": LONGEST_TITLE,
        "summary": LONGEST_SUMMARY,
        "text": LONGEST_TEXT,
        "slug": LONGEST_ADDRESS,
    }
    for name, most in limits.items():
        length = len(getattr(given, name))
        if length > most:
            words = _("At most %(most)d characters; these are %(length)d.")
            yield Wrong(name, words % {"most": most, "length": length})


def _wrong_domains(given: CompetitionSettings) -> Iterable[Wrong]:
    bad = [name for name in given.email_domains if not _DOMAIN.fullmatch(name)]
    if bad:
        yield Wrong(
            "email_domains", _("“%(name)s” is no domain, such as example.org.") % {"name": bad[0][:60]}
        )
    if len(given.email_domains) > MOST_DOMAINS:
        yield Wrong("email_domains", _("At most %(most)d domains.") % {"most": MOST_DOMAINS})
    if given.entry == Entry.DOMAIN and not given.email_domains:
        yield Wrong("email_domains", _("Name at least one domain, such as example.org."))
    if given.entry != Entry.DOMAIN and given.email_domains:
        yield Wrong("email_domains", _("Domains are for entry by e-mail address alone."))


def _time(value: datetime | None) -> datetime | None:
    return value and value.astimezone(UTC)


# By the type of a field: what JSON becomes such a value, and what a sentence calls it.
_KINDS: dict[Any, tuple[TypeAdapter[Any], str]] = {
    str: (TypeAdapter(str), "text"),
    bool: (TypeAdapter(bool), "true or false"),
    int | None: (TypeAdapter(int | None), "a number or null"),
    datetime | None: (
        TypeAdapter(Annotated[AwareDatetime | None, AfterValidator(_time)]),
        "a time with its offset or null",
    ),
    tuple[str, ...]: (TypeAdapter(tuple[str, ...]), "a list of texts"),
    tuple[Prize, ...]: (
        TypeAdapter(tuple[Annotated[Any, AfterValidator(prizes.from_json)], ...]),
        'a list such as [{"places": "2-3", "text": "A book"}]',
    ),
}
_FIELDS = {name: _KINDS[kind] for name, kind in get_type_hints(CompetitionSettings).items()}
