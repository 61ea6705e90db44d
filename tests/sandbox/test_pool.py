"""The pool of warm boxes. One backend is enough: it only opens and closes boxes."""

import dataclasses

import pytest

from sandbox import open_sandbox
from sandbox.api import Limits
from sandbox.pool import Pool


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
    other = pool.take(bots[1])
    assert other is not box
    pool.give(other)


def test_a_submission_against_itself_gets_two_boxes(pool, bots):
    one, two = pool.take(bots[0]), pool.take(bots[0])
    assert one is not two
    pool.give(one)
    pool.give(two)


def test_the_box_used_longest_ago_makes_room(pool, bots):
    first, second = pool.take(bots[0]), pool.take(bots[1])
    pool.give(first)
    pool.give(second)
    pool.give(pool.take(bots[0]))
    third = pool.take(bots[2])
    assert (first.alive, second.alive, third.alive) == (True, False, True)
    pool.give(third)


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
