"""Reports the result of `agon compare`: as a few lines, as one JSON document, as a JUnit file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from agon.cli.compare_run import ComparisonSetup, Progress
from agon.cli.output import file_errors
from agon.contest.text import escape_controls
from agon.statistics.compare.cycles import NEW, OLD
from agon.statistics.compare.sequential import CONFIDENCE, Verdict
from agon.statistics.score import Estimate
from games.core import seeds


@dataclass(frozen=True)
class ComparisonResult:
    """A comparison that has ended. seconds: that it took."""

    setup: ComparisonSetup
    progress: Progress
    estimate: Estimate
    seconds: float

    @property
    def names(self) -> list[str]:
        """Of NEW, OLD, and the opponents."""
        return [player.name for player in self.setup.players]


def to_data(comparison: ComparisonResult) -> dict[str, Any]:
    """The document for --json. The estimate is rounded to the digits that its computation guarantees."""
    setup, progress = comparison.setup, comparison.progress
    new, old, *against = comparison.names
    value, low, high = (round(figure, 4) for figure in comparison.estimate)
    return {
        "game": setup.game,
        "sandbox": setup.sandbox,
        "seconds": comparison.seconds,
        "new": new,
        "old": old,
        "against": against,
        "seed": seeds.to_data(setup.seed),
        "least": setup.least,
        "verdict": progress.verdict.value,
        "difference": {"estimate": value, "low": low, "high": high, "confidence": CONFIDENCE},
        "cycles": progress.tally.cycles,
        "matches": progress.matches,
        "cap": setup.cap,
        "void": progress.void,
        "faults": dict(zip(("new", "old"), progress.faults, strict=True)),
    }


def to_words(comparison: ComparisonResult) -> list[str]:
    """The lines to print without --json."""
    progress = comparison.progress
    new, old, *_opponents = comparison.names
    value, low, high = (f"{100 * figure:+.1f}" for figure in comparison.estimate)
    lines = [
        _verdict_words(comparison),
        f"difference of shares: {value} points; 95 % interval {low} to {high} (corrected for the early end)",
        f"{progress.matches} matches in {progress.tally.cycles} cycles; seed {comparison.setup.seed}",
    ]
    if progress.void:
        lines.append(f"{progress.void} cycles are left out: the platform failed to play a match")
    if any(progress.faults):
        lines.append(f"faults: {new} {progress.faults[NEW]}, {old} {progress.faults[OLD]}")
    return lines


def write_junit(path: Path, comparison: ComparisonResult) -> None:
    """Write a JUnit file with one test case: NEW is not worse than OLD. Raises CommandError.

    An undecided comparison counts as skipped.
    """
    verdict, game = comparison.progress.verdict, comparison.setup.game
    new, old, *_opponents = comparison.names
    counts = {
        "tests": "1",
        "failures": str(int(verdict == Verdict.WORSE)),
        "errors": "0",
        "skipped": str(int(verdict == Verdict.UNDECIDED)),
        "time": str(comparison.seconds),
    }
    suite = ElementTree.Element("testsuite", {"name": f"agon compare {game}", **counts})
    name = escape_controls(f"{new} is not worse than {old}")
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {"classname": f"agon.{game}", "name": name, "time": str(comparison.seconds)},
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
    new, old, *_opponents = comparison.names
    match comparison.progress.verdict:
        case Verdict.BETTER:
            return f"{new} is better than {old}"
        case Verdict.WORSE:
            return f"{new} is worse than {old}"
        case Verdict.NO_DIFFERENCE:
            return f"no difference larger than {comparison.setup.least} between {new} and {old}"
        case Verdict.UNDECIDED:
            return f"undecided after {comparison.progress.matches} matches whether {new} is better than {old}"
