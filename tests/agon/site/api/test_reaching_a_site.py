"""What keeps a command from reaching a site, and what it says then."""

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytestmark = pytest.mark.django_db(transaction=True)
USAGE, TRY_LATER = 2, 5


@pytest.mark.parametrize(
    "url", ["agon.example", "localhost:8000", "http://agon..example", f"http://{'a' * 70}.example"]
)
def test_an_address_that_is_none_is_reported_with_an_example(agon, url):
    result = agon("whoami", "--site", url)
    assert (result.code, f"{url} is no address of a site" in result.err) == (USAGE, True), result
    assert "https://agon.example" in result.err


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("ALL_PROXY", "socks5://127.0.0.1:1080", "socksio"),
        ("HTTP_PROXY", "gopher://127.0.0.1:70", "gopher"),
        ("NO_PROXY", "[::1],localhost", "NO_PROXY"),
        ("SSL_CERT_FILE", "/nonexistent", "SSL_CERT_FILE or SSL_CERT_DIR"),
    ],
)
def test_an_environment_that_cannot_be_used_is_named(signed_in, live_server, name, value, says):
    proxy = {"HTTPS_PROXY": "http://127.0.0.1:9"} if name == "NO_PROXY" else {}
    result = signed_in("whoami", **{name: value}, **proxy)
    assert (result.code, says in result.err) == (USAGE, True), result


def test_what_is_no_text_is_not_sent(signed_in, competition, tmp_path):
    (tmp_path / "rita\udcff.py").write_bytes(b"print('READY')\n")
    for words in (
        ("submit", "samurai", "rita\udcff.py", "--check"),
        ("submit", "samurai", "rita\udcff.py", "--check", "--bot", "Rita"),
        ("try", "samurai", "rita\udcff.py", "--against", "\udcff"),
        ("board", "samurai\udcff"),
    ):
        result = signed_in(*words)
        assert (result.code, "\\udcff" in result.err) == (USAGE, True), result
        assert "expected text in UTF-8" in result.err


class Stranger(BaseHTTPRequestHandler):
    """What is no site, or stands before one. status, headers, body: what it answers."""

    status = 200
    headers_sent: Mapping[str, str] = {}
    body = b""

    def do_GET(self) -> None:
        self.send_response(self.status)
        for name, value in self.headers_sent.items():
            self.send_header(name, value.format(path=self.path))
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_arguments: object) -> None:
        pass


def answered(agon, status=200, headers=None, body=b""):
    """What `agon whoami` says to such an answer."""
    members = {"status": status, "headers_sent": headers or {}, "body": body}
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Answering", (Stranger,), members)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            return agon("whoami", "--site", f"http://127.0.0.1:{server.server_port}")
        finally:
            server.shutdown()
            thread.join()


def test_a_site_that_is_elsewhere_says_where(agon):
    result = answered(agon, 301, {"Location": "https://agon.example{path}"})
    assert result.code == USAGE
    assert "it redirects to https://agon.example/api/v1/me" in result.err


def test_an_answer_that_cannot_be_decompressed_is_of_no_site(agon):
    result = answered(agon, 200, {"Content-Encoding": "gzip"}, b"{}")
    assert (result.code, "is no site of Agon: it sent what cannot be decompressed" in result.err) == (
        USAGE,
        True,
    ), result


@pytest.mark.parametrize("status", [200, 404])
def test_an_answer_that_is_nested_without_end_is_of_no_site(agon, status):
    result = answered(agon, status, body=b"[" * 200_000)
    assert (result.code, "internal" in result.err) == (USAGE, False), result


def test_a_pause_that_no_number_can_hold_is_a_long_one(agon):
    result = answered(agon, 429, {"Retry-After": "9" * 400})
    assert (result.code, "try again in 999999999 s" in result.err) == (TRY_LATER, True), result
