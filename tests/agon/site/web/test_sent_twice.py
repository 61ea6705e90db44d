"""A form that is sent twice, at once or later, is acted on once; both get the same answer and no error."""

import asyncio
import re
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.signals import pre_save
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import SentForm, User
from agon.site.accounts.services import house_user
from agon.site.accounts.tasks import forget_sessions
from agon.site.asgi import application
from agon.site.audit.models import Act
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot, Submission
from agon.site.competitions.models import Competition
from agon.site.leaderboards.models import Leaderboard
from agon.site.tournaments.models import Tournament
from agon.site.trials.models import Trial
from tests.support.at_once import outcomes_at_once
from tests.support.factories import activate

from .conftest import PASSWORD

at_once = pytest.mark.django_db(transaction=True)
pytestmark = pytest.mark.production

FORM = "/c/samurai/submit/"
SIGN_UP = "/accounts/signup/"
TEMPLATES = Path(__file__).parents[4] / "templates"
PROGRAM = b"print('READY')\n"


def token_of(client: Client, address: str) -> str:
    """The token of the forms of a page, which the client opens."""
    [*tokens] = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', client.get(address).content.decode())
    assert tokens, address
    return tokens[0]


def copy_of(client: Client) -> Client:
    """The same browser, in another thread."""
    copied = Client(enforce_csrf_checks=True, raise_request_exception=False)
    copied.cookies.load(client.cookies.output(header="", sep=";"))
    for name, cookie in client.cookies.items():
        copied.cookies[name] = cookie.value
    return copied


def send_at_once(client: Client, address: str, times: int, data: dict, page: str = "") -> list:
    """Send one form of one page several times at the same moment, each time as the browser packs it."""
    data = data | {"csrfmiddlewaretoken": token_of(client, page or address)}

    def send(browser: Client):
        files = {
            name: SimpleUploadedFile("bot.py", value) for name, value in data.items() if type(value) is bytes
        }
        return browser.post(address, data | files)

    return outcomes_at_once([partial(send, copy_of(client)) for _ in range(times)])


def results(answers: list) -> set[tuple[int, str]]:
    return {(answer.status_code, answer.headers.get("Location", "")) for answer in answers}


def upload(**changes) -> dict:
    return {"name": "Rita", "way": "file", "file": PROGRAM, "paths": "", "text": "", "language": ""} | changes


@at_once
def test_of_one_sign_up_sent_eight_times_there_is_one_account_signed_in_by_each_answer():
    client = Client()
    person = {"username": "rita", "password1": PASSWORD, "password2": PASSWORD, "next": "/docs/"}
    answers = send_at_once(client, SIGN_UP, 8, person)
    assert results(answers) == {(302, "/docs/")}
    assert User.objects.filter(username="rita").count() == 1
    for answer in answers:
        browser = Client()
        browser.cookies["sessionid"] = answer.cookies["sessionid"].value
        assert browser.get("/").context["user"].username == "rita"


@at_once
def test_of_one_upload_sent_five_times_there_is_one_version(competition, signed_in):
    answers = send_at_once(signed_in, FORM, 5, upload())
    assert results(answers) == {(302, f"/submissions/{Submission.objects.get().pk}/")}


@at_once
def test_of_a_pasted_program_too(competition, signed_in):
    data = upload(way="text", text="print(1)\n", language="python")
    del data["file"]
    assert len(results(send_at_once(signed_in, FORM, 5, data))) == 1
    assert Submission.objects.count() == 1


@at_once
def test_of_a_tournament_and_of_a_bot_that_is_withdrawn_there_is_one_act(competition, user, organizer):
    bots = activate(organizer, competition, ["Rita", "Sue", "Tom", "Una"])
    client = Client()
    client.force_login(organizer)
    keys = [seated_bot.bot_id for seated_bot in bots]
    data = {"name": "Cup", "format": "rotations", "rounds": "1", "seed": "7", "bots": keys}
    made = send_at_once(client, "/c/samurai/tournaments/new/", 4, data)
    assert results(made) == {(302, Tournament.objects.get().get_absolute_url())}
    bot = bots[0].bot.get_absolute_url()
    assert results(send_at_once(client, f"{bot}withdraw/", 4, {"why": ""})) == {(302, bot)}
    assert Act.objects.filter(verb=Verb.WITHDRAW_BOT).count() == 1


@at_once
def test_of_one_try_there_is_one_trial(rps_with_house_bot):
    opponent = rps_with_house_bot
    data = {"text": "def bot(*_):\n    return 'R'\n", "language": "python", "opponent": opponent.pk}
    answers = send_at_once(Client(), "/c/rps/editor/", 4, data)
    assert results(answers) == {(302, f"/c/rps/editor/?trial={Trial.objects.get().token}#trial")}


@pytest.fixture
def rps_with_house_bot(db) -> Submission:
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="Honest RPS")
    Leaderboard.objects.create(competition=rps)
    [submission] = activate(house_user(), rps, ["Dice"])
    Bot.objects.update(house=True)
    return submission


