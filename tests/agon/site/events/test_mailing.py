"""Notices by e-mail: once, in the account's language, and neither lost nor repeated when a server fails."""

import itertools
import re
import socket
import socketserver
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import ClassVar

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db.models import F
from django.test import Client
from django.utils import timezone

from agon.site.accounts.models import User
from agon.site.bots import states
from agon.site.bots.states import State
from agon.site.events.models import Event, Mailing
from agon.site.workers import outgoing, tasks
from tests.support.factories import submit

pytestmark = [pytest.mark.django_db, pytest.mark.production]
SMTP = "django.core.mail.backends.smtp.EmailBackend"


@pytest.fixture(autouse=True)
def with_mail(settings, user) -> None:
    settings.MAIL = True
    EmailAddress.objects.create(user=user, email="ada@example.org", verified=True, primary=True)


@pytest.fixture
def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def closed_port() -> int:
    """The number of a port at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
        return number


class Refusing(socketserver.StreamRequestHandler):
    """Speaks SMTP, takes ben as a recipient, and hangs up on any other. taken: the lines of the mails."""

    taken: ClassVar[list[bytes]]

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        takes = in_mail = False
        for line in self.rfile:
            if in_mail:
                self.taken.append(line)
                in_mail = line != b".\r\n"
                if in_mail:
                    continue
            elif line.upper().startswith(b"RCPT"):
                takes = b"ben@" in line
            elif line.upper().startswith(b"DATA") and takes:
                in_mail = True
                self.wfile.write(b"354 go on\r\n")
                continue
            if line.upper().startswith(b"RCPT") and not takes:
                self.wfile.write(b"421 no such mailbox\r\n")
                return
            self.wfile.write(b"250 fine\r\n")


@pytest.fixture
def refusing_server() -> Iterator[int]:
    """The port of a mail server that can be reached, and refuses every mail but those to ben."""
    Refusing.taken = []
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusing) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def choose(client: Client, *by_mail: str, language: str = "en") -> None:
    client.post("/notices/", {"mail": by_mail, "site": by_mail}, headers={"accept-language": language})


def reject(user, competition, name: str = "Sue") -> None:
    submit(user, competition, name, State.BUILDING).move(states.REJECT)


def send() -> list[mail.EmailMessage]:
    """What the workers' task sends."""
    mail.outbox = []
    outgoing.send()
    return mail.outbox


def later(**time: float) -> None:
    """As if this much time had passed since mail was sent or put off."""
    Mailing.objects.update(due=F("due") - timedelta(**time))


def test_nothing_is_mailed_unless_it_is_chosen(signed_in, user, competition):
    reject(user, competition)

    assert send() == []


def test_what_is_chosen_is_mailed_once(signed_in, user, competition):
    reject(user, competition, "Before")
    choose(signed_in, "version.rejected")
    submit(user, competition, "Rita", State.QUALIFYING).move(states.ACTIVATE)
    reject(user, competition, "Sue")
    [message] = send()

    assert message.to == ["ada@example.org"]
    assert message.subject == "[Agon] Version 1 of Sue was rejected."
    assert "Before" not in message.body
    assert "Rita" not in message.body
    assert re.search(r"http://\S+/s(ubmissions)?/\d+", message.body)
    later(hours=1)
    assert send() == []


def test_what_happens_within_five_minutes_is_one_mail(signed_in, user, competition):
    choose(signed_in, "version.rejected")
    reject(user, competition, "One")
    assert len(send()) == 1
    for name in ("Two", "Three"):
        reject(user, competition, name)
    assert send() == []
    later(minutes=6)
    [message] = send()
    assert message.subject == "[Agon] 2 notices"
    assert message.body.index("Two") < message.body.index("Three")


def test_a_mail_is_in_the_language_in_which_it_was_chosen(signed_in, user, competition):
    choose(signed_in, "version.rejected", language="ru")
    reject(user, competition)

    [message] = send()
    assert "Версия 1 бота Sue" in message.subject
    words = re.sub(r"http\S+|\bSue\b", "", message.body).replace(user.username, "")
    assert not re.search("[a-zA-Z]", words)


