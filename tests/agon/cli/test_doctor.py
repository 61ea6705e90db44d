"""`agon doctor` says what works here by trying it."""

import re

from agon.cli.doctor import _print_findings
from sandbox.building.selftest import LanguageState
from sandbox.languages.registry import get


def test_it_reports_backends_limits_and_languages_with_versions(agon):
    ran = agon("doctor", "--json")
    assert ran.code == 0
    findings = {finding["what"]: finding for finding in ran.json["findings"]}
    assert findings["bubblewrap"]["state"] == "ok"
    assert findings["bubblewrap: network"]["words"] == "none"
    languages = {language["slug"]: language for language in ran.json["languages"]["bubblewrap"]}
    assert languages["python"]["works"]
    assert languages["python"]["version"].startswith("Python 3.")
    assert all(language["works"] or language["why"] for language in languages.values())


def test_it_says_what_to_install_for_what_does_not_work(agon, environment, monkeypatch):
    monkeypatch.setitem(environment, "DOCKER_HOST", "unix:///nonexistent/docker.sock")
    ran = agon("doctor")
    assert ran.code == 0
    assert "missing  docker " in ran.out
    assert "-> install and start a Docker engine" in ran.out
    assert re.search(r"^ok +Python +Python 3\.", ran.out, re.MULTILINE)


def test_what_lacks_for_one_reason_takes_one_line(capsys):
    image = "the image agon-sandbox-native:0 is not built: run python -m sandbox.images native"
    why = {"go": image, "rust": image, "lua": "not installed (Debian: lua5.4)"}
    states = [LanguageState(get(slug), "", False, words) for slug, words in why.items()]
    states.append(LanguageState(get("perl"), "Perl v5", False, "its self-test fails"))
    _print_findings([], {"docker": states})
    rows = [line for line in capsys.readouterr().out.splitlines() if line.strip()][1:]
    assert [re.split("  +", row.strip()) for row in rows] == [
        ["language (docker)", "version"],
        ["broken", "Perl", "Perl v5: its self-test fails"],
        ["missing", "Go, Rust", image],
        ["missing", "Lua", "not installed (Debian: lua5.4)"],
    ]
