"""What is known of a mistake, and the advice that follows."""

import re
from dataclasses import dataclass
from typing import NamedTuple

from games.core.game import Json
from games.core.match_log import Exchange, MatchLog
from games.core.reason import Reason, Value
from games.core.record import RecordedFault

BUILD = "build"  # the kind of a refused build, beside those of faults
PYTHON = ("python", "pypy")
NUMBER = r"([0-9]{1,6})(?![0-9])"  # part of a pattern: the number of a line, as a group
LONGEST_LINE = 500  # characters of a line that rules look at
MOST_TEXT = 256 << 10  # characters
_LINE_END = re.compile("\r\n?|\n")  # as editors and compilers count lines; forms send CR LF


class Advice(NamedTuple):
    """line: of the source, from 1; 0 where only the step is known."""

    sentence: Reason
    line: int = 0


def at(line: int, code: str, /, **values: Value) -> Advice:
    """Advice about a line; its sentence names the line."""
    return Advice(Reason(code, line=line, **values), line)


@dataclass(frozen=True)
class Evidence:
    """The first fault of a program, or why it was not built.

    language: a slug. text: the source. channel: as in the manifest. kind: of the fault, or BUILD. step: from
    0. output: the log of a build, or what the program wrote to standard error. reply: what it answered, ""
    for nothing. cpu_share: the part of its time in which it computed; None where that is unknown. pasted:
    into a form, where its language was chosen; otherwise the name of its file says the language.

    `text` and `output` are truncated, so that searching them for every pattern takes little time.
    """

    language: str
    text: str
    channel: str
    kind: str
    reason: Reason
    step: int = 0
    output: str = ""
    reply: Json = ""
    cpu_share: float | None = None
    pasted: bool = True

    @classmethod
    def of_build(
        cls, language: str, text: str, channel: str, reason: Reason, log: str, pasted: bool = True
    ) -> "Evidence":
        return cls(language, _bounded(text), channel, BUILD, reason, output=_bounded(log), pasted=pasted)

    @classmethod
    def of_match(
        cls, language: str, text: str, channel: str, log: MatchLog, seat: int, stderr: str
    ) -> "Evidence | None":
        """The first fault of the program in `seat`; None if it made none."""
        fault = next((recorded_fault for recorded_fault in log.faults if recorded_fault.seat == seat), None)
        if fault is None:
            return None
        asked = faulty_exchange(log, fault)
        return cls(
            language,
            _bounded(text),
            channel,
            fault.kind,
            asked.fault.reason if asked and asked.fault else fault.reason,
            fault.step,
            _bounded(stderr),
            asked.reply if asked else "",
            _cpu_share(asked),
        )

    @property
    def shown_step(self) -> int:
        """The step as pages number it, from 1."""
        return self.step + 1

    def in_step(self, code: str, line: int = 0, /, **values: Value) -> Advice:
        """Advice whose sentence names the step. line: if one is known, too."""
        return Advice(Reason(code, step=self.shown_step, **values), line)

    def says(self, *codes: str) -> bool:
        """Whether one of these codes is in the reason."""
        return self.reason.find(*codes) is not None

    def value(self, code: str, name: str) -> "Value | None":
        """A value of the part of the reason that has this code; None if it has no such part."""
        part = self.reason.find(code)
        return part.values[name] if part else None

    @property
    def talks(self) -> bool:
        """Whether it is asked in lines of its input and answers in lines of its output."""
        return self.channel == "stdio" or (self.channel == "function" and self.language not in PYTHON)

    @property
    def lines(self) -> list[str]:
        """The lines of the source."""
        return self.text.split("\n")

    def line_with(self, pattern: str) -> int:
        """The number, from 1, of the first line of the source that matches `pattern`; 0 if there is none."""
        for number, line in enumerate(self.lines, 1):
            if re.search(pattern, line):
                return number
        return 0


def _bounded(text: str) -> str:
    """`text` with LF at the end of every line, and without the ends of very long lines."""
    return "\n".join(line[:LONGEST_LINE] for line in _LINE_END.split(text[:MOST_TEXT]))


def faulty_exchange(log: MatchLog, fault: RecordedFault) -> Exchange | None:
    """What was sent and answered when the fault was made; None for one before the first question."""
    asked = (
        exchange for exchange in log.exchanges if (exchange.seat, exchange.step) == (fault.seat, fault.step)
    )
    return next((exchange for exchange in asked if exchange.fault is not None), None)


def _cpu_share(asked: Exchange | None) -> float | None:
    if asked is None or not asked.charged_us or asked.cpu_us is None:
        return None
    return asked.cpu_us / asked.charged_us
