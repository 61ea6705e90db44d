"""A class roster: read from what a spreadsheet wrote, and compared with the stored one.

A line that cannot be read costs no other line, and no student: whose number it has is not missing.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from unicodedata import category

from agon.contest.text import escape_controls, unescape_formula

MOST_LINES = 10_000
LONGEST = {"number": 64, "name": 120, "email": 254, "group": 64}  # characters
MOST_MINUTES = 366 * 24 * 60
SEPARATORS = ",;\t"
COLUMNS = ("number", "name", "email", "group", "extension")  # their order in a file without headings
_FIRST, _LAST = "first name", "last name"
# The headings by which a column is known; those of the exports of Moodle and Canvas are among them.
_HEADINGS = {
    "number": "id|number|no|student id|id number|student number|sis user id|sis id|matriculation number"
    "|matrikelnummer|nummer|学籍番号|学生番号|番号|номер|номер студента|ид",
    "name": "name|full name|student|student name|display name|vollständiger name|氏名|名前|имя|фио",
    _FIRST: "first name|given name|firstname|vorname|名",
    _LAST: "last name|surname|family name|lastname|nachname|姓|фамилия",
    "email": "email|e mail|email address|mail|e mail address|メール|メールアドレス|почта|эл почта"
    "|электронная почта",
    "group": "group|groups|section|class|gruppe|グループ|クラス|группа",
    "extension": "extension|extra time|verlängerung|延長|продление",
}
_FIELD_OF = {heading: name for name, known in _HEADINGS.items() for heading in known.split("|")}
_TIME = re.compile(r"(\d{1,6})\s*(d|days?|h|hours?|m|min|minutes?)\b\.?,?\s*", re.IGNORECASE)
_SAID = re.compile(r'"?sep=([,;\t])"?[,;\t]*(?:\n|$)', re.IGNORECASE)  # the first line of some spreadsheets
_MINUTES = {"d": 24 * 60, "h": 60, "m": 1}
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")


class NoRoster(ValueError):
    """A text that is no roster. code and values: what is wrong with it, or with its file."""

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code)
        self.code = code
        self.values = values


@dataclass(frozen=True)
class Person:
    """number: the id by which the school knows a student. extension: minutes beyond each deadline."""

    number: str
    name: str
    email: str = ""
    group: str = ""
    extension: int = 0


@dataclass(frozen=True)
class Unreadable:
    """A line that is not used.

    number: of the student it is about, "" if unknown. code: no_number, repeated (values: `before`, a line),
    too_long, characters, email, extension, or too_many_cells; `field` and `got` say where and what.
    """

    line: int
    code: str
    number: str = ""
    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Roster:
    people: tuple[Person, ...]
    unreadable: tuple[Unreadable, ...] = ()


@dataclass(frozen=True)
class Change:
    old: Person
    new: Person

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields that differ."""
        names = (person_field.name for person_field in fields(Person))
        return tuple(name for name in names if getattr(self.old, name) != getattr(self.new, name))


@dataclass(frozen=True)
class Difference:
    """What a roster changes. missing: stored students of whom the new one has no line, readable or not."""

    new: tuple[Person, ...]
    changed: tuple[Change, ...]
    missing: tuple[Person, ...]
    same: int

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.missing)


class _Bad(Exception):
    def __init__(self, code: str, **values: object) -> None:
        self.code, self.values = code, values


def parse(text: str) -> Roster:
    """The people in a table with commas, semicolons or tabs between cells, with or without headings.

    Without headings, columns are in the order of COLUMNS; one column alone is number and name at once.
    Raises NoRoster.
    """
    rows = _rows(text)
    if not rows:
        return Roster(())
    headings = _columns(rows[0][1])
    columns = headings or COLUMNS[: max(len(cells) for _line, cells in rows)]
    body = rows[1:] if headings else rows
    people: list[Person] = []
    unreadable: list[Unreadable] = []
    seen: dict[str, int] = {}
    for line, cells in body:
        values = dict(zip(columns, cells, strict=False))
        number = values["number"] = visible(values.get("number", ""))
        values["email"] = visible(values.get("email", ""))
        try:
            if number in seen:
                raise _Bad("repeated", before=seen[number])
            people.append(_person(columns, cells, values))
            seen[number] = line
        except _Bad as error:
            unreadable.append(Unreadable(line, error.code, number, error.values))
    return Roster(tuple(people), tuple(unreadable))


