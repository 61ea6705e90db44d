"""Turns insights into texts and table rows, each with a link to the list of its matches."""

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agon.site.bots.models import Bot, Submission
from agon.site.core.texts.fault_names import fault_name
from agon.site.matches.models import Match
from agon.site.matches.states import State
from agon.site.use_cases.insight import Insight
from agon.site.web.matches.forms import COUNTED, SLOW_RESULT
from agon.statistics.weaknesses.evidence import PartBeside
from agon.statistics.weaknesses.findings import Finding
from agon.statistics.weaknesses.groups import SLOW, Kind
from agon.statistics.weaknesses.tables import FaultLine, Tables
from agon.statistics.weaknesses.watch import Why

REASONS = {
    Why.UPSET: gettext_lazy("worse than expected"),
    Why.FAULT: gettext_lazy("with a fault"),
    Why.CLOSE: gettext_lazy("lost to equals"),
}


@dataclass(frozen=True)
class Weakness:
    """A finding. title: which matches it is about. href: the list of these matches."""

    title: str
    href: str
    finding: Finding

    @property
    def points(self) -> int:
        return round(self.finding.points)


@dataclass(frozen=True)
class Cell:
    """The results of one version in a row. href: the list of these matches."""

    line: PartBeside
    href: str


@dataclass(frozen=True)
class PartRow:
    """A row of a section. cells: by version, None if it has no such match. note: an addition to the title."""

    title: str
    cells: list[Cell | None]
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A table with a row for each part, and a cell for each version."""

    name: str
    title: str
    head: str
    rows: list[PartRow]


@dataclass(frozen=True)
class Version:
    """A version of a bot and what was found of it."""

    submission: Submission
    insight: Insight

    def matches(self, **filters: object) -> str:
        """The address of the list of its matches with these filters, at least one."""
        return f"{self._all_matches}&{urlencode(filters)}"

    @cached_property
    def _all_matches(self) -> str:
        bot = self.submission.bot
        fixed = {"kind": COUNTED, "state": State.FINISHED.value, "bot": bot.pk}
        query = urlencode(fixed | {"version": self.submission.number})
        return f"{reverse('matches', args=[bot.competition.slug])}?{query}"


def weaknesses(version: Version, names: dict[int, str]) -> list[Weakness]:
    """names: of all bots that it met."""
    return [
        Weakness(_title(finding, names), version.matches(**_filter(finding.kind, finding.value)), finding)
        for finding in version.insight.findings
    ]


def matches_to_watch(version: Version) -> list[tuple[Match, str]]:
    """Matches of the version, each with why it is worth watching."""
    chosen = {to_watch.match: to_watch.why for to_watch in version.insight.watch}
    matches = Match.objects.prefetch_related("seats__faults").in_bulk(list(chosen))
    return [(matches[pk], str(REASONS[why])) for pk, why in chosen.items() if pk in matches]


def names_of(versions: list[Version]) -> dict[int, str]:
    """The names of all bots that these met."""
    met = {bot for version in versions for bot in version.insight.levels}
    return dict(Bot.objects.filter(pk__in=met).values_list("pk", "name"))


def sections(versions: list[Version], names: dict[int, str]) -> list[Section]:
    """Results by opponent, seat and length, and faults; those without a row are left out.

    versions: none, if all versions of the bot were rejected.
    """
    if not versions:
        return []
    sections = [
        Section("opponents", _("By opponent"), _("Opponent"), _opponents(versions, names)),
        Section("seats", _("By seat"), _("Seat"), _seats(versions)),
        Section("lengths", _("By length of the match"), _("Steps"), _lengths(versions)),
        Section("faults", _("With faults"), _("Fault"), _faults(versions)),
    ]
    return [section for section in sections if section.rows]


def _title(finding: Finding, names: dict[int, str]) -> str:
    value = finding.value
    if finding.kind == Kind.OPPONENT:
        return _("Against %(bot)s") % {"bot": names.get(int(value), "?")}
    if finding.kind == Kind.SEAT:
        return _("In seat %(number)s") % {"number": int(value) + 1}
    if finding.kind == Kind.SHORT:
        return ngettext(
            "In matches of %(n)s step at most", "In matches of %(n)s steps at most", int(value)
        ) % {"n": value}
    if finding.kind == Kind.LONG:
        return ngettext(
            "In matches of %(n)s step or more", "In matches of %(n)s steps or more", int(value)
        ) % {"n": value}
    if finding.kind == Kind.FAULT:
        return _("In matches with the fault: %(fault)s") % {"fault": fault_name(str(value))}
    return _slow()


def _slow() -> str:
    return _("When an answer took %(percent)s %% of the time limit or more") % {"percent": round(100 * SLOW)}


def _filter(kind: Kind, value: int | str) -> dict[str, object]:
    """The filter of the list of matches for a group."""
    if kind == Kind.SEAT:
        return {"seat": int(value) + 1}
    names = {Kind.OPPONENT: "against", Kind.SHORT: "most", Kind.LONG: "least"}
    if kind in names:
        return {names[kind]: value}
    return {"result": f"fault-{value}" if kind == Kind.FAULT else SLOW_RESULT}


def _opponents(versions: list[Version], names: dict[int, str]) -> list[PartRow]:
    """A row for each opponent, the strongest first. A note marks those rated below the bot."""
    met = [tables.opponents if tables else {} for tables in _tables(versions)]
    levels: dict[int, float] = {}
    for version, lines in reversed(list(zip(versions, met, strict=True))):
        levels |= {bot: version.insight.levels[bot] for bot in lines}
    own = versions[0].insight.rating
    return [
        PartRow(
            names.get(bot, "?"),
            _cells(versions, [lines.get(bot) for lines in met], against=bot),
            _("rated below it") if levels[bot] < own else "",
        )
        for bot in sorted(levels, key=lambda bot: -levels[bot])
    ]


def _seats(versions: list[Version]) -> list[PartRow]:
    seats = [tables.seats if tables else {} for tables in _tables(versions)]
    numbers = sorted({number for lines in seats for number in lines})
    return [
        PartRow(str(number + 1), _cells(versions, [lines.get(number) for lines in seats], seat=number + 1))
        for number in numbers
    ]


def _lengths(versions: list[Version]) -> list[PartRow]:
    lengths = [
        {(least, most): line for least, most, line in tables.lengths} if tables else {}
        for tables in _tables(versions)
    ]
    rows = []
    for part in sorted(dict.fromkeys(part for lines in lengths for part in lines), key=lambda part: part[0]):
        least, most = part
        steps = {"least": least} | ({} if most is None else {"most": most})
        cells = _cells(versions, [lines.get(part) for lines in lengths], **steps)
        rows.append(PartRow(_range(least, most), cells))
    return rows


def _range(least: int, most: int | None) -> str:
    if most is None:
        return _("%(n)s or more") % {"n": least}
    return f"{least}–{most}" if least < most else str(least)


def _faults(versions: list[Version]) -> list[PartRow]:
    by_kind = [
        {fault.kind: fault for fault in tables.faults} if tables else {} for tables in _tables(versions)
    ]
    rows = []
    for kind in dict.fromkeys(kind for fault_lines in by_kind for kind in fault_lines):
        first = next(fault_lines[kind] for fault_lines in by_kind if kind in fault_lines)
        lines = [fault_lines[kind].line if kind in fault_lines else None for fault_lines in by_kind]
        cells = _cells(versions, lines, result=f"fault-{kind}")
        rows.append(PartRow(fault_name(kind), cells, _steps(first) if first.last else ""))
    slow = _cells(versions, [tables and tables.slow for tables in _tables(versions)], result=SLOW_RESULT)
    return [*rows, PartRow(_slow(), slow)] if any(slow) else rows


def _steps(fault: FaultLine) -> str:
    """In which steps half of these faults are, in words. Steps are numbered from 1."""
    if fault.first == fault.last:
        return _("half of them in step %(step)s") % {"step": fault.first + 1}
    return _("half of them in steps %(first)s to %(last)s") % {
        "first": fault.first + 1,
        "last": fault.last + 1,
    }


def _tables(versions: list[Version]) -> list[Tables | None]:
    return [version.insight.tables for version in versions]


def _cells(versions: list[Version], lines: list[PartBeside | None], **filters: object) -> list[Cell | None]:
    """lines: one for each version."""
    both = zip(versions, lines, strict=True)
    return [Cell(line, version.matches(**filters)) if line else None for version, line in both]
