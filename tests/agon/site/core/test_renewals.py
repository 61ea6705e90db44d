"""Leases that are held for long are renewed; those that end at once cost nothing."""

import threading
from contextlib import ExitStack

import pytest
from django.db import DatabaseError

from agon.site.core.db import leases
from agon.site.core.db.leases import renewing

LONG = 60  # seconds


@pytest.fixture(autouse=True)
def often(monkeypatch):
    monkeypatch.setattr(leases, "RENEWED_EVERY", 0.02)
    monkeypatch.setattr(leases, "CHECK_EVERY", 0.01)


class Lease:
    """Counts its renewals; the one that makes it `enough` is waited for."""

    def __init__(self, enough=3, answer=True):
        self.renewals = 0
        self.enough, self.answer = enough, answer
        self.reached = threading.Event()

    def renew(self):
        self.renewals += 1
        if self.renewals == self.enough:
            self.reached.set()
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_lease_is_renewed_again_and_again_until_its_block_ends():
    lease, another = Lease(), Lease()
    with renewing(lease.renew):
        assert lease.reached.wait(LONG)
    renewals = lease.renewals
    with renewing(another.renew):
        assert another.reached.wait(LONG)
    assert lease.renewals == renewals


def test_all_leases_of_a_process_share_one_thread():
    before = threading.active_count()
    held = [Lease() for _ in range(50)]
    with ExitStack() as stack:
        for lease in held:
            stack.enter_context(renewing(lease.renew))
        assert all(lease.reached.wait(LONG) for lease in held)
        assert threading.active_count() <= before + 1


def test_a_lost_lease_is_not_renewed_again_and_others_are():
    lost, kept = Lease(answer=False), Lease()
    with renewing(lost.renew), renewing(kept.renew):
        assert kept.reached.wait(LONG)
    assert lost.renewals == 1


def test_a_database_that_fails_once_does_not_end_the_renewals(caplog):
    lease = Lease(answer=DatabaseError("gone"))
    with renewing(lease.renew):
        assert lease.reached.wait(LONG)
    assert "could not be renewed" in caplog.text


def test_the_thread_ends_when_no_lease_is_held():
    with renewing(Lease().renew):
        [thread] = [running for running in threading.enumerate() if running.name == "leases"]
    thread.join(LONG)
    assert not thread.is_alive()
