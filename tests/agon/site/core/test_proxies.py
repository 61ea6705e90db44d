"""Staff are told when the proxies in front of the site are not those that TRUSTED_PROXY_COUNT says."""

import pytest
from django.test import Client

from agon.site.web.core import proxies

FEWER = "requests pass fewer proxies that set X-Forwarded-For"
MORE = "requests pass more proxies that set X-Forwarded-For"
PROXY, INNER, VISITOR = "10.0.0.2", "10.0.0.3", "203.0.113.7"
PUBLIC = "8.8.8.8"
PAGE = "/archives/signers"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh():
    proxies._last.clear()
    yield
    proxies._last.clear()


def visit(times, connection, forwarded=None, client=None):
    headers = {} if forwarded is None else {"x-forwarded-for": forwarded}
    for _ in range(times):
        assert (client or Client()).get(PAGE, REMOTE_ADDR=connection, headers=headers).status_code == 200


def notices(admin_client):
    page = admin_client.get("/").content.decode()
    return [text for text in (FEWER, MORE) if text in page]


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("count", "connection", "forwarded", "notice"),
    [
        (0, PUBLIC, None, []),
        (0, "127.0.0.1", None, []),
        (0, PROXY, PUBLIC, [MORE]),
        (0, "::1", f"{PUBLIC}, {INNER}", [MORE]),
        (0, PUBLIC, PUBLIC, []),  # a visitor without a proxy who pretends to have one
        (1, PROXY, PUBLIC, []),
        (1, PROXY, f"{VISITOR}, {PUBLIC}", []),  # a visitor who pretends to have another address
        (1, PROXY, "192.168.1.7", []),  # of the same network as the site
        (1, PROXY, f"{PUBLIC}, {INNER}", [MORE]),
        (1, PUBLIC, None, [FEWER]),
        (2, PROXY, PUBLIC, [FEWER]),
        (2, PROXY, f"{PUBLIC}, {INNER}", []),
        (2, PROXY, f"{PUBLIC}, {INNER}, {INNER}", [MORE]),
    ],
)
def test_staff_are_told_of_a_count_that_does_not_fit(
    settings, admin_client, client, count, connection, forwarded, notice
):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = count
    visit(proxies.WATCHED, connection, forwarded)
    assert notices(admin_client) == notice
    assert FEWER not in client.get("/").content.decode()
    assert MORE not in client.get("/").content.decode()


def test_a_few_forged_requests_among_others_tell_nothing(settings, admin_client):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    visit(proxies.WATCHED - 20, PROXY, PUBLIC)
    visit(20, PROXY, f"{PUBLIC}, {INNER}")
    assert notices(admin_client) == []


def test_the_notice_goes_when_the_requests_fit_again(settings, admin_client):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    visit(proxies.WATCHED, PUBLIC)
    assert notices(admin_client) == [FEWER]
    visit(proxies.WATCHED, PROXY, PUBLIC)
    assert notices(admin_client) == []


@pytest.fixture
def https(settings):
    settings.SITE_URL, settings.SECURE_SSL_REDIRECT = "https://site.test", True
    settings.ALLOWED_HOSTS = ["site.test"]
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 0


def ask(**headers):
    return Client().get(PAGE, headers={"host": "site.test"} | headers)


@pytest.mark.parametrize("proto", ["https", "HTTPS", " https "])
def test_an_https_site_behind_a_proxy_that_is_not_counted_says_so(https, caplog, proto):
    answer = ask(**{"x-forwarded-proto": proto})
    assert answer.status_code == 500
    assert "TRUSTED_PROXY_COUNT" in answer.content.decode()
    assert "TRUSTED_PROXY_COUNT" in caplog.text


def test_visitors_by_http_are_still_sent_to_https(https, settings):
    assert ask()["Location"] == f"https://site.test{PAGE}"
    assert ask(**{"x-forwarded-proto": "http"})["Location"] == f"https://site.test{PAGE}"
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert ask(**{"x-forwarded-proto": "http"})["Location"] == f"https://site.test{PAGE}"
    assert ask(**{"x-forwarded-proto": "https"}).status_code == 200
