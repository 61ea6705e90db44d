"""A person at a site that runs elsewhere, who fills in its forms without a browser."""

import re
from typing import Any

import httpx

PASSWORD = "correct horse battery"


class Visitor:
    """A session with the site at `url`; a context manager, which closes its connections."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=60)

    def __enter__(self) -> "Visitor":
        return self

    def __exit__(self, *_error: object) -> None:
        self.http.close()

    def send(self, path: str, **fields: Any) -> httpx.Response:
        """Fill in the form of a page, and send it; the page that follows."""
        page = self.http.get(path)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
        assert token, f"{path} has no form: {page.status_code}"
        answer = self.http.post(path, data=fields | {"csrfmiddlewaretoken": token[1]})
        assert answer.status_code == 302, f"{path}: {answer.status_code} {_errors(answer.text)}"
        return self.http.get(answer.headers["Location"])

    def sign_up(self, name: str) -> None:
        self.send("/accounts/signup/", username=name, password1=PASSWORD, password2=PASSWORD)

    def sign_in(self, name: str, password: str) -> None:
        self.send("/accounts/login/", login=name, password=password)

    def token(self, password: str, *scopes: str) -> str:
        """A new access token for programs."""
        fields = {"name": "laptop", "scopes": scopes, "days": "30", "password": password}
        shown = re.search(r'id="made"[^>]*>\s*([^<\s]+)', self.send("/accounts/tokens/", **fields).text)
        assert shown
        return shown[1]


def _errors(page: str) -> list[str]:
    return re.findall(r'class="errorlist"[^>]*>(.*?)</ul>', page, re.DOTALL)
