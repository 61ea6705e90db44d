"""What becomes of an upload before it is built: taken whole, or refused in words with nothing left behind."""

import io
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from celery import Celery
from django.contrib.auth.models import Permission
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import access
from agon.site.bots.models import Bot, Submission
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive, receive_again, receive_text
from agon.site.bots.sources import source_of
from agon.site.bots.states import State
from agon.site.core.queue import notify

pytestmark = pytest.mark.production

PROGRAM = b"print('READY')\n"


@pytest.fixture
def bob(db):
    return User.objects.create_user("bob")


def nothing_was_kept():
    return (
        not Bot.objects.exists() and not Submission.objects.exists() and not default_storage.exists("sources")
    )


def test_a_file_becomes_the_first_version_of_a_new_bot(user, competition):
    submission = receive(user, competition, "Rita", "rita.py", PROGRAM)

    assert (submission.bot.name, submission.bot.owner, submission.number) == ("Rita", user, 1)
    assert submission.state == State.RECEIVED
    assert [(file.path, file.data) for file in source_of(submission).files] == [("rita.py", PROGRAM)]


def test_a_pasted_program_is_kept_as_it_was_pasted(user, competition):
    submission = receive_text(user, competition, "Rita", "print('ハロー')\r\n", "python")

    [file] = source_of(submission).files
    assert file.data.decode() == "print('ハロー')\n"
    assert submission.language == "python"


def test_the_next_upload_to_a_bot_is_its_next_version_whatever_the_case_of_the_name(user, competition):
    first = receive(user, competition, "Rita", "rita.py", PROGRAM)
    second = receive(user, competition, " rita ", "other.py", PROGRAM + b"#")

    assert (second.bot, second.number) == (first.bot, 2)


def test_a_name_that_somebody_else_has_taken_is_refused_at_the_field(user, bob, competition):
    receive(user, competition, "Rita", "rita.py", PROGRAM)

    with pytest.raises(Refused, match="The name Rita is taken in this competition") as refused:
        receive(bob, competition, "RITA", "rita.py", PROGRAM)

    assert refused.value.field == "name"
    assert Submission.objects.count() == 1


def test_a_free_name_is_proposed_for_one_that_is_taken(user, bob, competition):
    receive(user, competition, "starter", "starter.py", PROGRAM)
    proposals = []
    for _ in range(3):
        with pytest.raises(Refused) as refused:
            receive(bob, competition, "Starter", "starter.py", PROGRAM)
        proposals.append(refused.value.proposal)
        assert f"{refused.value.proposal} is free." in str(refused.value)
        receive(
            bob, competition, refused.value.proposal, "starter.py", PROGRAM + bytes(proposals[-1], "utf-8")
        )

    assert proposals == ["Starter bob", "Starter 2", "Starter 3"]
    assert receive(user, competition, "x" * 40, "starter.py", PROGRAM + b"#").bot.name == "x" * 40
    with pytest.raises(Refused) as refused:
        receive(bob, competition, "x" * 40, "starter.py", PROGRAM + b"#")
    assert refused.value.proposal == "x" * 36 + " bob"


def test_the_same_name_may_be_used_in_another_competition(user, bob, competition, coup):
    receive(user, competition, "Rita", "rita.py", PROGRAM)

    assert receive(bob, coup, "Rita", "rita.py", PROGRAM).number == 1


@pytest.mark.parametrize("name", ["", " ", "x" * 41, "a/b", "-rita", "ri\nta\0", "<b>", "..", "rita\u202e"])
def test_a_name_that_cannot_be_one_is_refused(user, competition, name):
    with pytest.raises(Refused, match="A bot name has 1 to 40 letters") as refused:
        receive(user, competition, name, "rita.py", PROGRAM)

    assert refused.value.field == "name"
    assert nothing_was_kept()


@pytest.mark.parametrize("name", ["R", "Рита", "リタ", "rita 2.0", "a_b-c+d'e", "x" * 40])
def test_names_of_all_writings_are_taken(user, competition, name):
    assert receive(user, competition, name, "rita.py", PROGRAM).bot.name == name


def zip_of(**files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "../"), data)
    return packed.getvalue()


@pytest.mark.parametrize(
    ("filename", "data", "words"),
    [
        ("rita.py", b"", "is empty"),
        ("rita.py", b"x" * (11 << 20), "11.0 MiB"),
        ("rita.txt", b"hello", "known language"),
        ("rita.zip", zip_of(__up=b"x"), r"\.\."),
        ("rita.zip", b"PK but no zip", "not an archive"),
    ],
)
def test_a_file_that_cannot_be_a_bot_is_refused_at_the_field_and_leaves_nothing(
    user, competition, filename, data, words
):
    with pytest.raises(Refused, match=words) as refused:
        receive(user, competition, "Rita", filename, data)

    assert refused.value.field == "file"
    assert nothing_was_kept()


