"""Nobody waits without a word: every state is known to wait for something, or for nothing."""

from django.apps import apps
from django.urls import get_resolver

from agon.site.workers.unfinished import SETTLED, UNFINISHED


def place(cls: type, choices) -> tuple[str, tuple[tuple[str, str], ...]]:
    """By which an enumeration and its model are known: those of two apps may look the same."""
    return cls.__module__.rpartition(".")[0], tuple(choices)


def machines() -> dict[tuple[str, tuple[tuple[str, str], ...]], str]:
    """The models that have states."""
    fields = {model: model._meta.get_field("state") for model in apps.get_models() if "state" in vars(model)}
    return {place(model, field.choices): model.__name__ for model, field in fields.items() if field.choices}


def of_models(listed) -> list[tuple[str, str]]:
    """The model and the value of each state."""
    return [(machines()[place(type(state), type(state).choices)], str(state.value)) for state in listed]


def test_every_state_of_every_state_machine_waits_for_something_or_is_settled():
    states = of_models([*(unfinished.state for unfinished in UNFINISHED), *SETTLED])
    assert len(states) == len(set(states)), "a state is in both, or twice"
    assert set(states) == {
        (name, value) for (_app, choices), name in machines().items() for value, _label in choices
    }


def test_each_page_that_says_so_exists_and_nothing_is_left_unsaid():
    names = set(get_resolver().reverse_dict)
    for unfinished in UNFINISHED:
        assert unfinished.page in names, unfinished
        assert all((unfinished.what, unfinished.turn, unfinished.within, unfinished.then)), unfinished
