"""Programs that use the API: each is an account with a token."""

import io
import json
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agon.__main__ import main
from agon.site.accounts.models import User
from agon.site.tokens import services
from agon.site.tokens.models import Scope

PROGRAM = b"print('READY')\n"
ALL = tuple(Scope.values)


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


class Result(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def agon(live_server, tmp_path, monkeypatch, capsys):
    """agon(*arguments): runs it in an empty home, with nothing in the environment but what is given.

    It runs in this process, because an interpreter takes longer to start than most commands. HOME=None: in
    no home at all. stdin=None: closed.
    """

    def run(*arguments: object, stdin: str | None = "", **environment: str | None) -> Result:
        given = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"} | environment
        home = {name: value for name, value in given.items() if value is not None}
        with monkeypatch.context() as patch:
            for name in os.environ.keys() - home.keys():
                patch.delenv(name)
            for name, value in home.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", ["agon", *map(str, arguments)])
            patch.setattr(sys, "stdin", None if stdin is None else io.StringIO(stdin))
            patch.chdir(tmp_path)
            capsys.readouterr()
            with pytest.raises(SystemExit) as ended:
                main()
            result = Result(ended.value.code or 0, *capsys.readouterr())
        assert "internal error" not in result.err, result.err
        return result

    return run


@pytest.fixture
def token(user) -> str:
    return services.issue(user, "laptop", ALL)[1]


@pytest.fixture
def signed_in(agon, live_server, token):
    """The same, as ada, whose token the environment names: `agon login` would start one more process."""
    return partial(agon, AGON_SITE=live_server.url, AGON_TOKEN=token)


@pytest.fixture
def logged_in(agon, live_server, token):
    """The same, signed in as ada by `agon login`."""
    result = agon("login", "--token", live_server.url, stdin=f"{token}\n")
    assert result.code == 0, result.err
    return agon


@pytest.fixture
def program(tmp_path) -> Path:
    path = tmp_path / "rita.py"
    path.write_bytes(PROGRAM)
    return path
