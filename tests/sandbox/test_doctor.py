"""What the sandbox says about a machine."""

import json
import os
import socketserver
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler

import pytest
from typer.testing import CliRunner

from agon.__main__ import application
from agon.cli.output import NO_SANDBOX
from sandbox import doctor
from sandbox.api import SandboxError
from sandbox.backends import open_sandbox
from sandbox.boxes import cgroup
from sandbox.doctor import probe


def test_every_backend_and_every_limit_is_looked_at():
    findings = {finding.what: finding for finding in probe()}
    assert findings["interpreter"].state == "ok"
    assert findings["bubblewrap"].state == "ok"
    limited = {"memory", "processes", "processor", "network"}
    assert {f"bubblewrap: {what}" for what in limited} <= set(findings)
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


# What Podman 5.4 of Debian 13 answers to GET /version.
PODMAN = {
    "Components": [
        {"Name": "Podman Engine", "Version": "5.4.2", "Details": {"APIVersion": "5.4.2", "Os": "linux"}},
        {"Name": "Conmon", "Version": "conmon version 2.1.12, commit: unknown"},
    ],
    "Version": "5.4.2",
    "ApiVersion": "1.41",
    "MinAPIVersion": "1.24",
}


class OneAnswer(BaseHTTPRequestHandler):
    """Whatever is asked, Podman's version is answered."""

    def do_GET(self) -> None:
        answer = json.dumps(PODMAN).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def address_string(self) -> str:
        return "a client"

    def log_message(self, *_: object) -> None:
        pass


def test_podman_in_the_place_of_docker_is_refused_in_a_sentence(monkeypatch, tmp_path):
    path = tmp_path / "podman.sock"
    monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
    with socketserver.ThreadingUnixStreamServer(str(path), OneAnswer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            docker = next(finding for finding in probe() if finding.what == "docker")
            with pytest.raises(SandboxError, match="Podman"):
                open_sandbox("docker")
        finally:
            server.shutdown()
            thread.join()
    assert docker.state == "missing"
    assert docker.words == "Podman 5.4.2 answers instead of Docker, and it cannot set a bot's limits"
    assert "apt-get install docker.io" in docker.remedy


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
    code = "from sandbox.backends import open_sandbox; open_sandbox()"
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
def test_the_memory_for_warm_boxes_is_reported_and_a_wrong_setting_too(monkeypatch, setting, state):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    monkeypatch.setenv("AGON_WARM_MIB", setting)
    finding = next(finding for finding in probe() if finding.what == "warm boxes")
    assert finding.state == state
    assert setting in finding.words


@pytest.mark.first(1)
@pytest.mark.parametrize(
    ("weighs", "outside", "setting", "state"),
    [
        (True, False, "0", "ok"),
        (False, True, "1", "ok"),
        (False, True, "0", "partial"),
        (False, False, "1", "partial"),
    ],
)
def test_whether_each_box_has_its_share_of_the_processors(
    monkeypatch, tmp_path, weighs, outside, setting, state
):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    (tmp_path / "autogroup").write_text(f"{setting}\n")
    monkeypatch.setattr(doctor, "_AUTOGROUP", tmp_path / "autogroup")
    monkeypatch.setattr(cgroup, "has_cpu_share", lambda: weighs)
    monkeypatch.setattr(cgroup, "is_outside_groups", lambda: outside)
    finding = next(finding for finding in probe() if finding.what == "bubblewrap: processor")
    assert finding.state == state
    assert bool(finding.remedy) == (state == "partial")


def test_boxes_have_equal_shares_where_it_says_so():
    """Read from the control group of a box, as the kernel keeps it."""
    if not cgroup.has_cpu_share():
        pytest.skip("no control group with a share of the processors can be made here")
    group = cgroup.make(64 << 20, 10)
    assert group is not None
    try:
        shares = [
            path.read_text().strip() for folder in group.folders for path in folder.glob("cpu.[sw][he][ai]*")
        ]
        assert [words for words in shares if words.isdigit()] in (["1024"], ["100"])
    finally:
        group.remove()
    assert not any(folder.exists() for folder in group.folders)


def test_a_backend_that_keeps_no_limits_is_refused_with_the_remedy(monkeypatch):
    """As an engine without root to which no memory controller was delegated."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    unkept = {"memory": "a bot got 192 MiB, and its limit is 96"}
    monkeypatch.setattr(doctor.limits_tried, "failing", lambda _: iter(unkept.items()))
    finding = next(finding for finding in probe() if finding.what == "bubblewrap: limits, tried")
    assert (finding.state, finding.words) == ("missing", "memory: a bot got 192 MiB, and its limit is 96")
    assert "Delegate=" in finding.remedy
    ran = CliRunner().invoke(application(["doctor"]), ["doctor"])
    assert ran.exit_code == NO_SANDBOX, "bots must not be played here"
