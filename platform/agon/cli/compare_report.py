"""Reports the result of `agon compare`: as a few lines, as one JSON document, as a JUnit file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from agon.cli.output import file_errors
from agon.contest.text import escape_controls
from agon.statistics.compare.interval import Estimate
from agon.statistics.compare.sequential import CONFIDENCE, Verdict
from games.core import seeds


@dataclass(frozen=True)
class ComparisonResult:
    """A comparison that has ended.

    least: as it was given. cycles: counted ones; void: those left out. faults: of NEW and of OLD.
    """

    game: str
    sandbox: str
    new: str
    old: str
    against: tuple[str, ...]
    least: str
    seed: int
    verdict: Verdict
    estimate: Estimate
    cycles: int
    matches: int
    cap: int
    void: int
    faults: tuple[int, int]
    seconds: float


def to_data(comparison: ComparisonResult) -> dict[str, Any]:
    """The document for --json. The estimate is rounded to the digits that its computation guarantees."""
    value, low, high = (round(figure, 4) for figure in comparison.estimate)
    return {
        "game": comparison.game,
        "sandbox": comparison.sandbox,
        "seconds": comparison.seconds,
        "new": comparison.new,
        "old": comparison.old,
        "against": list(comparison.against),
        "seed": seeds.to_data(comparison.seed),
        "least": comparison.least,
        "verdict": comparison.verdict.value,
        "difference": {"estimate": value, "low": low, "high": high, "confidence": CONFIDENCE},
        "cycles": comparison.cycles,
        "matches": comparison.matches,
        "cap": comparison.cap,
        "void": comparison.void,
        "faults": {"new": comparison.faults[0], "old": comparison.faults[1]},
    }


def to_words(comparison: ComparisonResult) -> list[str]:
    """The lines to print without --json."""
    value, low, high = (f"{100 * figure:+.1f}" for figure in comparison.estimate)
    lines = [
        _verdict_words(comparison),
        f"difference of shares: {value} points; 95 % interval {low} to {high} (corrected for the early end)",
        f"{comparison.matches} matches in {comparison.cycles} cycles; seed {comparison.seed}",
    ]
    if comparison.void:
        lines.append(f"{comparison.void} cycles are left out: the platform failed to play a match")
    if any(comparison.faults):
        lines.append(
            f"faults: {comparison.new} {comparison.faults[0]}, {comparison.old} {comparison.faults[1]}"
        )
    return lines


def write_junit(path: Path, comparison: ComparisonResult) -> None:
    """Write a JUnit file with one test case: NEW is not worse than OLD. Raises CommandError.

    An undecided comparison counts as skipped.
    """
    verdict = comparison.verdict
    counts = {
        "tests": "1",
        "failures": str(int(verdict == Verdict.WORSE)),
        "errors": "0",
        "skipped": str(int(verdict == Verdict.UNDECIDED)),
        "time": str(comparison.seconds),
    }
    suite = ElementTree.Element("testsuite", {"name": f"agon compare {comparison.game}", **counts})
    name = escape_controls(f"{comparison.new} is not worse than {comparison.old}")
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {"classname": f"agon.{comparison.game}", "name": name, "time": str(comparison.seconds)},
    )
    message = escape_controls(_verdict_words(comparison))  # XML cannot hold control characters
    if verdict == Verdict.WORSE:
        ElementTree.SubElement(case, "failure", {"message": message})
    if verdict == Verdict.UNDECIDED:
        ElementTree.SubElement(case, "skipped", {"message": message})
    out = ElementTree.SubElement(case, "system-out")
    out.text = "\n".join(map(escape_controls, to_words(comparison)))
    ElementTree.indent(suite)
    with file_errors(f"--junit: {path} cannot be written"):
        ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def _verdict_words(comparison: ComparisonResult) -> str:
    new, old = comparison.new, comparison.old
    match comparison.verdict:
        case Verdict.BETTER:
            return f"{new} is better than {old}"
        case Verdict.WORSE:
            return f"{new} is worse than {old}"
        case Verdict.NO_DIFFERENCE:
            return f"no difference larger than {comparison.least} between {new} and {old}"
        case Verdict.UNDECIDED:
            return f"undecided after {comparison.matches} matches whether {new} is better than {old}"
