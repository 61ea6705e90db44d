"""What the submit page offers is what a real sandbox of this machine can play."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from agon.site.bots import languages
from agon.site.competitions.models import Competition
from agon.site.fleet.heartbeat import Heartbeat
from agon.site.fleet.models import Process
from agon.site.workers import offering
from sandbox.api import Sandbox
from sandbox.backends import open_sandbox
from sandbox.building import selftest
from sandbox.building.selftest import LanguageState
from sandbox.languages import registry
from sandbox.languages.registry import Language

pytestmark = pytest.mark.django_db


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    sandbox = open_sandbox("bubblewrap")
    yield sandbox
    sandbox.close()


def choices(client: Client, competition: Competition) -> set[str]:
    page = client.get(f"/c/{competition.slug}/submit/")
    return {slug for slug, _title in page.context["form"].fields["language"].choices if slug}


def test_every_language_is_shown_until_a_worker_has_tried_them(client: Client, coup: Competition) -> None:
    assert choices(client, coup) == {language.slug for language in registry.all_languages()}


@pytest.mark.exhaustive
@pytest.mark.slow
def test_only_what_works_in_the_workers_sandbox_is_offered(
    client: Client, coup: Competition, sandbox: Sandbox, settings: Any, store: Path
) -> None:
    settings.AGON_ARTIFACTS = store
    working = languages.probe(sandbox)
    assert "python" in working
    assert choices(client, coup) == set(working)
    assert all(selftest.state(registry.get(slug), sandbox).works for slug in working)


def test_the_languages_are_tried_a_few_at_a_time(
    client: Client, coup: Competition, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, caplog: Any
) -> None:
    clock = [0.0]

    def takes_a_second(language: Language, _sandbox: Sandbox) -> str:
        clock[0] += 1
        return "" if language.slug != "c" else "it does not"

    monkeypatch.setattr(languages, "monotonic", lambda: clock[0])
    monkeypatch.setattr(selftest, "selftest", takes_a_second)
    cache.set(languages.OFFERED, ["c", "python"])  # as it was yesterday
    tried = [clock[0]]
    while languages.probe(sandbox, seconds=2.0) is None:
        tried.append(clock[0])
    assert len(tried) > 1
    assert all(1 <= after - before <= 3 for before, after in pairwise(tried))
    assert {"bash", "python"} <= choices(client, coup)
    assert "c" not in choices(client, coup)
    assert "the language c is offered no longer: it does not" in caplog.text


def works_on(
    machine: str,
    languages_there: set[str],
    building: set[str],
    settings: Any,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A builder of this machine tries the languages, while those of `building` are alive."""
    settings.AGON_MACHINE = machine

    def missing(language: Language, _sandbox: Sandbox, *_: Any) -> LanguageState:
        return LanguageState(language, "", language.slug in languages_there, "it is not installed")

    monkeypatch.setattr(selftest, "state", missing)
    languages.probe(sandbox, building=building)


def test_what_works_on_any_machine_that_builds_is_offered(
    client: Client, coup: Competition, sandbox: Sandbox, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    works_on("one", {"python", "perl"}, set(), settings, sandbox, monkeypatch)
    works_on("two", {"python", "bash"}, {"one"}, settings, sandbox, monkeypatch)
    assert choices(client, coup) == {"bash", "perl", "python"}
    works_on("two", {"python"}, {"one"}, settings, sandbox, monkeypatch)
    assert choices(client, coup) == {"perl", "python"}


def test_what_only_a_machine_had_that_is_gone_is_offered_again_when_it_is_back(
    client: Client,
    coup: Competition,
    sandbox: Sandbox,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: Any,
) -> None:
    for machine in ("one", "two"):
        settings.AGON_MACHINE = machine
        Heartbeat("builder", "builder", lambda: {"queues": ["build"]}).beat()
    works_on("one", {"python", "perl"}, set(), settings, sandbox, monkeypatch)
    works_on("two", {"python"}, {"one"}, settings, sandbox, monkeypatch)
    offering.tick()
    assert choices(client, coup) == {"perl", "python"}

    Process.objects.filter(machine="one").update(stopped=True)
    offering.tick()
    assert choices(client, coup) == {"python"}
    assert "perl is offered no longer: no builder of a machine that has it is alive" in caplog.text

    Process.objects.filter(machine="one").update(stopped=False)
    offering.tick()
    assert choices(client, coup) == {"perl", "python"}

    Process.objects.all().update(stopped=True)  # as it looks after the database was away for a minute
    offering.tick()
    assert choices(client, coup) == {"perl", "python"}


def test_what_works_on_each_machine_outlives_a_cache_that_is_emptied(
    client: Client, coup: Competition, sandbox: Sandbox, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what only another machine has was refused until that one looked again, within the hour."""
    has = {"one": {"python", "perl"}, "two": {"python"}}
    for machine, there in has.items():
        works_on(machine, there, {"one"}, settings, sandbox, monkeypatch)
        for kind, queue in (("builder", "build"), ("player", "bulk")):
            found = languages.found_here() if queue == "build" else []
            facts = {"queues": [queue], offering.LANGUAGES: found}
            Heartbeat(kind, kind, lambda facts=facts: facts).beat()  # type: ignore[misc]
    cache.clear()
    offering.tick()
    assert choices(client, coup) == {"perl", "python"}
    works_on("two", {"python"}, {"one"}, settings, sandbox, monkeypatch)  # it looks again first
    assert choices(client, coup) == {"perl", "python"}
    assert languages.has_machine("perl")


def test_what_comes_back_is_what_a_builder_that_is_alive_has_found(
    client: Client, coup: Competition, sandbox: Sandbox, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine had two builders, and has one since it got another language."""
    for place, there, ago in (("builder-1", {"python"}, timedelta(hours=1)), ("builder-0", {"perl"}, None)):
        works_on("one", there, {"one"}, settings, sandbox, monkeypatch)
        facts = {"queues": ["build"], offering.LANGUAGES: languages.found_here()}
        Heartbeat(place, "builder", lambda facts=facts: facts).beat()  # type: ignore[misc]
        if ago is not None:
            Process.objects.filter(place=f"one:{place}").update(seen=timezone.now() - ago)
    cache.clear()
    offering.tick()
    assert choices(client, coup) == {"perl"}
