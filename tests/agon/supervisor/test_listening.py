import socket

import pytest

from agon.supervisor.errors import StartupError
from agon.supervisor.site import address, addresses_elsewhere, announce, export_settings, listen


def test_a_port_in_use_is_named_with_a_way_out():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(
            StartupError, match=rf"Port {port} on 127.0.0.1 is in use.*PORT={port + 1} make run"
        ):
            listen("127.0.0.1", port)


def test_an_address_that_is_not_this_machines_is_named():
    with pytest.raises(StartupError, match=r"HOST=192\.0\.2\.1 PORT=8000"):
        listen("192.0.2.1", 8000)


@pytest.mark.parametrize(
    ("host", "shown"),
    [("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("::", "127.0.0.1"), ("::1", "[::1]")],
)
def test_the_address_shown_can_be_typed_into_a_browser(host, shown):
    assert address(host) == shown


@pytest.mark.parametrize(("host", "names"), [("0.0.0.0", "*"), ("127.0.0.1", None)])
def test_only_a_site_on_every_address_answers_to_every_name(monkeypatch, tmp_path, host, names):
    environment: dict[str, str] = {}
    monkeypatch.setattr("agon.supervisor.site.os.environ", environment)
    export_settings(host, "http://127.0.0.1:8000", tmp_path)
    assert environment.get("ALLOWED_HOSTS") == names
    assert environment["AGON_VAR"] == str(tmp_path)


def test_a_site_on_all_addresses_says_so_with_those_that_work_elsewhere(capsys):
    with socket.create_server(("0.0.0.0", 0)) as server:
        port = server.getsockname()[1]
        elsewhere = addresses_elsewhere(port)
        for url in elsewhere:
            host = url.removeprefix("http://").rpartition(":")[0]
            assert not host.startswith("127.")
            if not host.startswith("["):
                socket.create_connection((host, port), timeout=10).close()
    announce("http://127.0.0.1:8000", None, 1.0, ["http://192.0.2.7:8000"])
    said = capsys.readouterr().out
    assert "Agon is at http://127.0.0.1:8000 " in said
    assert "It listens on all addresses of this machine; for others it is at http://192.0.2.7:8000\n" in said