@pytest.mark.parametrize("verified", [False, None])
def test_an_address_that_is_not_confirmed_gets_nothing(signed_in, user, competition, verified):
    choose(signed_in, "version.rejected")
    reject(user, competition)
    if verified is None:
        EmailAddress.objects.all().delete()
    EmailAddress.objects.update(verified=False)

    assert "confirmed" in signed_in.get("/notices/").content.decode()
    assert send() == []


def test_a_server_that_is_down_loses_nothing(signed_in, user, competition, settings, closed_port):
    choose(signed_in, "version.rejected")
    reject(user, competition)
    working = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = SMTP, "127.0.0.1", closed_port
    for _ in range(3):
        assert send() == []
        later(minutes=2)
    settings.EMAIL_BACKEND = working
    assert len(send()) == 1
    later(minutes=10)
    assert send() == []


def test_a_mail_that_is_refused_is_tried_less_and_less_and_given_up(
    signed_in, user, competition, settings, refusing_server
):
    choose(signed_in, "version.rejected")
    reject(user, competition)
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = SMTP, "127.0.0.1", refusing_server
    pauses = []
    for _ in range(4):
        Mailing.objects.update(due=timezone.now())
        send()
        pauses.append(Mailing.objects.get().due - timezone.now())
    assert all(longer > 1.5 * shorter for shorter, longer in itertools.pairwise(pauses))
    Event.objects.update(at=timezone.now() - timedelta(days=2, seconds=1))
    Mailing.objects.update(due=timezone.now(), failures=0)
    send()
    assert Mailing.objects.get().failures == 0


def test_a_mail_that_is_refused_holds_up_no_other_and_the_log_says_why(
    signed_in, user, competition, settings, refusing_server, caplog
):
    choose(signed_in, "version.rejected")
    ben = User.objects.create_user("ben")
    EmailAddress.objects.create(user=ben, email="ben@example.org", verified=True, primary=True)
    other = Client()
    other.force_login(ben)
    choose(other, "version.rejected")
    reject(user, competition)
    reject(ben, competition, "Bea")
    Mailing.objects.filter(account=user).update(due=timezone.now() - timedelta(minutes=1))  # hers is first
    settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = SMTP, "127.0.0.1", refusing_server
    send()
    assert b"Bea was rejected" in b"".join(Refusing.taken)
    assert "no such mailbox" in caplog.text


def test_a_mail_can_be_ended_with_one_post_by_a_program(signed_in, user, competition):
    choose(signed_in, "version.rejected")
    reject(user, competition)
    headers = send()[0].extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = re.fullmatch(r"<https?://[^/]+(/.*)>", headers["List-Unsubscribe"])[1]
    program = Client(enforce_csrf_checks=True)
    assert "Stop the mails" in program.get(address).content.decode()
    reject(user, competition, "Tom")
    later(hours=1)
    assert program.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert send() == []
    assert "Tom was rejected" in signed_in.get("/notices/").content.decode()
    assert program.post(address.replace(f"/{user.pk}:", f"/{user.pk + 1}:")).status_code == 404


def test_a_site_without_mail_offers_and_sends_none(signed_in, user, competition, settings):
    choose(signed_in, "version.rejected")
    reject(user, competition)
    settings.MAIL = False

    assert "By e-mail" not in signed_in.get("/notices/").content.decode()
    assert send() == []


def test_a_name_with_strange_characters_is_one_line_of_the_subject(signed_in, user, competition):
    choose(signed_in, "version.rejected")
    reject(user, competition, "a\u2028b <i>\tc")
    [message] = send()

    assert message.message()["Subject"]
    assert "<i>" in message.body


def test_the_sweeper_asks_for_it(signed_in, user, competition, monkeypatch):
    sent = []
    monkeypatch.setattr("agon.site.workers.outgoing.request_task", lambda *task: sent.append(task[0]))
    choose(signed_in, "version.rejected")
    tasks.sweep()
    assert sent == []
    reject(user, competition)
    tasks.sweep()
    assert sent == ["agon.site.workers.tasks.send_out"]
