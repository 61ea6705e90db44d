"""Storage, users and competitions of a site. Tests of parts without Django do not use these fixtures."""

import pytest

from agon.site.accounts.models import User
from agon.site.competitions.models import Competition
from agon.site.workers import worker
from tests.support.cpu_load import counted_waits, uncounted_waits

__all__ = ["counted_waits", "uncounted_waits"]


@pytest.fixture(autouse=True)
def own_files(settings, tmp_path) -> None:
    """Give every test its own storage and its own folder of artifacts."""
    files = {
        "BACKEND": "agon.site.core.storage.WholeFiles",
        "OPTIONS": {"location": tmp_path / "media"},
    }
    settings.STORAGES = settings.STORAGES | {"default": files}
    settings.AGON_ARTIFACTS = tmp_path / "artifacts"


@pytest.fixture(autouse=True)
def warm_boxes(monkeypatch) -> None:
    """Never let a worker close its boxes for being idle, which could happen during a later test."""
    monkeypatch.setattr(worker, "IDLE_SECONDS", 86_400.0)


@pytest.fixture
def user(db) -> User:
    return User.objects.create_user("ada")


@pytest.fixture
def competition(db) -> Competition:
    """Samurai: four seats."""
    return Competition.objects.create(slug="samurai", game="samurai", title="Samurai")


@pytest.fixture
def coup(db) -> Competition:
    """Coup: two seats."""
    return Competition.objects.create(slug="coup", game="coup", title="Coup")
