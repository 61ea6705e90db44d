"""`agon doctor`: what works on this machine, and what to install for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict
from typing import Any

import typer

from cli.arguments import JsonOption, SandboxName
from cli.building import artifact_store
from cli.output import NO_SANDBOX, print_json
from cli.terminal import print_table, progress
from sandbox import open_sandbox
from sandbox.building.selftest import LanguageState, query_versions
from sandbox.building.selftest import state as language_state
from sandbox.doctor import Finding, probe
from sandbox.languages.registry import all_languages


def doctor(json: JsonOption = False) -> None:
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


def _works(name: SandboxName, findings: Sequence[Finding]) -> bool:
    return any(finding.what == name.value and finding.state == "ok" for finding in findings)


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
    """What works, what is broken, and what is missing; languages missing for the same reason share a row."""
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
