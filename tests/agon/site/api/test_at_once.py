"""Requests that are sent at the same moment."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, connections, transaction
from django.db.models.signals import post_save

from agon.site.accounts.models import User
from agon.site.api.models import Answer
from agon.site.bots.models import Bot, Submission

from .conftest import PROGRAM, Program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
AT_ONCE = 6


def at_once(send) -> list:
    """The answers to AT_ONCE requests, each from a thread of its own."""

    def inner(number: int):
        try:
            return send(number)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(inner, range(AT_ONCE)))


def test_one_program_that_is_sent_at_once_is_entered_once(ada, competition):
    answers = at_once(lambda number: ada.submit())

    assert {answer.json()["id"] for answer in answers} == {Submission.objects.get().pk}
    assert sorted(answer.status_code for answer in answers) == [200] * (AT_ONCE - 1) + [201]
    assert Bot.objects.count() == 1


def test_requests_with_one_key_get_one_answer(ada, competition):
    answers = at_once(lambda number: ada.submit(headers={"idempotency-key": "k"}))

    assert {answer.content for answer in answers} == {answers[0].content}
    assert {answer.status_code for answer in answers} == {201}
    assert Submission.objects.count() == Answer.objects.count() == 1


def test_one_of_several_requests_with_one_key_is_carried_out(ada, competition):
    answers = at_once(
        lambda number: ada.submit(PROGRAM + str(number).encode(), headers={"idempotency-key": "k"})
    )

    assert sorted(answer.status_code for answer in answers) == [201] + [422] * (AT_ONCE - 1)
    assert Submission.objects.count() == 1


def test_versions_that_are_sent_at_once_are_numbered(user, competition, settings):
    settings.AGON_PENDING_PER_USER = 99
    programs = [Program(user) for _ in range(AT_ONCE)]
    at_once(lambda number: programs[number].submit(PROGRAM + str(number).encode()))

    numbers = Submission.objects.order_by("number").values_list("number", flat=True)
    assert list(numbers) == list(range(1, AT_ONCE + 1))


def test_a_request_with_a_key_is_carried_out_again_after_a_deadlock(ada, competition, settings):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one lock for all, and so no deadlocks")
    first, second = (User.objects.create_user(name) for name in ("bob", "cyd"))
    meet = threading.Barrier(2)
    tries = []

    def lock(user: User) -> None:
        User.objects.filter(pk=user.pk).update(first_name="locked")

    def while_submitting(**_: object) -> None:
        tries.append(1)
        lock(first)
        if len(tries) == 1:
            meet.wait(20)
        lock(second)

    def other_transaction() -> None:
        with contextlib.closing(connection), transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL deadlock_timeout = '60s'")  # so that the request is rolled back
            lock(second)
            meet.wait(20)
            lock(first)

    post_save.connect(while_submitting, Submission)
    try:
        with ThreadPoolExecutor(1) as thread:
            running = thread.submit(other_transaction)
            answer = ada.submit(headers={"idempotency-key": "k"})
            running.result()
    finally:
        post_save.disconnect(while_submitting, Submission)

    assert answer.status_code == 201
    assert len(tries) == 2
    with Submission.objects.get().source.open() as source:
        assert source.read() == PROGRAM
    assert ada.submit(headers={"idempotency-key": "k"}).headers["Idempotency-Replayed"] == "true"