def test_a_pasted_program_in_no_language_is_refused_at_the_field(user, competition):
    with pytest.raises(Refused) as refused:
        receive_text(user, competition, "Rita", "print()", "klingon")

    assert refused.value.field == "text"
    assert nothing_was_kept()


def test_a_closed_competition_takes_nothing(user, competition):
    competition.state = competition.State.CLOSED
    competition.save()

    with pytest.raises(Refused, match="Samurai is closed"):
        receive(user, competition, "Rita", "rita.py", PROGRAM)

    assert nothing_was_kept()


def test_somebody_with_many_pending_submissions_has_to_wait(user, bob, competition, settings):
    settings.AGON_PENDING_PER_USER = 2
    first = receive(user, competition, "Rita", "rita.py", PROGRAM)
    receive(user, competition, "Rita", "rita.py", PROGRAM)

    with pytest.raises(Refused, match="2 of your submissions are still being built or tested"):
        receive(user, competition, "Rita", "rita.py", PROGRAM)
    assert receive(bob, competition, "Bob", "bob.py", PROGRAM).number == 1

    Submission.objects.filter(pk=first.pk).update(state=State.REJECTED)
    assert receive(user, competition, "Rita", "rita.py", PROGRAM).number == 3


def test_there_is_a_limit_to_submissions_within_an_hour(user, competition, settings):
    settings.AGON_SUBMISSIONS_PER_HOUR = 1
    first = receive(user, competition, "Rita", "rita.py", PROGRAM)
    Submission.objects.update(state=State.REJECTED)

    with pytest.raises(Refused, match="You have made 1 submissions within an hour"):
        receive(user, competition, "Rita", "rita.py", PROGRAM)

    Submission.objects.filter(pk=first.pk).update(created=first.created.replace(year=2020))
    assert receive(user, competition, "Rita", "rita.py", PROGRAM).number == 2


def test_an_earlier_version_plays_again_in_its_bot_whatever_has_its_name_by_now(user, competition):
    first = receive(user, competition, "Rita", "a.py", PROGRAM)
    Bot.objects.filter(pk=first.bot.pk).update(name="Sina", name_key="sina")
    receive(user, competition, "Sina", "a.py", PROGRAM + b"#")
    receive(user, competition, "Rita", "a.py", PROGRAM)
    version, is_new = receive_again(user, first)
    assert (version.bot, version.number, is_new) == (first.bot, 3, True)


def test_an_earlier_version_that_is_asked_for_twice_is_entered_once(user, competition):
    first = receive(user, competition, "Rita", "a.py", PROGRAM)
    receive(user, competition, "Rita", "a.py", PROGRAM + b"#")
    again, _ = receive_again(user, first)
    assert receive_again(user, first) == (again, False)


@pytest.mark.parametrize(
    ("state", "words"),
    [("withdrawn", "Let it play again before"), ("stopped", "is stopped"), ("deleted", "was deleted")],
)
def test_no_earlier_version_brings_a_bot_back_that_is_out_of_play(state, words, user, competition):
    first = receive(user, competition, "Rita", "a.py", PROGRAM)
    receive(user, competition, "Rita", "a.py", PROGRAM + b"#")
    Bot.objects.update(state=state)
    first.bot.refresh_from_db()
    with pytest.raises(Refused, match=words):
        receive_again(user, first)


def test_a_program_that_is_lost_is_not_entered_again(user, competition):
    first = receive(user, competition, "Rita", "a.py", PROGRAM)
    receive(user, competition, "Rita", "a.py", PROGRAM + b"#")
    default_storage.delete(first.source.name)
    with pytest.raises(Refused, match="version 1 is lost"):
        receive_again(user, first)


def test_there_is_a_limit_to_bots_in_one_competition(user, competition, coup, settings):
    settings.AGON_BOTS_PER_USER = 1
    receive(user, competition, "Rita", "rita.py", PROGRAM)

    with pytest.raises(Refused, match="You have 1 bots in this competition"):
        receive(user, competition, "Rosa", "rosa.py", PROGRAM)
    assert receive(user, coup, "Rosa", "rosa.py", PROGRAM).number == 1


