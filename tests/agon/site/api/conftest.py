"""Programs that use the API: each is an account with a token."""

import json
from typing import Any

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agon.site.accounts.models import User
from agon.site.tokens import services
from agon.site.tokens.models import Scope

PROGRAM = b"print('READY')\n"
ALL = tuple(Scope.values)


@pytest.fixture(autouse=True)
def nothing_cached() -> None:
    """Clear the cache: it holds what accounts have left of their limits."""
    cache.clear()


class Program:
    """Sends requests with a token, or without one."""

    def __init__(self, owner: User | None = None, scopes: tuple[str, ...] = ALL, **kwargs: Any) -> None:
        self.client = Client()
        self.headers: dict[str, str] = {}
        if owner is not None:
            self.token, text = services.issue(owner, "test", scopes, **kwargs)
            self.headers["authorization"] = f"Bearer {text}"

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(f"/api/v1/{path}", headers=self.headers | headers)

    def post(self, path: str, data: Any = None, **headers: str) -> Any:
        return self._send("post", path, data, headers)

    def patch(self, path: str, data: Any = None, **headers: str) -> Any:
        return self._send("patch", path, data, headers)

    def delete(self, path: str, data: Any = None, **headers: str) -> Any:
        return self._send("delete", path, data, headers)

    def submit(self, data: bytes = PROGRAM, bot: str = "Rita", name: str = "rita.py", **more: Any) -> Any:
        """Enter a program in the competition of the tests."""
        headers = more.pop("headers", {})
        fields = {"bot": bot, "file": SimpleUploadedFile(name, data)} | more
        path = "/api/v1/competitions/samurai/submissions"
        return self.client.post(path, fields, headers=self.headers | headers)

    def _send(self, method: str, path: str, data: Any, headers: dict[str, str]) -> Any:
        body = "" if data is None else json.dumps(data)
        send = getattr(self.client, method)
        return send(f"/api/v1/{path}", body, content_type="application/json", headers=self.headers | headers)


@pytest.fixture
def ada(user: User) -> Program:
    """ada's program, which may do everything that she may."""
    return Program(user)


@pytest.fixture
def anyone(db: None) -> Program:
    return Program()
