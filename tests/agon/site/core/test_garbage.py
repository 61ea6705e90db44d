"""What lives as long as a process costs its full collections no time; what a request leaves is collected."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from agon.site.core.garbage import freeze_survivors


class Node:
    """Something that refers to itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.own = self


@pytest.fixture
def warming() -> Iterator[None]:
    """Two full collections, after which all is collected as always."""
    gc.collect()
    callbacks = list(gc.callbacks)
    freeze_survivors(2)
    yield
    gc.callbacks[:] = callbacks
    gc.unfreeze()


def garbage() -> "weakref.ref[Node]":
    return weakref.ref(Node())


def is_collected(node: "weakref.ref[Node]") -> bool:
    gc.collect()
    return node() is None


@pytest.mark.usefixtures("warming")
def test_what_survives_the_first_full_collections_is_not_looked_through_again():
    loaded = [Node()]
    gc.collect()
    assert not any(known is loaded for known in gc.get_objects())


@pytest.mark.usefixtures("warming")
def test_garbage_is_collected_while_the_process_warms_up_and_later():
    for _ in range(4):
        assert is_collected(garbage())


@pytest.mark.usefixtures("warming")
def test_later_survivors_can_be_garbage_once():
    gc.collect()
    gc.collect()
    node = Node()
    left = weakref.ref(node)
    assert not is_collected(left)
    del node
    assert is_collected(left)
