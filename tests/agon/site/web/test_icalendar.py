"""Calendar files say what was meant, whatever the texts are, and hold what everyone may know."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from django.test import Client
from django.utils import timezone as site_time
from hypothesis import given
from hypothesis import strategies as st

from agon.site.competitions.models import Competition
from agon.site.tournaments import deadlines, running, services
from agon.site.tournaments.models import Tournament
from agon.site.web.core.icalendar import Entry, calendar
from tests.support.calendars import lines, read
from tests.support.factories import active_bots

NOW = datetime(2026, 11, 28, 9, 30, 5, tzinfo=UTC)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
# What stays as it is: no control character, no character that turns text around, line ends as LF.
plain = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]) | st.just("\n"), max_size=300
)


@given(plain, plain, plain)
def test_every_text_is_read_as_it_was_written(name, title, description):
    own, [event] = read(calendar(name, [Entry("1@x", title, NOW, NOW, description=description)]))
    assert [property_.value for property_ in own if property_.name in ("NAME", "X-WR-CALNAME")] == [
        name,
        name,
    ]
    assert event["SUMMARY"] == title
    assert event.get("DESCRIPTION", "") == description


@given(texts)
def test_no_text_can_end_its_line_or_begin_another_property(text):
    _own, [event] = read(calendar(text, [Entry("1@x", text, NOW, NOW, url="https://x/")]))
    assert set(event) == set(
        ["UID", "DTSTAMP", "LAST-MODIFIED", "SEQUENCE", "DTSTART", "SUMMARY", "URL", "STATUS", "TRANSP"]
    )
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x09\x0b-\x1f\x7f]", event["SUMMARY"])


@pytest.mark.parametrize(
    "title", ["\u202e" * 9 + "eno", "a\0b", "é" * 5000, "x" * 5000, "\r\nEND:VEVENT", "\t"]
)
def test_hostile_titles_are_folded_and_escaped(title):
    data = calendar(title, [Entry("1@x", title, NOW, NOW)])
    _own, [event] = read(data)
    assert b"\0" not in data
    assert "\u202e" not in data.decode()
    if title.isalpha() and len(title) == 5000:
        assert event["SUMMARY"] == title
    assert [line for line in lines(data) if line == b"END:VEVENT"] == [b"END:VEVENT"]


@given(st.datetimes(timezones=st.timezones()))
def test_times_are_utc(when):
    try:
        utc = when.astimezone(UTC)
    except OverflowError:
        return
    _own, [event] = read(calendar("", [Entry("1@x", "", when, NOW)]))
    match = re.fullmatch(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z", event["DTSTART"])
    assert datetime(*map(int, match.groups()), tzinfo=UTC) == utc.replace(microsecond=0)


def test_a_time_without_a_zone_is_refused_and_an_end_before_the_start_left_out():
    with pytest.raises(ValueError, match="time zone"):
        calendar("", [Entry("1@x", "", datetime(2026, 1, 1), NOW)])
    tokyo = timezone(timedelta(hours=9))
    _own, [event] = read(calendar("", [Entry("1@x", "", NOW.astimezone(tokyo), NOW, end=NOW)]))
    assert event["DTSTART"] == "20261128T093005Z"
    assert "DTEND" not in event


@pytest.fixture
def rps(db):
    return Competition.objects.create(slug="rps", game="honest_rps", title="Rock; paper, \\scissors")


@pytest.fixture
def bots(user, rps):
    return active_bots(user, rps, ["a", "b", "c"])


def announce(organizer, rps, name="Cup", field=Tournament.Field.PEOPLE, bots=(), hours=3):
    starts = services.Start(site_time.now() + timedelta(hours=hours), field)
    return services.create(organizer, rps, name, "round_robin", 1, 1, list(bots), starts=starts)


def events(path, who=None):
    browser = who or Client()
    answer = browser.get(path)
    assert answer.status_code == 200, path
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    return read(answer.content)[1]


@pytest.mark.production
def test_a_tournament_has_its_start_and_the_last_moment_to_enter(organizer, rps, bots):
    cup = announce(organizer, rps)
    path = f"{cup.get_absolute_url()}calendar.ics"
    entry, start = events(path)
    stamp = cup.starts_at.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    assert (entry["SUMMARY"], start["SUMMARY"]) == ("Last moment to enter: Cup", "Tournament: Cup")
    assert entry["DTSTART"] == start["DTSTART"] == stamp
    assert start["URL"].endswith(f"/tournaments/{cup.pk}/")
    page = Client().get(cup.get_absolute_url()).content.decode()
    assert f'href="{path}"' in page

    closes = cup.starts_at - timedelta(hours=1)
    Competition.objects.filter(pk=rps.pk).update(entry_closes=closes)
    entry, _start = events(path)
    assert entry["DTSTART"] == closes.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def test_what_an_event_is_called_by_programs_stays_while_its_sequence_rises(organizer, rps, bots):
    cup = announce(organizer, rps)
    path = f"{cup.get_absolute_url()}calendar.ics"
    before = events(path)
    deadlines.start_now(cup, organizer)
    cup.refresh_from_db()
    after = events(path)
    assert [component["UID"] for component in before] == [component["UID"] for component in after]
    assert len({component["UID"] for component in after}) == 2
    assert int(after[1]["SEQUENCE"]) > int(before[1]["SEQUENCE"])
    assert after[1]["DTSTART"] == cup.started.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    services.cancel(cup, organizer)
    assert [event["STATUS"] for event in events(path)] == ["CANCELLED", "CANCELLED"]


def test_one_that_is_cancelled_before_its_start_is_cancelled_in_calendars(organizer, rps, bots):
    cup = announce(organizer, rps)
    path = f"{cup.get_absolute_url()}calendar.ics"
    before = events(path)
    services.cancel(cup, organizer, "It is time.")
    after = events(path)
    assert [event["STATUS"] for event in after] == ["CANCELLED", "CANCELLED"]
    assert [(event["UID"], event["DTSTART"]) for event in before] == [
        (event["UID"], event["DTSTART"]) for event in after
    ]
    assert "Starts by itself" not in Client().get(cup.get_absolute_url()).content.decode()


def test_a_competition_has_its_entry_window_and_all_tournaments_in_order(organizer, rps, bots):
    opens, closes = site_time.now() - timedelta(days=1), site_time.now() + timedelta(days=9)
    Competition.objects.filter(pk=rps.pk).update(entry_opens=opens, entry_closes=closes)
    announce(organizer, rps, "Second", hours=48)
    announce(organizer, rps, "First", hours=24)
    components = events("/c/rps/calendar.ics")
    assert [component["SUMMARY"] for component in components] == [
        "Entry opens: Rock; paper, \\scissors",
        "Last moment to enter: First",
        "Tournament: First",
        "Last moment to enter: Second",
        "Tournament: Second",
        "Entry closes: Rock; paper, \\scissors",
    ]
    assert len({component["UID"] for component in components}) == 6
    assert 'href="/c/rps/calendar.ics"' in Client().get("/c/rps/tournaments/").content.decode()


def test_drafts_are_in_no_calendar_not_even_for_their_organizer(organizer, rps, bots):
    secret = announce(organizer, rps, "Secret field", Tournament.Field.CHOSEN, bots)
    services.create(organizer, rps, "By hand", "round_robin", 1, 1, bots)
    desk = Client()
    desk.force_login(organizer)
    assert events("/c/rps/calendar.ics", desk) == []
    for browser in (desk, Client()):
        assert browser.get(f"{secret.get_absolute_url()}calendar.ics").status_code == 404
    assert "calendar.ics" not in desk.get(secret.get_absolute_url()).content.decode()


def test_results_that_are_held_back_are_in_no_calendar(organizer, rps, bots):
    cup = announce(organizer, rps)
    running.release(cup, Tournament.Release.ORGANIZERS, organizer)
    deadlines.start_now(cup, organizer)
    text = Client().get(f"{cup.get_absolute_url()}calendar.ics").content.decode()
    assert not any(f" {bot.name}\r" in text or f":{bot.name}\r" in text for bot in bots)


def test_a_competition_without_dates_is_an_empty_calendar_and_an_unknown_one_is_not_found(client, rps):
    assert events("/c/rps/calendar.ics") == []
    assert client.get("/c/nowhere/calendar.ics").status_code == 404
    assert client.get("/tournaments/999999/calendar.ics").status_code == 404
    assert client.post("/c/rps/calendar.ics").status_code == 405
