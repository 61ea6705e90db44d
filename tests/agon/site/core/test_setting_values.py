"""Settings that may be wrong are named, with what is expected; mails have a sender of this site."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from agon.site.core.setting_values import sender


@pytest.mark.parametrize(
    ("text", "host", "expected"),
    [
        ("", "agon.example.org", "Agon <noreply@agon.example.org>"),
        ("", "127.0.0.1", "Agon <noreply@localhost>"),
        ("", "::1", "Agon <noreply@localhost>"),
        ("play@example.org", "x", "play@example.org"),
        ("The Arena <play@example.org>", "x", "The Arena <play@example.org>"),
        ("Арена <play@example.org>", "x", "=?utf-8?b?0JDRgNC10L3QsA==?= <play@example.org>"),
    ],
)
def test_mails_are_from_the_site(text, host, expected):
    assert sender("MAIL_FROM", text, host) == expected


@pytest.mark.parametrize(
    "text", ["example.org", "a@", "@example.org", "a b", "a\0@example.org", "A\nBcc: x@y.org <a@example.org>"]
)
def test_a_sender_that_is_none_is_named(text):
    with pytest.raises(ImproperlyConfigured, match="MAIL_FROM: expected"):
        sender("MAIL_FROM", text, "x")
