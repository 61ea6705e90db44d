"""Reads calendar files (RFC 5545), for tests: strictly, byte by byte, and independent of what writes them."""

import re
from typing import NamedTuple

LINE = re.compile(rb'([A-Z0-9-]+)((?:;[A-Z0-9-]+=(?:[^";:,]*|"[^"]*"))*):(.*)', re.DOTALL)


class Property(NamedTuple):
    name: str
    parameters: str
    value: str


def lines(data: bytes) -> list[bytes]:
    """The unfolded lines. Every line ends with CR LF and is at most 75 octets long, in whole characters."""
    assert data.endswith(b"\r\n")
    physical = data.split(b"\r\n")[:-1]
    for line in physical:
        assert b"\r" not in line
        assert b"\n" not in line
        assert 0 < len(line) <= 75
        line.decode()  # no character is cut in two
        assert not re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", line)
    unfolded: list[bytes] = []
    for line in physical:
        if line.startswith(b" "):
            unfolded[-1] += line[1:]
        else:
            unfolded.append(line)
    return unfolded


def read(data: bytes) -> tuple[list[Property], list[dict[str, str]]]:
    """The properties of the calendar, and of each event; texts are unescaped."""
    own: list[Property] = []
    events: list[dict[str, str]] = []
    open_parts: list[str] = []
    for line in lines(data):
        match = LINE.fullmatch(line)
        assert match, line
        name, parameters, value = (part.decode() for part in match.groups())
        if name == "BEGIN":
            open_parts.append(value)
            if value == "VEVENT":
                events.append({})
        elif name == "END":
            assert open_parts.pop() == value
        elif open_parts == ["VCALENDAR"]:
            own.append(Property(name, parameters, unescaped(value)))
        else:
            assert open_parts == ["VCALENDAR", "VEVENT"]
            assert name not in events[-1], f"{name} twice"
            events[-1][name] = unescaped(value) if name in ("SUMMARY", "DESCRIPTION", "UID") else value
    assert open_parts == []
    return own, events


def unescaped(value: str) -> str:
    """A text value; no character that has to be escaped stands there as it is."""
    text, rest = "", value
    while rest:
        char, rest = rest[0], rest[1:]
        assert char not in ";,", value
        if char == "\\":
            char, rest = rest[0], rest[1:]
            assert char in "\\;,nN", value
            char = "\n" if char in "nN" else char
        text += char
    return text
