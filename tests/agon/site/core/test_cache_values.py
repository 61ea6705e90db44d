"""Values in the cache come back as they were, and what others put there is data and runs nothing."""

import json
import pickle
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pytest
from django.conf import settings
from django.core.cache import cache
from django.template import engines
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy

from agon.contest.formats import ScheduledMatch
from agon.site.bots.models import Bot
from agon.site.core.cache_values import Serializer, Unreadable, dumps, loads
from agon.site.core.texts.reasons import StoredReason
from agon.site.matches.states import State
from agon.site.web.leaderboards.board import Scale
from games.core.reason import Reason

VALUES = [
    None,
    True,
    -3,
    10**30,
    0.1,
    "Ада \ud7ff\n",
    b"\x00\xff",
    [1, (2, [3])],
    {"a": {"$": 1}},
    {1: "x", (2, 3): frozenset({4})},
    {5, 6},
    Counter({1: 2}),
    Fraction(1, 3),
    datetime(2026, 1, 2, 3, 4, 5, 6, UTC),
    date(2026, 1, 2),
    timedelta(days=-1, microseconds=7),
    State.RUNNING,
    ScheduledMatch(1, 2, 3, (4, 5)),
    StoredReason("no_build", why=Reason("exited", status=1), ids=(2, 3)),
    Reason("exited", status=1),
]


class Evil:
    """What runs code when it is unpickled."""

    def __reduce__(self):
        return (exec, ("raise SystemExit('code from the cache was run')",))


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value):
    loaded = loads(dumps(value))
    assert (loaded, type(loaded)) == (value, type(value))
    cache.set("value", value)
    assert cache.get("value") == value


@pytest.mark.django_db
def test_a_row_comes_back_with_the_rows_that_were_read_with_it(user, competition, django_assert_num_queries):
    made = Bot.objects.create(owner=user, competition=competition, name="Rita")
    bot = Bot.objects.select_related("competition").get(pk=made.pk)
    loaded = loads(dumps([bot]))[0]
    with django_assert_num_queries(0):
        assert (loaded, loaded.name, loaded.state, loaded.created) == (bot, "Rita", bot.state, bot.created)
        assert loaded.competition == competition
        assert loaded.competition.title == competition.title
    assert loaded.owner == user


def test_html_stays_html_and_text_is_still_escaped():
    template = engines["django"].from_string("{{ value }}")
    assert template.render({"value": loads(dumps(mark_safe("<b>")))}) == "<b>"
    assert template.render({"value": loads(dumps("<b>"))}) == "&lt;b&gt;"
    assert type(loads(dumps(mark_safe("<b>")))) is SafeString


@pytest.mark.parametrize(
    "value",
    [object(), Evil(), print, gettext_lazy("Archive"), Scale],
    ids=["object", "instance", "function", "lazy text", "class"],
)
def test_what_is_no_data_is_not_written(value):
    with pytest.raises(TypeError, match="is not a class whose values are cached"):
        dumps(value)


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps(Evil()),
        pickle.dumps(1.5),
        *(
            json.dumps({"$": name, "value": value}).encode()
            for name, value in [
                ("os:system", ["true"]),
                ("builtins:eval", ["1"]),
                ("subprocess:Popen", {"args": ["true"]}),
                ("agon.site.matches.models:Match", {"pk": 1}),
                ("agon.site.matches.models:Match", [{"nothing": 1}]),
                ("django.contrib.auth.models:Permission", [{"id": 1}, {}]),
                ("agon.site.matches.records:Path", ["/etc/passwd"]),
                ("agon.contest.formats:json.loads", ["1"]),
                ("agon.site.celery:app.send_task", ["agon.site.workers.tasks.play"]),
                ("agon.site.matches.states:State", "no state"),
                ("agon.contest.formats:ScheduledMatch", {"other": 1}),
                ("nothing:Nothing", []),
                (["a"], 1),
            ]
        ),
        b'{"$": "tuple"}',
        b"[" * 100_000,
        b"\xff",
        b"",
    ],
)
def test_what_others_wrote_is_refused_and_runs_nothing(data):
    with pytest.raises(Unreadable):
        Serializer().loads(data)


def test_celery_takes_nothing_but_json():
    assert settings.CELERY_ACCEPT_CONTENT == ["json"]
    assert settings.CELERY_TASK_SERIALIZER == "json"


@pytest.mark.redis
def test_a_pickle_in_redis_is_as_good_as_nothing(redis_url, settings):
    from redis import Redis

    from agon.site.core.redis_cache import PatientRedis

    options = {"serializer": "agon.site.core.cache_values.Serializer"}
    store = PatientRedis(redis_url, {"OPTIONS": options, "VERSION": 1})
    store.set("counted", 1)
    assert store.incr("counted") == 2
    store.set("kept", (Fraction(1, 2), "x"))
    assert store.get("kept") == (Fraction(1, 2), "x")
    plain = Redis.from_url(redis_url)
    plain.set(":1:kept", pickle.dumps(Evil()))
    assert store.get("kept", "nothing") == "nothing"
    plain.delete(":1:kept", ":1:counted")
