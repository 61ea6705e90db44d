"""The form that takes a bot, in a browser before anything is sent: a file too big is not sent at all."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.middleware.csrf import _unmask_cipher_token
from playwright.sync_api import Page, Route, expect

from agon.site.bots import naming
from agon.site.bots.services import receive
from sandbox.source import UPLOAD_BYTES
from tests.support.drawing import window

pytestmark = pytest.mark.browser

SITE = "http://upload.test"
FORM = "/c/samurai/submit/"
PROGRAM = b"print('READY')\n"


@pytest.fixture
def answers(competition, signed_in, bob) -> dict[str, bytes]:
    """The form, empty and as it comes back when nothing was filled in, or a name that is bob's."""
    refused = signed_in.post(FORM, {"way": "file"})
    receive(bob, competition, "starter", "starter.py", PROGRAM)
    file = SimpleUploadedFile("starter.py", PROGRAM)
    fields = {"name": "starter", "way": "file", "file": file, "paths": "", "text": "", "language": ""}
    taken = signed_in.post(FORM, fields)
    return {FORM: signed_in.get(FORM).content, "/refused": refused.content, "/taken": taken.content}


@pytest.fixture
def page(browser, answers) -> Iterator[Page]:
    with window(browser, SITE, answers) as page:
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


def test_the_chosen_file_is_still_there_when_the_form_comes_back(
    page: Page, answers: dict[str, bytes], tmp_path: Path
) -> None:
    """With a name that is free. What is sent again has the file; then the page goes where it is told."""
    sent: list[bytes] = []

    def answer(route: Route) -> None:
        if route.request.method == "GET":
            return route.fallback()
        sent.append(route.request.post_data_buffer or b"")
        if len(sent) == 1:
            return route.fulfill(status=422, body=answers["/taken"], content_type="text/html; charset=utf-8")
        return route.fulfill(status=200, headers={"HX-Redirect": "/refused"})

    page.route(SITE + FORM, answer)
    page.goto(SITE + FORM)
    chosen = tmp_path / "starter.py"
    chosen.write_bytes(PROGRAM)
    page.locator("input[type=file]").set_input_files(chosen)
    expect(page.get_by_label("Bot name")).to_have_value("starter")
    page.get_by_role("button", name="Submit", exact=True).click()

    expect(page.get_by_text("starter ada is free.")).to_be_visible()
    expect(page.get_by_label("Bot name")).to_have_value("starter ada")
    assert page.locator("input[type=file]").evaluate("input => input.files[0].name") == "starter.py"
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_url(SITE + "/refused")
    assert [b'filename="starter.py"' in body for body in sent] == [True, True]
    assert b"starter ada" in sent[1]


def test_a_form_opened_before_signing_in_in_another_tab_is_sent_with_the_new_token(page: Page) -> None:
    page.goto(SITE + FORM)
    page.evaluate(f"document.cookie = 'csrftoken={'n' * 32}; path=/'")
    page.get_by_label("Bot name").fill("Rita")
    with page.expect_request(lambda request: request.method == "POST") as sent:
        page.get_by_label("Bot name").press("Enter")
    token = re.search(r'name="csrfmiddlewaretoken"\s+(\w{64})', sent.value.post_data or "")
    assert token is not None
    assert _unmask_cipher_token(token[1]) == "n" * 32


DROP = """([selector, names]) => {
  const transfer = new DataTransfer();
  for (const name of names) transfer.items.add(new File(["print()"], name));
  const drop = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
  document.querySelector(selector).dispatchEvent(drop);
  return drop.defaultPrevented;
}"""


@pytest.mark.parametrize("place", ["[data-drop]", "footer"])
def test_files_dropped_together_are_both_kept_and_never_leave_the_page(page: Page, place: str) -> None:
    page.goto(SITE + FORM)
    page.get_by_text("Paste the source code").click()

    assert page.evaluate(DROP, [place, ["rita.py", "plan.py"]])
    names = "input => [...input.files].map(file => file.name)"
    page.wait_for_function("document.querySelector('input[type=file]').files.length === 2")
    assert page.locator("input[type=file]").evaluate(names) == ["rita.py", "plan.py"]
    expect(page.get_by_label("Bot name")).to_have_value("rita")
    expect(page.get_by_label("Upload a file")).to_be_checked()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("rita (1).py", "rita 1"),
        ("[new]  my_bot-2.0 & more.tar.gz", "new my_bot-2.0 more"),
        ("ボット「弐」.py", "ボット 弐"),
        ("(" * 50 + "é" * 50 + ".py", "é" * 40),
    ],
)
def test_the_name_that_a_file_suggests_is_one_that_a_bot_may_have(page, file, name) -> None:
    page.goto(SITE + FORM)
    page.evaluate(DROP, ["body", [file]])
    expect(page.get_by_label("Bot name")).to_have_value(name)
    assert naming.normalize_name(name) == name


# What a browser gives for something that is dropped: slow.py is read once `readOn` is called, gone.py never.
ENTRIES = """() => {
  DataTransferItem.prototype.webkitGetAsEntry = function () {
    const file = this.getAsFile();
    const read = (done, failed) => {
      if (file.name === "gone.py") failed(new DOMException("gone"));
      else if (file.name === "slow.py") window.readOn = () => done(file);
      else done(file);
    };
    return { isFile: true, fullPath: `/${file.name}`, file: read };
  };
}"""


def test_what_was_dropped_last_counts_however_long_the_one_before_takes_to_read(page: Page) -> None:
    page.goto(SITE + FORM)
    page.evaluate(ENTRIES)
    page.evaluate(DROP, ["[data-drop]", ["slow.py"]])
    page.evaluate(DROP, ["[data-drop]", ["quick.py"]])
    page.wait_for_function("document.querySelector('input[type=file]').files.length === 1")
    page.evaluate("async () => { readOn(); await new Promise(requestAnimationFrame); }")
    assert page.locator("input[type=file]").evaluate("input => input.files[0].name") == "quick.py"


def test_that_a_dropped_file_cannot_be_read_is_said_and_nothing_is_chosen(page: Page) -> None:
    page.goto(SITE + FORM)
    page.evaluate(ENTRIES)
    page.evaluate(DROP, ["[data-drop]", ["there.py", "gone.py"]])
    expect(page.get_by_role("alert")).to_have_text("One of these files cannot be read. Nothing was chosen.")
    assert page.locator("input[type=file]").evaluate("input => input.files.length") == 0


def test_a_folder_can_be_chosen_with_its_paths(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "rita"
    (folder / "lib").mkdir(parents=True)
    (folder / "bot.py").write_bytes(PROGRAM)
    (folder / "lib" / "plan.py").write_bytes(PROGRAM)
    page.goto(SITE + FORM)
    with page.expect_file_chooser() as opened:
        page.get_by_role("button", name="Choose a folder").click()
    opened.value.set_files(folder)

    expect(page.locator("input[name=name]")).to_have_value("rita")
    expect(page.locator("input[name=paths]")).to_have_value(re.compile("rita/lib/plan.py"))
    assert page.locator("[data-drop] input[type=file]").evaluate("input => input.files.length") == 2
