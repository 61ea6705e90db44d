"""Containers and sockets of dead workers, which an engine that was restarted may leave behind."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import docker, images
from sandbox.owners import alive, this_process

pytestmark = pytest.mark.docker


@pytest.fixture
def client():
    client = images.connect()
    yield client
    client.close()


@pytest.fixture
def left_by(client):
    """left_by(owner): a container as a worker of that name would have left it, ended but not removed."""
    made = []

    def make(owner):
        container = client.containers.create(images.tag(), ["true"], labels={"agon.sandbox.owner": owner})
        made.append(container.id)
        return container.id

    yield make
    for identifier in there(client) & set(made):
        client.containers.get(identifier).remove(force=True)


def there(client):
    return {container.id for container in client.containers.list(all=True)}


def dead_process():
    code = "from sandbox.owners import this_process; print(this_process())"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_containers_of_dead_workers_are_removed_and_those_of_living_ones_left(client, left_by):
    dead = left_by(f"{socket.gethostname()}/{dead_process()}")
    living = left_by(f"{socket.gethostname()}/{this_process()}")
    elsewhere = left_by(f"another-host/{dead_process()}")
    assert docker.sweep() >= 1
    assert there(client) & {dead, living, elsewhere} == {living, elsewhere}


def test_who_is_alive_can_be_told_by_the_caller(client, left_by):
    first, second = left_by("host/one"), left_by("host/two")
    docker.sweep(lambda owner: owner != "host/one")
    assert there(client) & {first, second} == {second}


def test_socket_folders_of_dead_workers_are_removed(tmp_path):
    dead = tmp_path / f"agon-sockets-{dead_process()}-abc"
    living = tmp_path / f"agon-sockets-{this_process()}-abc"
    for folder in (dead, living):
        folder.mkdir()
    docker.sweep_sockets(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [living.name]


def test_a_closed_box_leaves_no_container(client, artifacts, tmp_path):
    from sandbox import open_sandbox
    from sandbox.api import Limits

    sandbox = open_sandbox("docker")
    before = there(client)
    box = sandbox.open(artifacts("input()"), Limits())
    (mine,) = there(client) - before
    assert not list(Path(sandbox.sockets).glob(f"agon-sockets-{this_process()}-*")), "the socket is removed"
    box.close()
    assert mine not in {container.id for container in client.containers.list()}
    sandbox.close()


def test_a_process_of_another_time_is_not_alive():
    assert alive(this_process())
    assert not alive(dead_process())
    assert not alive(f"1-0-{this_process().split('-')[2]}")
    assert alive("1-0-1"), "of another pid namespace: it cannot be told"
    assert not alive("nonsense")
