"""Passkeys, with a browser that has one: adding it, signing in with it alone, and as a second factor."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.processes import ROOT
from tests.support.sites import migrated_site_folder

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.exhaustive]

PASSWORD = "correct horse battery"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Of a web server under the name localhost, where browsers allow passkeys without https."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://localhost:{listening.getsockname()[1]}"
        var = migrated_site_folder(tmp_path / "var")
        environment = os.environ | {"SITE_URL": url, "AGON_VAR": str(var), "ALLOWED_HOSTS": "localhost"}
        descriptor = str(listening.fileno())
        command = [sys.executable, "-m", "uvicorn", "agon.site.server:application", "--fd", descriptor]
        server = subprocess.Popen(command, cwd=ROOT, env=environment, pass_fds=[listening.fileno()])
        try:
            yield url
        finally:
            server.terminate()
            server.wait(60)


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """In a browser with an authenticator of its own, which says yes to everything."""
    with browser.new_context(base_url=address) as context:
        opened = context.new_page()
        opened.set_default_timeout(60_000)
        devices = context.new_cdp_session(opened)
        devices.send("WebAuthn.enable")
        options = {"protocol": "ctap2", "transport": "internal", "automaticPresenceSimulation": True}
        options |= {"hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
        devices.send("WebAuthn.addVirtualAuthenticator", {"options": options})
        yield opened


def sign_out(page: Page) -> None:
    page.goto("/accounts/logout/")
    page.locator("main form button").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()


def test_a_passkey_is_added_signs_in_alone_and_is_a_second_factor(page: Page) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("Username").fill("nora")
    page.locator("#id_password1").fill(PASSWORD)
    page.locator("#id_password2").fill(PASSWORD)
    page.locator("main").get_by_role("button", name="Sign up").click()

    page.goto("/accounts/2fa/webauthn/add/")
    page.get_by_label("Password").fill(PASSWORD)  # asked for once more
    page.locator("main form button").click()
    page.get_by_label("Name").fill("laptop")
    page.locator("#id_passwordless").check()
    page.locator("#mfa_webauthn_add").click()
    expect(page.get_by_role("heading", name="Recovery Codes")).to_be_visible()
    page.goto("/accounts/2fa/webauthn/")
    expect(page.locator("main li")).to_contain_text("laptop")

    sign_out(page)
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    expect(page.locator("header")).to_contain_text("nora")

    sign_out(page)
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill("nora")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name="Use a security key").click()
    expect(page.locator("header")).to_contain_text("nora")
