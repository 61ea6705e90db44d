"""What a Sentry server gets of an error: where it was, and nothing of what anyone wrote."""

import gzip
import json
import logging

import pytest
import sentry_sdk
from django.core.exceptions import ImproperlyConfigured

from agon.site.core.logs import log_settings
from agon.site.core.sentry import Handler
from tests.support.receivers import Receiver

SECRET = "what a bot wrote"


@pytest.fixture
def server():
    receiver = Receiver()
    yield receiver
    sentry_sdk.init()  # to nowhere
    receiver.close()


def events(receiver):
    assert sentry_sdk.flush(20) is None
    received = []
    for headers, body in receiver.requests:
        text = gzip.decompress(body) if headers.get("content-encoding") == "gzip" else body
        assert SECRET.encode() not in text
        _envelope, _item, event = text.split(b"\n")[:3]
        received.append(json.loads(event))
    return received


def test_an_error_arrives_with_its_place_and_without_any_value(server):
    log = logging.Logger("agon.x")
    log.addHandler(Handler(server.url.replace("//", "//key@").replace("hook", "1"), "core-1"))
    log.warning("no error")
    try:
        own = SECRET + "!"
        raise ValueError(own)
    except ValueError:
        log.exception("match %s: %s", 7, SECRET, extra={"match": 7, "address": SECRET, "account": SECRET})
    logging.getLogger("urllib3").error("cannot send")
    [event] = events(server)
    assert event["message"] == "match %s: %s"
    assert event["tags"] == {"match": "7"}
    assert event["server_name"] == "core-1"
    [error] = event["exception"]["values"]
    assert error["type"] == "ValueError"
    assert error["stacktrace"]["frames"][-1]["function"].startswith("test_an_error_arrives")
    assert "vars" not in error["stacktrace"]["frames"][-1]
    assert event["breadcrumbs"]["values"] == []
    assert not {"user", "request", "extra", "modules"} & {key for key in event if event[key]}


def test_without_an_address_nothing_is_sent_and_a_wrong_one_is_named():
    assert "sentry" not in log_settings("text", "INFO")["handlers"]
    assert "sentry" in log_settings("text", "INFO", "https://key@example.org/1", "m")["root"]["handlers"]
    for wrong in ("example.org", "https://example.org/1", "\0"):
        with pytest.raises(ImproperlyConfigured, match="SENTRY_DSN: expected an address"):
            Handler(wrong, "m")
