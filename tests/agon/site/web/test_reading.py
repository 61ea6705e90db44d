"""What the pages show, and what an open page is given when it asks for its news."""

import io
import json
import re
import zipfile

import pytest
from django.core.cache import cache
from django.core.files.base import ContentFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.views.defaults import server_error

from agon.contest.archive import verify
from agon.site.matches import queueing
from agon.site.matches.models import Match, Stderr
from games.core.reason import Reason
from games.core.record import from_json
from tests.support.factories import activate, submit
from tests.support.reasons import said

from .conftest import browser_of, play


def text(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return response.content.decode()


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as seen:
        text(client, address)
    return len(seen)


def test_every_public_page_answers_with_and_without_anything_to_show(client, user, competition):
    pages = ["/", "/c/samurai/", "/c/samurai/matches/", "/c/samurai/tournaments/", "/c/samurai/rules/"]
    pages += ["/c/samurai/submit/", "/u/ada/"]
    for address in pages:
        assert "<h1" in text(client, address)
    four = activate(user, competition, ["Rita", "Sue", "Tom", "Una"])
    match = play(four)
    for address in [*pages, match.get_absolute_url(), four[0].bot.get_absolute_url()]:
        assert "<h1" in text(client, address)


def test_the_leaderboard_marks_the_reader_s_own_bots(four, client, signed_in, bob):
    play(four)

    assert text(signed_in, "/c/samurai/").count('class="own"') == 4
    assert 'class="own"' not in text(client, "/c/samurai/")
    assert 'class="own"' not in text(browser_of(bob), "/c/samurai/")


@pytest.mark.parametrize(
    ("address", "inside", "outside"),
    [
        ("/?part=cards", "Samurai", "<html"),
        ("/c/samurai/?part=board", 'id="row-', "<html"),
        ("/c/samurai/matches/?part=rows", 'id="match-', "<html"),
    ],
)
def test_an_open_page_is_given_its_part_alone(four, client, address, inside, outside):
    play(four)

    part = text(client, address)

    assert inside in part
    assert outside not in part


def test_the_part_of_a_match_is_sent_only_when_it_has_changed(four, client):
    match = play(four)

    assert client.get(f"{match.get_absolute_url()}?part=match&seen=finished").status_code == 204
    part = text(client, f"{match.get_absolute_url()}?part=match&seen=running")
    assert "<html" not in part
    assert "hx-get" not in part  # it is over: nothing more to ask for


def test_the_part_of_a_submission_is_sent_only_when_it_has_changed(four, signed_in):
    address = f"{four[0].get_absolute_url()}?part=progress"
    seen = signed_in.get(address).context["stamp"]

    assert signed_in.get(f"{address}&seen={seen}").status_code == 204
    play(four)
    assert "first rated match" in text(signed_in, f"{address}&seen={seen}")


def test_a_submission_shows_what_its_bot_said_in_the_qualification_match(four, signed_in):
    match = play(four)
    Match.objects.filter(pk=match.pk).update(kind=Match.Kind.QUALIFICATION, qualifies=four[1])

    page = text(signed_in, four[1].get_absolute_url())

    assert "seat 1 says hello" in page
    assert "seat 0 says hello" not in page
    assert match.get_absolute_url() in page


def test_a_leaderboard_takes_as_many_queries_for_twelve_bots_as_for_four(four, user, competition, client):
    play(four)
    client.get("/")  # finds out what is on, which all pages share for a while
    few = queries(client, "/c/samurai/")
    activate(user, competition, [f"more {n}" for n in range(8)])

    assert queries(client, "/c/samurai/") == few


def test_a_list_of_matches_takes_as_many_queries_for_nine_as_for_one(four, client):
    fault = {(2, 1): ("timeout", "no answer")}
    play(four, fault)
    cache.clear()
    few = queries(client, "/c/samurai/matches/")
    for _ in range(8):
        play(four, fault)
    cache.clear()

    assert queries(client, "/c/samurai/matches/") == few


def test_matches_are_filtered_by_bot_state_and_kind(four, user, competition, client):
    others = activate(user, competition, ["W", "X", "Y", "Z"])
    ladder = play(four)
    submission = submit(user, competition, "V")
    trial = play([submission, *others[1:]], kind=Match.Kind.QUALIFICATION, qualifies=submission)

    def listed(query: str) -> set[int]:
        page = client.get(f"/c/samurai/matches/?{query}").content.decode()
        return {int(number) for number in re.findall(r'<tr id="match-(\d+)"', page)}

    assert listed("") >= {ladder.pk, trial.pk}
    assert listed("kind=qualification") == {trial.pk}
    assert listed(f"bot={submission.bot_id}&state=finished") == {trial.pk}
    assert listed("bot=nonsense&state=odd&page=-3") >= {ladder.pk, trial.pk}


def test_a_match_is_told_in_words_and_over_the_wire(four, client):
    match = play(four)

    assert "Turn 1, day" in text(client, match.get_absolute_url())
    assert "negotiates with lord" in text(client, match.get_absolute_url())
    assert "replied" in text(client, f"{match.get_absolute_url()}?raw=1")


def test_a_fault_is_shown_with_its_reason_and_its_step(four, client):
    page = text(client, play(four, {(3, 1): ("timeout", "no answer within 50 ms")}).get_absolute_url())

    assert "no answer within 50 ms" in page
    assert "too slow" in page
    assert "step 4" in page


@pytest.mark.parametrize("raw", ["", "?raw=1"])
def test_a_time_that_was_not_measured_is_not_shown(four, client, raw):
    """As that of a bot that had crashed before it was asked."""
    page = text(client, play(four, {(3, 1): ("crash", "it ended")}).get_absolute_url() + raw)

    assert "it ended" in page
    assert 'class="took"' in page
    assert "0 µs" not in page


@pytest.mark.parametrize("raw", ["", "?raw=1"])
def test_a_fault_leads_to_the_page_of_the_transcript_that_tells_it(four, client, monkeypatch, raw):
    monkeypatch.setattr("agon.site.web.matches.views.SCENES", 2)
    match = play(four, {(5, 1): ("timeout", "no answer within 50 ms")})
    page = text(client, match.get_absolute_url() + raw)
    [address] = re.findall(r'<a href="([^"]+)">step 6</a>', page)
    there, _, anchor = address.replace("&amp;", "&").partition("#")

    assert "page=" in there
    told = text(client, there).partition('id="transcript-title"')[2]
    assert f'id="{anchor}"' in told
    assert "no answer within 50 ms" in told
    assert f'id="{anchor}"' not in page


def test_a_transcript_begins_with_what_came_first(four, client, monkeypatch):
    monkeypatch.setattr("agon.site.web.matches.views.SCENES", 2)
    page = text(client, play(four).get_absolute_url())

    assert "Turn 1, day" in page
    assert re.search(r'rel="next"[^>]*>Later<', page)
    assert "Older" not in page


def test_a_fault_is_told_once_in_the_transcript(four, client):
    page = text(client, play(four, {(3, 1): ("timeout", "no answer within 50 ms")}).get_absolute_url())

    assert page.partition('id="transcript-title"')[2].count("no answer within 50 ms") == 1


def test_further_faults_of_a_bot_are_folded_away_below_its_first(four, client):
    match = play(four, {(1, 1): ("timeout", "the first"), (4, 2): ("timeout", "another's")})
    match.seats.get(number=1).faults.create(kind="illegal", step=5, reason=said("the second"))

    page = text(client, match.get_absolute_url()).partition('id="transcript-title"')[0]

    shown, _, folded = page.partition("1 more fault of this bot")
    assert "the first" in shown
    assert "the second" in folded
    assert page.count("more fault") == 1  # nothing is folded for who has one


def test_what_a_bot_says_is_shown_as_text(four, client):
    page = text(client, play(four, {(3, 1): ("crash", "<script>alert(1)</script>")}).get_absolute_url())

    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


def test_a_match_without_a_result_says_that_no_bot_is_to_blame(four, client):
    match = play(four)
    Match.objects.filter(pk=match.pk).update(state="void", reason=Reason("text", text="the disk was full"))

    page = text(client, match.get_absolute_url())

    assert "the platform failed, not a bot" in page
    assert "the disk was full" in page


def halved(data):
    return data[: len(data) // 2]


def garbled(data):
    return data[:10] + bytes(len(data) - 10)


def emptied(data):
    return b""


@pytest.mark.parametrize("harm", [halved, garbled, emptied])
def test_a_record_that_is_lost_or_damaged_is_said(four, signed_in, harm):
    match = play(four)
    kept = match.recording
    kept.record, kept.times, kept.files = harm(kept.record), harm(kept.times), b"x"
    kept.save()
    for stderr in Stderr.objects.all():
        stderr.data = harm(stderr.data)
        stderr.save()

    assert "no longer in storage" in text(signed_in, match.get_absolute_url())
    for name in ("record.json", "archive", "files/history.txt", "stderr/0"):
        assert signed_in.get(match.get_absolute_url() + name).status_code == 404


def test_a_record_is_downloaded_as_a_file(four, client):
    match = play(four)

    answer = client.get(f"{match.get_absolute_url()}record.json")

    assert answer.headers["Content-Disposition"] == f'attachment; filename="match-{match.pk}.json"'
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert from_json(answer.content).seed == 38
    assert json.loads(answer.content)["game"] == "samurai"


def test_everything_of_a_match_is_downloaded_as_one_archive_that_verifies(user, coup, client, tmp_path):
    match = play(activate(user, coup, ["Ann", "Ben"]), {(0, 0): ("crash", "exited with status 1")})
    address = f"{match.get_absolute_url()}archive"
    assert f'href="{address}"' in text(client, match.get_absolute_url())

    answer = client.get(address)

    assert answer.headers["Content-Disposition"] == f'attachment; filename="match-{match.pk}.zip"'
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        archive.extractall(tmp_path / "match")
    assert verify.verify(tmp_path / "match").differences == ()
    names = {path.name for path in (tmp_path / "match/matches/0").iterdir()}
    assert names == {"record.json", "times.json", "0-Ann.stderr", "1-Ben.stderr", "Ann_Ben_0_0.txt"}


def test_a_match_without_a_result_has_no_archive(four, client):
    queueing.queue(four[0].bot.competition, Match.Kind.LADDER, Match.Queue.BULK, four)
    assert client.get(f"/matches/{Match.objects.get().pk}/archive").status_code == 404


def test_a_game_s_own_file_is_downloaded_under_a_safe_name(user, coup, client):
    match = play(activate(user, coup, ["Ann", "Ben"]), {(0, 0): ("crash", "exited with status 1")})
    address = f"{match.get_absolute_url()}files/"

    answer = client.get(f"{address}history.txt")

    assert answer.headers["Content-Disposition"] == f'attachment; filename="match-{match.pk}-history.txt"'
    for name in ("other.txt", "..%2f..%2fetc%2fpasswd", "record"):
        assert client.get(address + name).status_code == 404


def test_a_source_with_an_odd_name_cannot_break_out_of_its_header(four, signed_in):
    submission = four[0]
    submission.filename = 'x"\r\nSet-Cookie: a=b.py'
    submission.source.save("", ContentFile(b"x"), save=True)

    answer = signed_in.get(f"{submission.get_absolute_url()}source")

    assert "Set-Cookie" not in answer.headers
    assert answer.headers["Content-Disposition"].startswith("attachment;")


def test_bots_to_start_from_are_downloaded_from_the_rules_page(client, coup):
    assert "StarterPy" in text(client, "/c/coup/rules/")
    answer = client.get("/c/coup/rules/starters/StarterPy")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="starter.py"'
    assert client.get("/c/coup/rules/starters/Calculator").status_code == 404  # not one to start from


def test_the_language_is_switched_and_stays(client, competition):
    client.post("/i18n/setlang/", {"language": "ja", "next": "/c/samurai/"})

    assert '<html lang="ja"' in text(client, "/c/samurai/")
    assert '<article class="prose" lang="ja"' in text(client, "/c/samurai/rules/")


def test_the_appearance_is_switched_and_stays(client, competition):
    assert "data-theme" not in text(client, "/").split(">", 2)[1]
    answer = client.post("/theme/", {"theme": "dark", "next": "/c/samurai/"})

    assert answer.headers["Location"] == "/c/samurai/"
    assert 'data-theme="dark"' in text(client, "/")


@pytest.mark.parametrize("target", ["https://elsewhere.test/", "//elsewhere.test/", "javascript:alert(1)"])
def test_switching_never_leads_to_another_site(client, target):
    for address, fields in (("/theme/", {"theme": "dark"}), ("/i18n/setlang/", {"language": "ru"})):
        answer = client.post(address, fields | {"next": target})
        assert "elsewhere" not in answer.headers["Location"]
        assert "javascript" not in answer.headers["Location"]


def test_what_is_not_there_is_said_with_a_way_back(client, db):
    for address in (
        "/nothing/",
        "/c/nothing/",
        "/bots/999/",
        "/matches/999/",
        "/u/nobody/",
        "/tournaments/9/",
    ):
        answer = client.get(address)
        assert answer.status_code == 404
        assert "Go to competitions" in answer.content.decode()


def test_a_failure_of_the_site_is_said_without_asking_the_database_anything(rf):
    answer = server_error(rf.get("/"))

    assert answer.status_code == 500
    assert "Something went wrong on our side" in answer.content.decode()


def test_a_forgotten_password_leads_nowhere_that_mail_would_have_to_go(client, db, settings):
    assert "/accounts/password/reset/" not in text(client, "/accounts/login/")
    for page in (
        client.get("/accounts/password/reset/"),
        client.post("/accounts/password/reset/", {"email": "a@b.c"}),
    ):
        assert page.status_code == 200
        assert "This site cannot send mail." in page.content.decode()
        assert "sent" not in page.content.decode().partition("<main")[2].partition("</main")[0].replace(
            "send", ""
        )
    settings.MAIL = True
    assert "/accounts/password/reset/" in text(client, "/accounts/login/")
    assert 'name="email"' in text(client, "/accounts/password/reset/")


def test_the_administration_is_named_after_the_site(organizer):
    page = text(browser_of(organizer), "/admin/")

    assert "Agon" in page
    assert "Django" not in page
    assert 'rel="icon"' in page


def test_no_page_holds_a_script_or_style_of_its_own(four, signed_in, organizer):
    match = play(four)
    pages = ["/", "/c/samurai/", "/c/samurai/submit/", "/c/samurai/rules/", match.get_absolute_url()]
    for address in [*pages, four[0].get_absolute_url(), "/c/samurai/matches/"]:
        page = text(signed_in, address)
        assert "<style" not in page
        assert " style=" not in page
        assert " onclick=" not in page
        assert page.count("<script") == page.count('<script src="/static/')
