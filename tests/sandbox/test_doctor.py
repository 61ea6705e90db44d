"""What the sandbox says about a machine."""

import os
import subprocess
import sys

import pytest

from sandbox import SandboxError, open_sandbox
from sandbox.doctor import probe


def test_every_backend_and_every_limit_is_looked_at():
    findings = {finding.what: finding for finding in probe()}
    assert findings["interpreter"].state == "ok"
    assert findings["bubblewrap"].state == "ok"
    assert {"bubblewrap: memory", "bubblewrap: processes", "bubblewrap: network"} <= set(findings)
    assert "docker" in findings
    for finding in findings.values():
        assert finding.words
        assert finding.remedy or finding.state == "ok"


def test_without_an_engine_docker_is_missing_and_the_remedy_is_named(monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    docker = next(finding for finding in probe() if finding.what == "docker")
    assert docker.state == "missing"
    assert docker.words.startswith("no Docker engine answers")
    assert "apt-get install docker.io" in docker.remedy
    with pytest.raises(SandboxError, match="no Docker engine answers"):
        open_sandbox("docker")


def test_without_a_name_the_one_that_works_is_used(monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    sandbox = open_sandbox()
    assert sandbox.name == "bubblewrap"
    sandbox.close()


def test_an_unknown_name_is_refused():
    with pytest.raises(SandboxError, match="expected one of docker, bubblewrap"):
        open_sandbox("podman")


def test_where_user_namespaces_are_refused_it_says_so_and_what_to_do():
    """In a user namespace of its own, where a limit on further ones can be set without harm."""
    code = "from sandbox import open_sandbox; open_sandbox()"
    script = f'echo 0 > /proc/sys/user/max_user_namespaces && "{sys.executable}" -c "{code}"'
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "DOCKER_HOST": "unix:///nowhere/docker.sock"},
    )
    assert "no sandbox works here" in done.stderr
    assert "no Docker engine answers" in done.stderr
    assert "user namespaces are forbidden by /proc/sys/user/max_user_namespaces" in done.stderr


@pytest.mark.parametrize(("setting", "state"), [("77", "ok"), ("-1", "missing")])
def test_the_memory_for_warm_boxes_is_told_and_a_wrong_setting_too(monkeypatch, setting, state):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    monkeypatch.setenv("AGON_WARM_MIB", setting)
    found = next(finding for finding in probe() if finding.what == "warm boxes")
    assert found.state == state
    assert setting in found.words
