"""Keeps the figures of a run in benchmarks/results/chaos.json, for docs/explanations/reliability.md."""

from collections.abc import Mapping
from typing import Any

from benchmarks.report import Table, save

SHOWN = {
    "uploads": "uploads confirmed",
    "requests": "requests that it took for all",
    "tournaments": "tournaments",
    "matches": "matches finished",
    "failed_attempts": "attempts that failed, and were played again",
    "void": "matches given up after three attempts",
    "seconds_to_quiet": "seconds from the end of the faults until nothing waited",
}

SITE = (
    "PostgreSQL, Redis, web server, two workers and a builder, scheduler, what signs; a worker with a clock"
    " and a network of its own"
)
BOXED = ", and one with a Docker engine of its own"


def keep(facts: Mapping[str, Any]) -> None:
    faults = [[name.replace("_", " "), str(times)] for name, times in facts["faults"].items()]
    starts = ", ".join(f"{name} {times}" for name, times in facts["starts"].items())
    run = [[words, f"{facts[name]:,}"] for name, words in SHOWN.items()]
    run += [["starts of each service", starts], ["checks that failed", str(len(facts["wrong"]))]]
    conditions = (
        f"{facts['minutes']:g} minutes of faults, two at a time, seed {facts['seed']}: {SITE}"
        + (BOXED if "boxed" in facts["starts"] else "")
        + "; other work ran on the machine"
    )
    tables = {"faults": Table(["fault", "times"], faults), "run": Table(["", ""], run)}
    command = f"python -m tests.chaos --seed {facts['seed']} --minutes {facts['minutes']:g} --save"
    save("chaos", command, conditions, tables)
