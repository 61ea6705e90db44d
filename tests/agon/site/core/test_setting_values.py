"""Settings that may be wrong are named, with what is expected; mails have a sender of this site."""

import environ
import pytest
from django.core.exceptions import ImproperlyConfigured

from agon.site.core.setting_values import address, never_or_at_least, parsed, plain, redis, sender, token


@pytest.mark.parametrize(
    ("text", "host", "expected"),
    [
        ("", "agon.example.org", "Agon <noreply@agon.example.org>"),
        ("", "127.0.0.1", "Agon <noreply@localhost>"),
        ("", "::1", "Agon <noreply@localhost>"),
        ("play@example.org", "x", "play@example.org"),
        ("The Arena <play@example.org>", "x", "The Arena <play@example.org>"),
        ("Арена <play@example.org>", "x", "=?utf-8?b?0JDRgNC10L3QsA==?= <play@example.org>"),
        ("Agon <play@бот.рф>", "x", "Agon <play@xn--90a0am.xn--p1ai>"),
    ],
)
def test_mails_are_from_the_site(text, host, expected):
    assert sender("MAIL_FROM", text, "Agon", host) == expected


@pytest.mark.parametrize(
    "text", ["example.org", "a@", "@example.org", "a b", "a\0@example.org", "A\nBcc: x@y.org <a@example.org>"]
)
def test_a_sender_that_is_none_is_named(text):
    with pytest.raises(ImproperlyConfigured, match="MAIL_FROM: expected"):
        sender("MAIL_FROM", text, "Agon", "x")


@pytest.mark.parametrize("text", ["http://127.0.0.1:8000", "https://agon.example.org", "http://[::1]:8000"])
def test_the_address_of_a_site_is_taken(text):
    assert address("SITE_URL", text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://бот.рф", "https://xn--90a0am.xn--p1ai"),
        ("http://例え.jp:8000/", "http://xn--r8jz45g.jp:8000"),
        ("https://agon.example.org//", "https://agon.example.org"),
        ("HTTPS://Agon.Example.org:443", "https://agon.example.org"),
        (" https://agon.example.org:8443 ", "https://agon.example.org:8443"),
        ("http://agon.example.org:80/", "http://agon.example.org"),
        ("http://[::1]:443", "http://[::1]:443"),
    ],
)
def test_a_site_has_the_address_that_browsers_send(text, expected):
    assert address("SITE_URL", text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "agon.example.org",
        "agon.example.org:8000",
        "//x",
        "ftp://x",
        "http://",
        "http://[::1",
        "http://б..рф",
        "https://agon.example.org:99999",
        "https://agon .example.org",
    ],
)
def test_an_address_that_no_link_can_begin_with_is_named(text):
    with pytest.raises(ImproperlyConfigured, match="SITE_URL: expected an address such as https://"):
        address("SITE_URL", text)


@pytest.mark.parametrize("text", ["https://a.org/agon", "https://a.org/?x", "https://a.org#x"])
def test_an_address_with_something_after_the_host_is_named(text):
    with pytest.raises(ImproperlyConfigured, match=r"SITE_URL: .*nothing after it"):
        address("SITE_URL", text)


@pytest.mark.parametrize(
    "text", ["https://ada:secret@a.org", "https://ada:secret@a b.org", "ada:secret@a.org"]
)
def test_an_address_with_a_user_is_named_without_its_password(text):
    with pytest.raises(ImproperlyConfigured, match=r"SITE_URL: .*without the name of a user") as raised:
        address("SITE_URL", text)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("text", ["", "0123456789abcdef", "!" * 64])
def test_a_token_that_cannot_be_guessed_is_taken(text):
    assert token("AGON_METRICS_TOKEN", text) == text


@pytest.mark.parametrize("text", ["short", "x" * 15, "a token with spaces", "п" * 20, "\0" * 20, "a\n" * 20])
def test_another_is_named_and_not_shown(text):
    with pytest.raises(ImproperlyConfigured, match="AGON_METRICS_TOKEN: expected at least 16") as raised:
        token("AGON_METRICS_TOKEN", text)
    assert text not in str(raised.value)


def test_an_interval_is_0_or_long_enough():
    never_or_at_least("X", 0, 60)
    never_or_at_least("X", 60, 60)
    for value in (-1, 1, 59):
        with pytest.raises(ImproperlyConfigured, match=f"X: expected 0, or at least 60; got {value}"):
            never_or_at_least("X", value, 60)


def test_a_name_is_one_line_that_can_be_shown():
    assert plain("AGON_SITE_NAME", " Арена ") == "Арена"
    for text in (" ", "a\nb", "a\0", "a\u202eb", "x" * 61):
        with pytest.raises(ImproperlyConfigured, match="AGON_SITE_NAME: expected one line"):
            plain("AGON_SITE_NAME", text)


@pytest.mark.parametrize(
    "read",
    [
        lambda: parsed("X", "postgres://ada:se/cret@host/agon", environ.Env.db_url_config),
        lambda: parsed("X", "postgres://ada:secret@host:70000/agon", environ.Env.db_url_config),
        lambda: parsed("X", "smtp+tls://ada:se#cret@host:587", environ.Env.email_url_config),
        lambda: redis("X", "redis://:se?cret@host:6379/0"),
        lambda: redis("X", "redis://:secret@host:port/0"),
    ],
)
def test_an_address_whose_port_cannot_be_read_is_named_and_no_part_of_its_password_is_shown(read):
    with pytest.raises(
        ImproperlyConfigured, match=r"X: its host and port cannot be read.* # as %23"
    ) as raised:
        read()
    assert raised.value.__suppress_context__
    assert not any(part in str(raised.value) for part in ("'se'", "cret"))


@pytest.mark.parametrize("url", ["127.0.0.1:6379", "http://host", "unix:///run/redis"])
def test_an_address_that_is_of_no_redis_is_named(url):
    with pytest.raises(ImproperlyConfigured, match="X: expected an address such as redis://"):
        redis("X", url)


@pytest.mark.parametrize(
    "url", ["", "redis://host", "rediss://ada:se%23cret@host:6379/0", "redis://:x@[::1]:1"]
)
def test_the_address_of_a_redis_is_taken(url):
    assert redis("X", url) == url
