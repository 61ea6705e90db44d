"""`agon doctor`: which sandboxes and languages work on this machine, and what to install for the others."""

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Annotated, Any

import typer

from agon.cli.arguments import JsonOption, SandboxName
from agon.cli.building import artifact_store
from agon.cli.output import NO_SANDBOX, print_json
from agon.cli.terminal import print_table, progress
from sandbox import doctor_fair
from sandbox.api import SandboxError
from sandbox.backends import open_sandbox
from sandbox.building.selftest import LanguageState, query_versions
from sandbox.building.selftest import state as language_state
from sandbox.calibration import CoreSpeed, calibrate
from sandbox.doctor import Finding, probe, tried
from sandbox.languages.registry import all_languages

FairOption = Annotated[
    bool, typer.Option("--fair", help="Report what makes times vary on this machine, and compare its cores.")
]


def doctor(json: JsonOption = False, fair: FairOption = False) -> None:
    if fair:
        _report_fairness(json)
        return
    findings = probe()
    working = [name for name in SandboxName if _works(name, findings)]
    languages = {name.value: _languages(name.value) for name in working}
    if json:
        print_json(
            {
                "findings": [asdict(finding) for finding in findings],
                "languages": {name: list(map(_to_data, states)) for name, states in languages.items()},
            }
        )
    else:
        _print_findings(findings, languages)
    if not working:
        raise typer.Exit(NO_SANDBOX)


def _report_fairness(json: bool) -> None:
    """The settings of this host, and how fast and steady each core is in the sandbox that matches use."""
    settings = doctor_fair.host()
    try:
        sandbox = open_sandbox()
    except SandboxError as error:
        _print_fairness(json, [*settings, Finding("calibration", "missing", str(error))], "", [])
        raise typer.Exit(NO_SANDBOX) from None
    with closing(sandbox), progress() as bar:
        cores = bar.track(sorted(os.sched_getaffinity(0)), description="cores")
        speeds = [calibrate(sandbox, core) for core in cores]
    _print_fairness(json, [*settings, *doctor_fair.judge(speeds)], sandbox.name, speeds)


def _print_fairness(json: bool, findings: list[Finding], sandbox: str, speeds: list[CoreSpeed]) -> None:
    if json:
        cores = [asdict(speed) for speed in speeds]
        print_json(
            {"findings": list(map(asdict, findings)), "calibration": {"sandbox": sandbox, "cores": cores}}
        )
        return
    _print_findings(findings, {})
    if speeds:
        print()
        rows = [(speed.core, f"{speed.median_ms:.2f}", f"{speed.spread:.1%}") for speed in speeds]
        print_table(("core", f"median ms ({sandbox})", "spread"), rows)


def _works(name: SandboxName, findings: Sequence[Finding]) -> bool:
    """Whether bots can be played in it: one was, and one that exceeded its limits got no more."""
    states = {finding.what: finding.state for finding in findings}
    return states.get(name.value) == "ok" and states.get(tried(name.value)) != "missing"


def _languages(sandbox_name: str) -> Sequence[LanguageState]:
    """Every language in this sandbox: its version and whether its self-test passes."""
    with artifact_store() as store, closing(open_sandbox(sandbox_name)) as sandbox, progress() as bar:
        query_versions(sandbox)
        languages = all_languages()
        return [
            language_state(language, sandbox, store)
            for language in bar.track(languages, description=f"languages in {sandbox_name}")
        ]


def _to_data(state: LanguageState) -> dict[str, Any]:
    return {
        "slug": state.language.slug,
        "title": state.language.title,
        "version": state.version,
        "works": state.works,
        "why": state.problem,
    }


def _print_findings(findings: Sequence[Finding], languages: dict[str, Sequence[LanguageState]]) -> None:
    print_table(
        ("", "what", "found"),
        (
            row
            for finding in findings
            for row in (
                (finding.state, finding.what, finding.words),
                *([("", "", f"-> {finding.remedy}")] if finding.remedy else []),
            )
        ),
    )
    for name, states in languages.items():
        print()
        print_table(("", f"language ({name})", "version"), _rows(states))


def _rows(states: Sequence[LanguageState]) -> list[tuple[str, str, str]]:
    """A row for each language that works or is broken; those missing for the same reason share a row."""
    rows = []
    missing: dict[str, list[str]] = {}
    for state in states:
        if state.works:
            rows.append(("ok", state.language.title, state.version))
        elif state.version:
            rows.append(("broken", state.language.title, f"{state.version}: {state.problem}"))
        else:
            missing.setdefault(state.problem, []).append(state.language.title)
    return rows + [("missing", ", ".join(titles), why) for why, titles in missing.items()]
