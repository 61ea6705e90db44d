"""Workers of several containers, or machines, that were given the same AGON_MACHINE."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.db import connection

from agon.site.core.db.leases import now
from agon.site.fleet.heartbeat import Heartbeat
from agon.site.fleet.models import Process
from agon.site.matches import worker_names
from agon.supervisor import machine_name
from agon.supervisor.children import workers
from agon.supervisor.errors import StartupError
from tests.support.processes import ROOT


def test_groups_of_one_machine_have_numbers_of_their_own_and_the_lowest_is_free_again(tmp_path):
    held = [machine_name.take_number(tmp_path) for _ in range(3)]
    assert [number for number, _lock in held] == [1, 2, 3]
    os.close(held[1][1])  # as when that container ends
    assert machine_name.take_number(tmp_path)[0] == 2


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(StartupError, match=r"workers-1\.lock cannot be written: No such file or directory"):
        machine_name.take_number(tmp_path / "none")


def test_no_two_processes_of_two_groups_have_the_same_name():
    first, second = (machine_name.numbered(workers([0, 1]), number) for number in (1, 2))
    names = [program.name for program in (*first, *second)]
    assert len(names) == len(set(names)) == 10
    assert [program.arguments[-2] for program in (*first, *second)] == names
    assert {program.environment.get("AGON_GROUP") for program in second} == {"2"}
    # Containers count their processes on their own.
    of_both = {worker_names.name("main", "0", 7, group) for group in ("", "2")}
    assert len(of_both) == 2
    assert {worker_names.place_of(name) for name in of_both} == {"main:core0"}  # which is one core


@pytest.fixture
def elsewhere():
    """A process of another machine of the same name, which is alive."""
    Heartbeat("worker-0", "player").beat()
    process = Process.objects.get()
    process.facts |= {"host": "another"}
    process.save()
    return process


def starting(folder, machine) -> str:
    """What `agon.supervisor.workers` says that does not start."""
    database = connection.settings_dict
    url = f"sqlite:///{database['NAME']}"
    if connection.vendor == "postgresql":
        url = f"postgres://{database['USER']}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
    return refused(folder, DATABASE_URL=url, AGON_MACHINE=machine)


def refused(folder, *words, **own) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "agon.supervisor.workers", *words],
        env=os.environ | own | {"AGON_VAR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 1, ran.stderr
    return ran.stderr


@pytest.mark.slow
@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_workers_with_the_name_of_another_machine_that_is_alive_do_not_start(elsewhere, tmp_path):
    said = starting(tmp_path, elsewhere.machine)
    assert f"AGON_MACHINE is {elsewhere.machine}, and so it is on another machine" in said
    assert f"{elsewhere.place} was alive" in said
    assert said.count("\n") == 1


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "change",
    [
        {"stopped": True},
        {"seen": timedelta(seconds=-61)},
        {"machine": "of another name"},
        {"facts": {}},  # of an earlier version
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_was_stopped_is_silent_or_has_another_name_is_in_nobodys_way(elsewhere, change):
    if "seen" in change:
        change = {"seen": now() + change["seen"]}
    Process.objects.update(**change)
    assert machine_name.why_not_to_start() is None


@pytest.mark.production
@pytest.mark.django_db(transaction=True)
def test_nor_is_this_machine_itself(elsewhere):
    assert machine_name.why_not_to_start() is not None
    Heartbeat("worker-0", "player").beat()
    assert machine_name.why_not_to_start() is None


def test_workers_of_a_machine_that_the_role_is_not_for_do_not_start(tmp_path):
    """They would claim nothing: the database lets the role play for its own machine alone."""
    url = "postgres://agon_worker_rack2:secret@127.0.0.1:1/agon"
    said = refused(tmp_path, "players", DATABASE_URL=url, AGON_MACHINE="rack3")
    assert "AGON_MACHINE is rack3, and the role agon_worker_rack2 of DATABASE_URL was made for rack2" in said
    assert "secret" not in said


def test_a_secret_that_workers_cannot_read_is_one_sentence(tmp_path):
    url = "postgres://agon_worker_rack2@127.0.0.1:1/agon"
    said = refused(tmp_path, "players", DATABASE_URL=url, AGON_MACHINE="rack2", STORAGE_FILE=str(tmp_path))
    [line] = said.splitlines()
    assert line.startswith(f"agon: STORAGE_FILE: {tmp_path} cannot be read")
