"""Languages that only some machines can build are offered while a builder of such a machine is alive."""

import logging
from collections.abc import Mapping, Sequence

from agon.site.bots import languages
from agon.site.fleet import presence

LANGUAGES = "languages"  # among the facts of a process that builds

log = logging.getLogger(__name__)


def machines_that_build() -> set[str]:
    return {
        process.process.machine
        for process in presence.seen()
        if process.is_alive and "build" in process.duties
    }


def tick() -> None:
    """Offer what works on the machines that build now, if these differ, or if the cache was emptied."""
    known = languages.found()
    if known is not None and len(known) <= 1:
        return
    machines = {seen.process.machine for seen in presence.seen()}
    by_machine: Mapping[str, Sequence[str]] = known or _said_by_builders()
    present = {machine: working for machine, working in by_machine.items() if machine in machines}
    if present and present != known:
        languages.keep(present)
    for slug in languages.offer(machines_that_build()):
        log.error("the language %s is offered no longer: no builder of a machine that has it is alive", slug)


def _said_by_builders() -> dict[str, list[str]]:
    """What works on each machine, as its builders last said: processes that have ended are there for days."""
    return {
        seen.process.machine: working
        for seen in sorted(presence.seen(), key=lambda seen: seen.ago, reverse=True)
        if (working := seen.process.facts.get(LANGUAGES))
    }