def difference(stored: Iterable[Person], roster: Roster) -> Difference:
    """What has to be changed in `stored` so that it is `roster`."""
    before = {person.number: person for person in stored}
    new, changed, same = [], [], 0
    for person in roster.people:
        old = before.pop(person.number, None)
        if old is None:
            new.append(person)
        elif old == person:
            same += 1
        else:
            changed.append(Change(old, person))
    for unread in roster.unreadable:
        before.pop(unread.number, None)
    return Difference(tuple(new), tuple(changed), tuple(before.values()), same)


def visible(text: str) -> str:
    """`text` without characters that no one sees, and that remain in what is copied from pages and documents.

    Two students' numbers never differ in these alone. Names need some of them to be written.
    """
    return "".join(char for char in text if category(char) != "Cf").strip()


def parse_extension(text: str) -> int:
    """Minutes: 36h, 2d, "1 day 12 hours", 90m; 0 for an empty text. Raises ValueError."""
    rest = text.strip()
    if rest in {"", "0"}:
        return 0
    minutes = 0
    while rest:
        matched = _TIME.match(rest)
        if matched is None:
            raise ValueError(text)
        minutes += int(matched[1]) * _MINUTES[matched[2][0].lower()]
        rest = rest[matched.end() :]
    if minutes > MOST_MINUTES:
        raise ValueError(text)
    return minutes


def format_extension(minutes: int) -> str:
    """The shortest text that `parse_extension` reads as `minutes`; "" for none."""
    days, rest = divmod(minutes, _MINUTES["d"])
    hours, rest = divmod(rest, _MINUTES["h"])
    return " ".join(f"{count}{unit}" for count, unit in ((days, "d"), (hours, "h"), (rest, "m")) if count)


def _rows(text: str) -> list[tuple[int, list[str]]]:
    """The rows that are not blank, each with the line where it begins. Cells have no space at their ends."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    said = _SAID.match(text)
    if said is not None:
        text = "\n" + text[said.end() :]  # lines keep their numbers
    if text.count("\n") > MOST_LINES:
        raise NoRoster("too_long", most=MOST_LINES, got=text.count("\n"))
    separator = said[1] if said else _separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, list[str]]] = []
    begins = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error:
            raise NoRoster("quotes", line=begins) from None
        if cells is None:
            return rows
        cells = [unescape_formula(cell.strip()) for cell in cells]
        if any(cells):
            rows.append((begins, cells))
        begins = reader.line_num + 1


def _separator(text: str) -> str:
    """The separator that the first line has most of, outside quotes."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    bare = re.sub('"[^"]*"', "", first)
    return max(SEPARATORS, key=bare.count)


def _columns(cells: Sequence[str]) -> tuple[str, ...] | None:
    """What each column holds, by its heading ("" for one that is not used); None if these are no headings.

    Raises NoRoster for headings without one for the number.
    """
    columns = tuple(_FIELD_OF.get(_heading(cell), "") for cell in cells)
    known = {name for name in columns if name}
    if "number" not in known and len(known) < 2:
        return None
    if "number" not in known:
        raise NoRoster("no_columns", got=", ".join(cells)[:200])
    first_of = {name: columns.index(name) for name in known}
    return tuple(name if first_of.get(name) == place else "" for place, name in enumerate(columns))


def _heading(cell: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", cell.casefold()).split())


def _person(columns: Sequence[str], cells: Sequence[str], values: Mapping[str, str]) -> Person:
    """The student of a row. Raises _Bad."""
    if any(cells[len(columns) :]):
        raise _Bad("too_many_cells", got=len(cells), known=len(columns))
    number = values.get("number", "")
    if not number:
        raise _Bad("no_number")
    parts = (values.get("name", ""), values.get(_FIRST, ""), values.get(_LAST, ""))
    name = " ".join(" ".join(part for part in parts if part).split()) or number
    texts = {
        "number": number,
        "name": name,
        "email": values.get("email", ""),
        "group": values.get("group", ""),
    }
    for where, given in texts.items():
        if len(given) > LONGEST[where]:
            raise _Bad("too_long", field=where, most=LONGEST[where], got=len(given))
        if escape_controls(given) != given or "\n" in given or "\t" in given:
            raise _Bad("characters", field=where, got=escape_controls(given)[:60])
    if texts["email"] and not _ADDRESS.fullmatch(texts["email"]):
        raise _Bad("email", got=texts["email"][:60])
    try:
        extension = parse_extension(values.get("extension", ""))
    except ValueError:
        raise _Bad("extension", got=values["extension"][:60]) from None
    return Person(extension=extension, **texts)


def lines(people: Iterable[Person]) -> Iterator[tuple[str, ...]]:
    """The rows of a file that `parse` reads as these people, headings first."""
    yield ("id", "name", "email", "group", "extension")
    for person in people:
        extension = format_extension(person.extension)
        yield (person.number, person.name, person.email, person.group, extension)
