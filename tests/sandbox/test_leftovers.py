"""What dead workers leave behind is removed by the next living one, and nothing else is."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sandbox.api import Limits
from sandbox.backends import docker_images, open_sandbox
from sandbox.leftovers import alive, own_folder, remove_leftover_folders, this_process


@pytest.fixture
def docker():
    sandbox = open_sandbox("docker")
    yield sandbox
    sandbox.close()


@pytest.fixture
def left_by(docker):
    """left_by(owner): a container as a worker of that name would have left it, created and never started."""
    made = []

    def make(owner):
        container = docker.client.containers.create(
            docker_images.tag("core"), ["true"], labels={"agon.sandbox.owner": owner}
        )
        made.append(container.id)
        return container.id

    yield make
    for identifier in there(docker) & set(made):
        docker.client.containers.get(identifier).remove(force=True)


def there(docker):
    return {container.id for container in docker.client.containers.list(all=True, ignore_removed=True)}


def output_of_a_finished_process(code):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def dead_process():
    return output_of_a_finished_process("from sandbox.leftovers import this_process; print(this_process())")


@pytest.mark.docker
def test_containers_of_dead_workers_are_removed_and_those_of_living_ones_left(docker, left_by):
    dead, living, foreign = left_by(dead_process()), left_by(this_process()), left_by("another process")
    docker.remove_leftovers()
    assert there(docker) & {dead, living} == {living}
    assert foreign not in there(docker), "the label is ours: what it names is no process"


@pytest.mark.docker
def test_a_container_that_could_not_be_removed_is_removed_by_the_next_sweep(docker, artifacts, monkeypatch):
    box = docker.open(artifacts("input()"), Limits())
    box.host.container.pause()  # so that its agent cannot end, nor the engine remove it by itself

    def refuse(*_, **__):
        raise ConnectionError("no engine answers")

    with monkeypatch.context() as patched:
        patched.setattr(docker.client.api, "remove_container", refuse)
        box.close()
    assert box.host.container.id in there(docker)
    docker.remove_leftovers()
    assert box.host.container.id not in there(docker)


@pytest.mark.docker
def test_a_closed_box_leaves_no_container(docker, artifacts):
    box = docker.open(artifacts("input()"), Limits())
    mine = box.host.container.id
    assert mine in there(docker)
    assert not list(docker.sockets.glob(f"agon-{this_process()}-*")), "the socket is removed"
    box.close()
    assert mine not in {container.id for container in docker.client.containers.list(ignore_removed=True)}


def test_groups_of_dead_workers_are_removed():
    from sandbox.boxes import cgroup

    if not cgroup.available():
        pytest.skip("no cgroup can be made here")
    left = Path(
        output_of_a_finished_process("""
            import os
            from sandbox.boxes import cgroup
            print(cgroup.make(1 << 26, 10).folders[0], flush=True)
            os._exit(0)
        """)
    )
    assert left.is_dir()
    open_sandbox("bubblewrap").close()
    assert not left.exists()


def test_folders_of_dead_processes_are_removed_and_those_of_living_ones_left(tmp_path):
    left = tmp_path / f"agon-{dead_process()}-abc"
    left.mkdir()
    (left / "file").touch()
    foreign = tmp_path / "agon-tests-abc"
    foreign.mkdir()
    with own_folder(tmp_path) as mine:
        remove_leftover_folders(tmp_path)
        assert set(tmp_path.iterdir()) == {mine, foreign}
    assert list(tmp_path.iterdir()) == [foreign]


def test_a_process_of_another_time_is_not_alive():
    _, _, namespace, boot = this_process().split("-")
    assert alive(this_process())
    assert not alive(dead_process())
    assert not alive(f"1-0-{namespace}-{boot}")
    assert alive(f"1-0-1-{boot}"), "of another pid namespace: it cannot be told"
    assert not alive(f"1-0-1-{int(boot, 16) ^ 1:08x}"), "before this machine was started"
    assert not alive("nonsense")
