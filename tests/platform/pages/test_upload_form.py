"""The form that takes a bot, in a browser before anything is sent: a file too big is not sent at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sandbox.source import UPLOAD_BYTES
from tests.support.drawing import window

pytestmark = pytest.mark.browser

SITE = "http://upload.test"
FORM = "/c/samurai/submit/"


@pytest.fixture
def answers(competition, signed_in) -> dict[str, bytes]:
    """The form, empty and as it comes back when nothing was filled in."""
    refused = signed_in.post(FORM, {"way": "file"})
    return {FORM: signed_in.get(FORM).content, "/refused": refused.content}


@pytest.fixture
def page(answers) -> Iterator[Page]:
    with window(SITE, answers) as page:
        yield page


def file_of(folder: Path, size: int) -> Path:
    file = folder / f"bot{size}.py"
    file.write_bytes(b"#" * size)
    return file


def test_a_file_too_big_is_said_when_it_is_chosen_and_never_sent(page: Page, tmp_path: Path) -> None:
    sent = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    page.goto(SITE + FORM)
    choose, submit = page.locator("input[type=file]"), page.get_by_role("button", name="Submit", exact=True)

    choose.set_input_files(file_of(tmp_path, UPLOAD_BYTES + 1))
    expect(page.get_by_role("alert")).to_have_text("This file is too large. The limit is 10 MiB.")
    submit.click()
    expect(choose).to_be_focused()
    expect(submit).to_be_enabled()
    assert sent == []

    choose.set_input_files(file_of(tmp_path, UPLOAD_BYTES))
    expect(page.get_by_role("alert")).to_have_count(0)
    with page.expect_request(lambda request: request.method == "POST"):
        submit.click()


def test_what_was_wrong_about_a_file_goes_when_another_is_chosen(page: Page, tmp_path: Path) -> None:
    page.goto(SITE + "/refused")
    complaint = page.get_by_text("Choose your bot's file.")
    expect(complaint).to_be_visible()

    page.locator("input[type=file]").set_input_files(file_of(tmp_path, 10))

    expect(complaint).to_have_count(0)
