"""Hostile builds: each a script that says what it tries and what must come of it.

Beside each another build goes on, which holds a secret. A build must end in time, its result must be plain
files within its limits, its box must be gone, and neither the other build nor the host may notice.
"""

import json
import os
import re
import stat
import time

import pytest

from sandbox.api import Limits
from sandbox.reason_texts import english
from tests.hostile import targets
from tests.hostile.attack_counts import FIGURES
from tests.hostile.host_disk import is_slowed_down, timed_flushes
from tests.hostile.targets import HERE, LIMITS
from tests.support.cpu_load import if_alone

pytestmark = pytest.mark.slow

ENDLESS = 1.5  # seconds for a build that may go on until it is stopped
ENOUGH = 30.0  # for any other, on a busy machine
LONG = ("disk_bomb", "disk_reads")
BUILDS = [
    pytest.param(path, marks=[pytest.mark.exhaustive] if path.stem in LONG else [], id=path.stem)
    for path in sorted((HERE / "builds").glob("*.sh"))
]


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    with targets.open_doors(tmp_path_factory.mktemp("host")) as facts:
        yield facts


@pytest.fixture(scope="module")
def neighbor(sandbox, artifacts, facts):
    """A running bot that holds a secret, too."""
    box = targets.neighbor(sandbox, artifacts)
    yield box.session().start()
    box.close()


@pytest.fixture
def source(tmp_path, facts):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "facts.json").write_text(json.dumps(facts))
    (folder / "disk_rate.py").write_bytes((HERE / "disk_rate.py").read_bytes())
    return folder


@pytest.mark.compilers
@pytest.mark.parametrize("script", BUILDS)
def test_a_hostile_build_gets_nowhere(sandbox, neighbor, source, tmp_path, script):
    (source / "build.sh").write_text(script.read_text())
    words = re.search(r"Expect: (.+)", script.read_text())
    assert words, f"{script} does not say what it expects"
    seconds = ENDLESS if "took too long" in words[1] else ENOUGH
    before = targets.host()
    if script.stem.startswith("disk_"):
        targets.drop_cached_files()
    started = time.monotonic()
    with timed_flushes() as flushes:
        run = sandbox.build(source, [["bash", "build.sh"]], LIMITS, seconds, tmp_path / "result")
        took = time.monotonic() - started
    FIGURES.tried += 1
    FIGURES.cleaning_s.append(max(0.0, took - run.seconds))
    flush = FIGURES.add_flushes(f"build:{script.stem}", flushes)
    got = "held" if run.ok else english(run.reason)
    if not any(expected in got for expected in words[1].split(", ")):
        FIGURES.escaped.append(script.stem)
    assert any(expected in got for expected in words[1].split(", ")), (got, run.log[-500:])
    assert run.seconds < if_alone(10 * seconds + 2)
    _assert_plain_files(tmp_path / "result", LIMITS)
    _assert_unharmed(neighbor, before, script.stem)
    assert not is_slowed_down(flush)


def _assert_plain_files(result, limits: Limits) -> None:
    total = 0
    for folder, folders, files in os.walk(result):
        for name in (*folders, *files):
            info = os.lstat(os.path.join(folder, name))
            assert stat.S_ISDIR(info.st_mode) or stat.S_ISREG(info.st_mode), f"{name} is a link or the like"
            assert not info.st_mode & 0o7022, f"{name} has the mode {info.st_mode:o}"
            total += info.st_size if stat.S_ISREG(info.st_mode) else 0
    assert total <= limits.work_mib << 20


def _assert_unharmed(process, before, name: str) -> None:
    answer = targets.asked(process)
    if answer != b"fine" or targets.host() != before:
        FIGURES.harmed.append(name)
    assert answer == b"fine"
    assert targets.host() == before


def test_modules_that_a_build_leaves_are_not_taken_for_the_agents(sandbox, opened, artifacts):
    """The agent's interpreter must not look into a bot's folder."""
    evil = "import os; os.write(1, b'forged\\n'); raise SystemExit(3)"
    names = (
        "agent_dot_py",
        "json_dot_py",
        "socket_dot_py",
        "sitecustomize_dot_py",
        "spawner_dot_py",
    )
    box = opened(artifacts("print(input())", **dict.fromkeys(names, evil)))
    session = box.session()
    assert targets.asked(session.start()) == b"fine"
    session.close()
