"""Who sees what: a submission, its source and log, what a bot wrote to standard error, an archive."""

import io
import json
import zipfile

import pytest
from django.contrib.auth.models import Permission
from django.core.files.base import ContentFile
from django.test import Client

from agon.site.accounts.models import User
from agon.site.archives import storing
from agon.site.matches import leases
from agon.site.tournaments import scheduling, services
from tests.support.factories import played

from .conftest import browser_of, play


@pytest.fixture
def private(four):
    """ada's submission with a source and a build log that nobody else may read."""
    submission = four[0]
    submission.build_log = "the secret log"
    submission.source.save("", ContentFile(b"print('the secret source')"), save=False)
    submission.save()
    return submission


def pages_of(submission) -> list[str]:
    address = submission.get_absolute_url()
    return [address, f"{address}?part=progress", f"{address}source"]


def test_the_owner_sees_their_submission_with_its_log_and_source(private, signed_in):
    page, part, source = (signed_in.get(address) for address in pages_of(private))

    assert "the secret log" in page.content.decode()
    assert "the secret log" in part.content.decode()
    assert b"the secret source" in source.content


def test_for_everybody_else_a_submission_does_not_exist(private, bob):
    for client in (Client(), browser_of(bob)):
        for address in pages_of(private):
            response = client.get(address)
            assert response.status_code == 404
            assert "secret" not in response.content.decode()


def test_organizers_see_every_submission(private, organizer):
    assert "the secret log" in browser_of(organizer).get(private.get_absolute_url()).content.decode()


def test_a_bot_s_page_links_to_versions_for_its_owner_only(private, signed_in, bob):
    address = private.bot.get_absolute_url()

    assert private.get_absolute_url() in signed_in.get(address).content.decode()
    for client in (Client(), browser_of(bob)):
        page = client.get(address).content.decode()
        assert "Rita" in page
        assert "/submissions/" not in page


def test_a_rejected_version_is_nobody_else_s_business(four, signed_in, bob):
    bot = four[0].bot
    bot.submissions.create(number=2, digest="d" * 64, filename="x.py", state="rejected")

    assert "rejected" in signed_in.get(bot.get_absolute_url()).content.decode()
    assert "rejected" not in browser_of(bob).get(bot.get_absolute_url()).content.decode()
    assert "rejected" not in browser_of(bob).get("/u/ada/").content.decode()


def test_standard_error_is_for_the_owner_and_for_organizers(four, signed_in, bob, organizer):
    match = play(four)
    address = f"{match.get_absolute_url()}stderr/2"

    for client in (signed_in, browser_of(organizer)):
        assert "seat 2 says hello" in client.get(match.get_absolute_url()).content.decode()
        answer = client.get(address)
        assert answer.content == b"seat 2 says hello\n"
        assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    for client in (Client(), browser_of(bob)):
        page = client.get(match.get_absolute_url())
        assert page.status_code == 200
        assert "says hello" not in page.content.decode()
        assert client.get(address).status_code == 404


def test_the_archive_of_a_match_has_standard_error_for_the_owner_and_for_organizers(
    four, signed_in, bob, organizer
):
    address = f"{play(four).get_absolute_url()}archive"
    for client, said in (
        (signed_in, b"seat 2 says hello\n"),
        (browser_of(organizer), b"seat 2 says hello\n"),
        (browser_of(bob), b""),
        (Client(), b""),
    ):
        archive = zipfile.ZipFile(io.BytesIO(b"".join(client.get(address).streaming_content)))
        assert archive.read("matches/0/2-Tom.stderr") == said


@pytest.fixture
def staff(db):
    """May sign in to the admin, and nothing else."""
    return User.objects.create_user("staff", is_staff=True)


@pytest.fixture
def director(staff):
    """May change every tournament, and view no submission."""
    staff.user_permissions.set(Permission.objects.filter(codename="change_tournament"))
    return User.objects.get(pk=staff.pk)


