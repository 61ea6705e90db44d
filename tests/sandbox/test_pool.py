"""The pool of warm boxes. One backend is enough: it only opens and closes boxes."""

import dataclasses
import os
import select
import signal

import pytest

from sandbox.api import LanguageMissing, Limits, SandboxError
from sandbox.backends import open_sandbox
from sandbox.boxes.pool import Pool, warm_mib
from sandbox.building.recipes import BOT_TOML
from tests.support.boxes import agent_of
from tests.support.reasons import english


@pytest.fixture(scope="module")
def sandbox():
    sandbox = open_sandbox("bubblewrap")
    yield sandbox
    sandbox.close()


@pytest.fixture
def pool(sandbox):
    pool = Pool(sandbox, Limits(), most=2)
    yield pool
    pool.close()


@pytest.fixture
def bots(artifacts):
    artifact = artifacts("input()")
    return [dataclasses.replace(artifact, digest=name) for name in "abc"]


def test_a_box_given_back_is_lent_again_for_the_same_submission(pool, bots):
    box = pool.take(bots[0])
    pool.give(box)
    assert pool.take(bots[0]) is box
    pool.give(box)


def test_a_box_is_never_lent_to_another_submission(pool, bots):
    box = pool.take(bots[0])
    pool.give(box)
    second = pool.take(bots[1])
    assert second is not box
    pool.give(second)


def test_a_submission_against_itself_gets_two_boxes(pool, bots):
    first, second = pool.take(bots[0]), pool.take(bots[0])
    assert first is not second
    pool.give(first)
    pool.give(second)


def test_the_box_used_longest_ago_makes_room(pool, bots):
    first, second = pool.take(bots[0]), pool.take(bots[1])
    pool.give(first)
    pool.give(second)
    pool.give(pool.take(bots[0]))
    third = pool.take(bots[2])
    assert (first.alive, second.alive, third.alive) == (True, False, True)
    pool.give(third)


def test_the_second_box_of_a_submission_makes_room_before_others_that_were_used_longer_ago(sandbox, bots):
    pool = Pool(sandbox, Limits(), most=3)
    alone = pool.take(bots[0])
    pool.give(alone)
    first, second = pool.take(bots[1]), pool.take(bots[1])
    pool.give(first)
    pool.give(second)
    pool.give(pool.take(bots[2]))
    assert alone.alive
    assert [first.alive, second.alive].count(True) == 1
    pool.close()


def test_lent_boxes_are_not_closed_to_make_room(pool, bots):
    boxes = [pool.take(bot) for bot in bots]
    assert all(box.alive for box in boxes)
    for box in boxes:
        pool.give(box)
    assert sum(box.alive for box in boxes) == 2


def test_a_box_that_died_is_not_lent_again(pool, bots):
    box = pool.take(bots[0])
    box.close()
    pool.give(box)
    again = pool.take(bots[0])
    assert again is not box
    assert again.alive
    pool.give(again)


def test_a_closed_pool_has_closed_its_boxes(sandbox, bots):
    pool = Pool(sandbox, Limits())
    boxes = [pool.take(bot) for bot in bots]
    for box in boxes:
        pool.give(box)
    pool.close()
    assert not any(box.alive for box in boxes)


def test_boxes_of_one_submission_under_other_limits_are_others(pool, bots):
    box = pool.take(bots[0])
    pool.give(box)
    second = pool.take(bots[0], Limits(memory_mib=64))
    assert second is not box
    pool.give(second)
    assert pool.take(bots[0], Limits(memory_mib=64)) is second
    pool.give(second)


def test_idle_boxes_are_bounded_by_the_memory_that_they_were_measured_to_take(sandbox, bots):
    box = sandbox.open(bots[0], Limits())
    box.close()
    assert 2_000 < box.kib < 40 << 10
    pool = Pool(sandbox, Limits(), mib=(5 * box.kib // 2) >> 10)  # room for two
    boxes = [pool.take(bot) for bot in bots]
    for open_box in boxes:
        pool.give(open_box)
    assert [open_box.alive for open_box in boxes] == [False, True, True]
    pool.close()


def test_the_memory_of_a_box_counts_its_files(sandbox, artifacts):
    small = sandbox.open(artifacts("input()"), Limits())
    large = sandbox.open(artifacts("input()", data_dot_bin=bytes(10 << 20)), Limits())
    small.close()
    large.close()
    assert large.kib - small.kib > 9 << 10


def test_a_box_whose_agent_was_killed_while_it_was_idle_is_not_lent(pool, bots):
    box = pool.take(bots[0])
    pool.give(box)
    agent = agent_of(box)
    gone = os.pidfd_open(agent)
    os.kill(agent, signal.SIGKILL)
    select.select([gone], [], [], 60.0)
    os.close(gone)
    again = pool.take(bots[0])
    assert again is not box
    assert again.alive
    pool.give(again)


def test_a_box_in_which_a_bot_ran_out_of_memory_is_closed(pool, artifacts):
    hungry = artifacts("x = bytearray(1 << 30)\nfor i in range(0, 1 << 30, 4096): x[i] = 1")
    box = pool.take(hungry)
    session = box.session()
    run = session.run([], None, 60.0)
    session.close()
    pool.give(box)
    assert run.failed.kind == "memory"
    if box.host.memory_counted:
        assert not box.alive


def test_the_memory_for_warm_boxes_is_set_in_the_environment(sandbox, monkeypatch):
    monkeypatch.setenv("AGON_WARM_MIB", "7")
    assert Pool(sandbox, Limits()).kib == 7 << 10
    monkeypatch.setenv("AGON_WARM_MIB", "much")
    with pytest.raises(SandboxError, match="AGON_WARM_MIB: expected a number of MiB, got 'much'"):
        Pool(sandbox, Limits())
    monkeypatch.delenv("AGON_WARM_MIB")
    assert 0 < warm_mib() <= os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 22


def test_a_language_whose_program_is_not_installed_is_the_machines_failure(pool, artifacts):
    artifact = dataclasses.replace(artifacts("input()"), command=("lua9", "bot.lua"), python=None)
    with pytest.raises(LanguageMissing, match="lua9 is not installed") as missing:
        pool.take(dataclasses.replace(artifact, language="lua"))
    assert missing.value.language == "lua"


def test_a_command_of_the_author_that_names_no_program_is_the_bots_fault(pool, artifacts):
    artifact = dataclasses.replace(artifacts("input()"), command=("lua9", "bot.lua"), python=None)
    box = pool.take(dataclasses.replace(artifact, language=BOT_TOML))
    ran = box.session().run([], None, 1.0)
    assert ran.failed.kind == "crash"
    assert "could not be started (lua9 bot.lua)" in english(ran.failed.reason)
    pool.give(box)
