"""`agon compare --site`: compares two versions on a site, where its workers play the matches."""

import time

from agon.cli.output import CommandError, say, show
from agon.cli.sites import chosen_site
from agon.client import Comparison, Site

POLL_SECONDS = 3.0


def compare_on_site(url: str, competition: str, new: str, old: str, quiet: bool) -> Comparison:
    """Start the comparison and follow it to its end; it goes on if this is interrupted.

    new: the number of a submission. old: another one, or the name of a house bot. Raises CommandError.
    """
    with chosen_site(url) as site:
        number = _number(new)
        if number is None:
            raise CommandError(f"NEW: expected the number of a submission, got {new!r}")
        where = site.submission(number)["competition"]
        if where != competition:
            raise CommandError(f"submission {number} is in {where}, not in {competition}")
        comparison = site.compare(number, _old(site, competition, old))
        if not quiet:
            say(comparison["url"])
        return _follow(site, comparison, quiet)


def print_comparison(comparison: Comparison) -> None:
    if comparison["share"] is None:
        show(f"{comparison['state']} after {comparison['matches']} matches")
        return
    show(f"{comparison['verdict']} after {comparison['matches']} matches")
    show(
        f"{comparison['new']} gets {comparison['share']:.1%} of the points against {comparison['old']}"
        f" (95 % interval: {comparison['low']:.1%} to {comparison['high']:.1%})"
    )


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() else None


def _old(site: Site, competition: str, old: str) -> int:
    number = _number(old)
    if number is not None:
        return number
    house = {opponent["name"]: opponent["submission"] for opponent in site.opponents(competition)}
    if old not in house:
        names = ", ".join(house) or "there is none"
        raise CommandError(f"OLD: expected the number of a submission, or a house bot ({names}), got {old!r}")
    return house[old]


def _follow(site: Site, comparison: Comparison, quiet: bool) -> Comparison:
    shown = None
    while comparison["state"] == "running":
        if comparison["matches"] != shown and not quiet:
            shown = comparison["matches"]
            say(f"{shown} of at most {comparison['most_matches']} matches")
        time.sleep(POLL_SECONDS)
        comparison = site.comparison(comparison["id"])
    return comparison