@at_once
def test_of_a_form_of_the_administration_too(organizer):
    client = Client()
    client.force_login(organizer)
    answers = send_at_once(client, "/admin/auth/group/add/", 4, {"name": "judges", "why": "they judge"})
    assert results(answers) == {(302, "/admin/auth/group/")}


@pytest.fixture
def browser(signed_in, competition) -> Client:
    return signed_in


def send(client: Client, token: str, address: str = FORM, **changes):
    data = upload(way="text", text="print(1)\n", language="python", csrfmiddlewaretoken=token, **changes)
    del data["file"]
    return client.post(address, data)


@pytest.mark.django_db
def test_it_is_the_same_form_minutes_later_and_another_one_after_that(browser):
    token = token_of(browser, FORM)
    first = send(browser, token)
    SentForm.objects.update(sent=timezone.now() - timedelta(minutes=9))
    assert send(browser, token).headers["Location"] == first.headers["Location"]
    SentForm.objects.update(sent=timezone.now() - timedelta(minutes=11))
    assert send(browser, token).headers["Location"] != first.headers["Location"]


@pytest.mark.django_db
def test_other_contents_or_another_page_are_another_form(browser):
    token = token_of(browser, FORM)
    send(browser, token)
    send(browser, token, name="Sue")
    send(browser, token_of(browser, FORM))
    assert Submission.objects.count() == 3


@pytest.mark.django_db
def test_what_was_refused_is_judged_again(browser, competition):
    token = token_of(browser, FORM)
    competition.state = competition.State.CLOSED
    competition.save()
    assert send(browser, token).status_code == 422
    competition.state = competition.State.OPEN
    competition.save()
    assert send(browser, token).status_code == 302


@pytest.mark.django_db
def test_another_browser_does_not_get_the_answer(browser, competition, bob):
    """Not even one that knows the form, its token and all that was sent."""
    token = token_of(browser, FORM)
    send(browser, token)
    stranger = Client(enforce_csrf_checks=True)
    stranger.force_login(bob)
    token_of(stranger, FORM)
    assert send(stranger, token).status_code == 403
    assert Submission.objects.count() == 1


@pytest.mark.django_db
def test_a_form_whose_process_has_died_is_acted_on_after_a_minute(browser):
    token = token_of(browser, FORM)
    send(browser, token)
    Submission.objects.all().delete()
    SentForm.objects.update(answer=None, sent=timezone.now() - timedelta(seconds=61))
    assert send(browser, token).status_code == 302
    assert Submission.objects.count() == 1


@pytest.mark.django_db
def test_answers_are_forgotten(browser):
    send(browser, token_of(browser, FORM))
    forget_sessions()
    assert SentForm.objects.count() == 1
    SentForm.objects.update(sent=timezone.now() - timedelta(minutes=11))
    forget_sessions()
    assert not SentForm.objects.exists()


@pytest.mark.django_db
def test_a_form_that_cannot_be_read_is_refused_as_ever(browser, settings):
    token = token_of(browser, FORM)
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 2
    assert send(browser, token).status_code == 400


async def post(scope: dict, body: bytes, leaves: asyncio.Event) -> list[dict]:
    """Send a request to the site as its web server does. leaves: when the browser gives it up."""
    sent: list[dict] = []
    parts = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict:
        if parts:
            return parts.pop()
        await leaves.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict) -> None:
        sent.append(message)

    await application(scope, receive, send)
    return sent


async def sent_and_left_and_sent_again(scope: dict, body: bytes) -> list[dict]:
    """The first one is given up while the site writes the version."""
    loop, writes = asyncio.get_running_loop(), asyncio.Event()

    def leave(**_: object) -> None:
        loop.call_soon_threadsafe(writes.set)

    pre_save.connect(leave, Submission)
    try:
        assert await post(scope, body, writes) == []
        return await post(scope, body, asyncio.Event())
    finally:
        pre_save.disconnect(leave, Submission)


@at_once
def test_a_browser_that_gives_up_its_first_request_gets_its_answer_with_the_second(competition, signed_in):
    token = token_of(signed_in, FORM)
    data = upload(way="text", text="print(1)\n", language="python", csrfmiddlewaretoken=token)
    del data["file"]
    cookies = "; ".join(f"{name}={cooky.value}" for name, cooky in signed_in.cookies.items())
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": FORM,
        "query_string": b"",
        "headers": [
            (b"host", b"127.0.0.1"),
            (b"cookie", cookies.encode()),
            (b"content-type", b"application/x-www-form-urlencoded"),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    body = urlencode(data).encode()
    answer = asyncio.run(asyncio.wait_for(sent_and_left_and_sent_again(scope, body), 60))
    assert answer[0]["status"] == 302
    headers = dict(answer[0]["headers"])
    assert headers[b"Location"] == f"/submissions/{Submission.objects.get().pk}/".encode()


def test_every_form_that_changes_something_has_a_token():
    """By the token the site knows it again."""
    for path in TEMPLATES.rglob("*.html"):
        text = path.read_text()
        for form in re.findall(r"<form[^>]*(?:method=\"post\"|hx-post)[^>]*>.*?</form>", text, re.DOTALL):
            assert "csrf_token" in form, path
