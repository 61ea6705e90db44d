"""An OpenID Connect provider on this machine, with real sockets: visitors are signed in as `claims` say."""

import base64
import http.server
import json
import threading
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

SECRET = "the secret that the site and the provider share"


class Provider:
    """claims: of the person who is signed in there. asked: the queries that browsers brought."""

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {"sub": "248289761001", "preferred_username": "rita"}
        self.asked: list[dict[str, str]] = []
        self.key = rsa.generate_private_key(65537, 2048)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def configuration(self) -> dict[str, Any]:
        keys = {"jwks_uri": f"{self.url}/keys"}
        ends = {"authorization": "authorize", "token": "token", "userinfo": "userinfo"}
        return (
            {"issuer": self.url}
            | {f"{name}_endpoint": f"{self.url}/{end}" for name, end in ends.items()}
            | keys
        )

    def keys(self) -> dict[str, Any]:
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [public | {"kid": "1", "use": "sig", "alg": "RS256"}]}

    def tokens(self, client: str) -> dict[str, Any]:
        facts = self.claims | {"iss": self.url, "aud": client, "exp": 4_000_000_000, "iat": 1}
        return {
            "access_token": base64.b64encode(b"anyone").decode(),
            "token_type": "Bearer",
            "id_token": jwt.encode(facts, self.key, "RS256", {"kid": "1"}),
        }


def _handler(provider: Provider) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urllib.parse.urlsplit(self.path)
            if parts.path == "/authorize":
                asked = dict(urllib.parse.parse_qsl(parts.query))
                provider.asked.append(asked)
                back = urllib.parse.urlencode({"code": "a-code", "state": asked["state"]})
                self.send_response(302)
                self.send_header("Location", f"{asked['redirect_uri']}?{back}")
                self.send_header("Content-Length", "0")
                self.end_headers()
            elif parts.path == "/userinfo":
                self._json(provider.claims)
            elif parts.path == "/keys":
                self._json(provider.keys())
            else:
                self._json(provider.configuration())

        def do_POST(self) -> None:
            sent = urllib.parse.parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            right = sent.get("client_secret") == [SECRET] and sent.get("code") == ["a-code"]
            assert right, sent
            assert sent.get("code_verifier"), sent
            self._json(provider.tokens(sent["client_id"][0]))

        def _json(self, document: dict[str, Any]) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


@contextmanager
def provider() -> Iterator[Provider]:
    server = Provider()
    try:
        yield server
    finally:
        server.close()
