"""What keeps a command from reaching a site, and what it says then."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytestmark = pytest.mark.django_db(transaction=True)
USAGE = 2


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


class Moved(BaseHTTPRequestHandler):
    """What stands at the port without TLS of most sites."""

    def do_GET(self) -> None:
        self.send_response(301)
        self.send_header("Location", f"https://agon.example{self.path}")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        pass


def test_a_site_that_is_elsewhere_says_where(agon):
    with ThreadingHTTPServer(("127.0.0.1", 0), Moved) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        result = agon("whoami", "--site", f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
        thread.join()
    assert result.code == USAGE
    assert "it redirects to https://agon.example/api/v1/me" in result.err