@pytest.mark.parametrize("is_chosen", [False, True])
def test_a_bot_with_only_rejected_versions_takes_a_place_with_its_next_one(user, competition, is_chosen):
    """Otherwise, an owner whose first uploads fail could have more bots than the others."""
    competition.bots_per_owner = 1
    competition.save()
    bot = receive(user, competition, "Rita", "rita.py", PROGRAM).bot
    Submission.objects.update(state=State.REJECTED)
    rosa = receive(user, competition, "Rosa", "rosa.py", PROGRAM).bot

    def upload_to_rita():
        wanted = bot if is_chosen else None
        return receive_text(user, competition, "Rita", "print('READY')", "python", wanted=wanted)

    with pytest.raises(Refused, match="You have 1 bots in this competition"):
        upload_to_rita()
    assert receive(user, competition, "Rosa", "rosa.py", PROGRAM + b"#").number == 2
    Bot.objects.filter(pk=rosa.pk).update(state="deleted")
    assert upload_to_rita().number == 2


def test_an_upload_that_cannot_be_written_down_leaves_no_file(user, competition, monkeypatch):
    def broken(self, *args, **kwargs):
        raise OSError("the database is gone")

    monkeypatch.setattr(Submission, "save", broken)
    with pytest.raises(OSError, match="the database is gone"):
        receive(user, competition, "Rita", "rita.py", PROGRAM)

    folders = default_storage.listdir("sources")[0] if default_storage.exists("sources") else []
    assert not [name for folder in folders for name in default_storage.listdir(f"sources/{folder}")[1]]


@pytest.mark.django_db(transaction=True)
def test_uploads_to_one_new_bot_at_once_all_become_versions(user, competition):
    together = Barrier(4)

    def upload(number):
        together.wait()
        try:
            return receive(user, competition, "Rita", "rita.py", PROGRAM + b"#" * number).number
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(upload, range(4))) == [1, 2, 3, 4]
    assert Bot.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_nobody_gets_round_the_limits_by_uploading_at_once(user, competition, settings):
    settings.AGON_PENDING_PER_USER = settings.AGON_BOTS_PER_USER = 2
    together = Barrier(6)

    def upload(number):
        together.wait()
        try:
            return receive(user, competition, f"bot {number % 3}", "rita.py", PROGRAM).number
        except Refused as refused:
            return refused.field
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as threads:
        taken = [answer for answer in threads.map(upload, range(6)) if isinstance(answer, int)]
    assert (len(taken), Submission.objects.count()) == (2, 2)
    assert Bot.objects.count() <= 2


@pytest.mark.django_db(transaction=True)
def test_of_two_people_who_take_a_name_at_once_one_gets_it(user, bob, competition):
    together = Barrier(2)

    def upload(owner):
        together.wait()
        try:
            return receive(owner, competition, "Rita", "rita.py", PROGRAM).bot.owner_id
        except Refused as refused:
            return refused.field
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(upload, [user, bob])
    assert {first, second} in ({user.pk, "name"}, {bob.pk, "name"})


def test_source_and_log_are_for_the_owner_and_those_who_may_view_submissions(user, bob, competition):
    submission = receive(user, competition, "Rita", "rita.py", PROGRAM)
    staff = User.objects.create_user("carol", is_staff=True)
    moderator = User.objects.create_user("mo")
    moderator.user_permissions.add(Permission.objects.get(codename="view_submission"))

    assert access.may_see_private(user, submission)
    assert access.may_see_private(moderator, submission)
    assert not access.may_see_private(staff, submission)
    assert not access.may_see_private(bob, submission)


@pytest.mark.django_db(transaction=True)
def test_an_upload_is_taken_while_the_broker_is_gone(user, competition, monkeypatch, caplog):
    gone = Celery(broker="redis://127.0.0.1:1/0")
    gone.conf.broker_transport_options = {"max_retries": 1, "interval_start": 0}
    monkeypatch.setattr(notify, "app", gone)

    assert receive(user, competition, "Rita", "rita.py", PROGRAM).pk
    assert "the workers of queue build could not be notified" in caplog.text


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no clock of its own")
def test_a_web_server_whose_clock_is_wrong_makes_no_upload_early(user, competition, monkeypatch):
    competition.entry_closes = timezone.now() + timedelta(minutes=5)
    competition.save()
    early = timezone.now() - timedelta(minutes=30)
    monkeypatch.setattr(timezone, "now", lambda: early)
    assert receive(user, competition, "Rita", "rita.py", PROGRAM).created > early + timedelta(minutes=29)
    competition.entry_closes = early + timedelta(minutes=20)
    with pytest.raises(Refused, match="Entry closed at"):
        receive(user, competition, "Sue", "sue.py", PROGRAM)