def test_staff_without_rights_see_no_more_than_visitors(private, staff):
    client = browser_of(staff)
    for address in pages_of(private):
        assert client.get(address).status_code == 404
    private.bot.submissions.create(number=2, digest="d" * 64, filename="x.py", state="rejected")
    assert "rejected" not in client.get("/u/ada/").content.decode()
    assert "rejected" not in client.get(private.bot.get_absolute_url()).content.decode()


def stderr_by_page_and_archive(client, match) -> tuple[bytes, bytes]:
    page = client.get(f"{match.get_absolute_url()}stderr/2")
    packed = client.get(f"{match.get_absolute_url()}archive")
    archive = zipfile.ZipFile(io.BytesIO(b"".join(packed.streaming_content)))
    [name] = [name for name in archive.namelist() if name.startswith("matches/0/2-") and "stderr" in name]
    return (page.content if page.status_code == 200 else b""), archive.read(name)


def test_page_and_archive_show_standard_error_to_the_same_people(four, competition, organizer, director, bob):
    ladder = play(four)
    cup = services.create(
        organizer, competition, "Cup", "rotations", 1, 1, [submission.bot for submission in four]
    )
    services.start(cup)
    while (match := leases.claim("w")) is not None:
        assert leases.finish(match, played(match))
        claimed = match
    scheduling.settle(cup.pk)

    hello = b"seat 2 says hello\n"
    assert stderr_by_page_and_archive(browser_of(director), claimed) == (hello, hello)
    assert stderr_by_page_and_archive(browser_of(director), ladder) == (b"", b"")
    assert stderr_by_page_and_archive(browser_of(bob), claimed) == (b"", b"")
    assert stderr_by_page_and_archive(browser_of(organizer), ladder) == (hello, hello)


@pytest.mark.parametrize("action", ["start", "pause", "resume", "cancel"])
def test_only_organizers_steer_a_tournament(action, four, competition, organizer, signed_in):
    bots = [submission.bot for submission in four]
    cup = services.create(organizer, competition, "Cup", "rotations", 1, 1, bots)
    address = f"/tournaments/{cup.pk}/{action}"

    assert Client().post(address).headers["Location"].startswith("/accounts/login/")
    assert signed_in.post(address).status_code == 404
    assert browser_of(organizer).get(address).status_code == 405
    cup.refresh_from_db()
    assert cup.state == "draft"


def test_an_archive_is_for_everyone_when_the_tournament_is_over_and_logs_are_for_organizers(
    four, competition, organizer, signed_in
):
    bots = [submission.bot for submission in four]
    cup = services.create(organizer, competition, "Cup", "rotations", 1, 1, bots)
    services.start(cup)
    address = f"/tournaments/{cup.pk}/archive"

    assert Client().get(address).status_code == 404
    assert signed_in.get(address).status_code == 404
    assert browser_of(organizer).get(address).status_code == 404  # not yet: it holds the seeds
    claimed = leases.claim("w")
    assert leases.finish(claimed, played(claimed))
    services.cancel(cup)
    waiting = Client().get(address)
    assert (waiting.status_code, waiting.headers["Retry-After"]) == (503, "5")
    storing.make(cup)
    archive = zipfile.ZipFile(io.BytesIO(b"".join(Client().get(address).streaming_content)))
    logs = [name for name in archive.namelist() if name.endswith(".stderr")]
    assert [archive.read(name) for name in logs] == [b""] * 4  # what bots wrote is for their authors
    address = f"/tournaments/{cup.pk}/logs.jsonl"
    assert Client().get(address).status_code == 404
    assert signed_in.get(address).status_code == 404
    said = b"".join(browser_of(organizer).get(address).streaming_content).splitlines()
    assert [json.loads(line)["stderr"] for line in said] == [f"seat {n} says hello\n" for n in range(4)]


def test_making_a_tournament_is_for_organizers(competition, signed_in):
    assert Client().get("/c/samurai/tournaments/new/").status_code == 302
    assert signed_in.get("/c/samurai/tournaments/new/").status_code == 404
    assert "New tournament" not in signed_in.get("/c/samurai/tournaments/").content.decode()
