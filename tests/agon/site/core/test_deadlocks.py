"""A transaction that is rolled back because of a deadlock is done again."""

import threading

import pytest
from django.db import OperationalError, connection, transaction

from agon.site.accounts.models import User
from agon.site.core.db.deadlocks import repeated_after_deadlock
from tests.support.at_once import failures_at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


@pytest.fixture
def pair(db):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one lock for all, and so no deadlocks")
    return [User.objects.create_user(name) for name in ("ada", "bob")]


def rename(first, second, between):
    """Lock and rename two accounts in one transaction; call `between` in between."""
    with transaction.atomic():
        for user, then in ((first, between), (second, lambda: None)):
            User.objects.filter(pk=user.pk).update(first_name=f"of {first.username}")
            then()


def crossing(pair, rounds=1):
    """Two transactions that lock the two accounts in opposite orders, in each of the first `rounds` tries."""
    barrier = threading.Barrier(2)
    tries = {0: 0, 1: 0}

    def act(number):
        def meet():
            tries[number] += 1
            if tries[number] <= rounds:
                barrier.wait(20)

        order = pair if number == 0 else pair[::-1]
        return lambda: rename(*order, meet)

    return [act(0), act(1)], tries


def test_without_it_one_of_two_crossing_transactions_fails(pair):
    acts, _ = crossing(pair)
    [failure] = failures_at_once(acts)
    assert isinstance(failure, OperationalError)
    assert "deadlock detected" in str(failure)


def test_both_of_two_crossing_transactions_are_done(pair):
    acts, tries = crossing(pair)
    assert failures_at_once([repeated_after_deadlock(act) for act in acts]) == []
    assert min(tries.values()) == 1 < max(tries.values())
    last = set(User.objects.values_list("first_name", flat=True))
    assert len(last) == 1  # of one of them, as a whole


def test_inside_a_transaction_of_the_caller_nothing_is_done_again(pair):
    acts, tries = crossing(pair)

    def within(act):
        with transaction.atomic():
            repeated_after_deadlock(act)()

    [failure] = failures_at_once([lambda act=act: within(act) for act in acts])
    assert "deadlock detected" in str(failure)
    assert sorted(tries.values()) == [1, 1]


def test_another_error_is_not_repeated(db):
    calls = []

    def fails():
        calls.append(1)
        raise OperationalError("disk I/O error")

    with pytest.raises(OperationalError, match="disk"):
        repeated_after_deadlock(fails)()
    assert len(calls) == 1
