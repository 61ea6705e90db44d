"""Drafts in the browser: one for each bot and one for a new one. Nothing is lost or gets mixed up."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from agon.site.accounts.services import house_user
from agon.site.bots.models import Bot, Submission
from agon.site.bots.services import receive_text
from agon.site.use_cases import leaving_play
from tests.support.factories import activate

from .conftest import browser_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ANN, BEN = "# Ann, as entered\n", "# Ben, as entered\n"


@pytest.fixture
def versions(coup, user) -> dict[str, Submission]:
    """Two bots that ada has written in the editor, and a house bot to try them against."""
    Bot.objects.filter(pk=activate(house_user(), coup, ["Honest"])[0].bot_id).update(house=True)
    return {
        "Ann": receive_text(user, coup, "Ann", ANN, "python"),
        "Ben": receive_text(user, coup, "Ben", BEN, "python"),
    }


@pytest.fixture
def context(browser, live_server, user, versions) -> Iterator[BrowserContext]:
    with browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 900}) as context:
        cookies = browser_of(user).cookies.values()
        context.add_cookies(
            [{"name": cooky.key, "value": cooky.value, "url": live_server.url} for cooky in cookies]
        )
        yield context


@pytest.fixture
def page(context) -> Page:
    return context.new_page()


def editor(page: Page, address: str, text: str):
    page.goto(f"/c/coup/editor/{address}")
    content = page.locator(".cm-content")
    expect(content).to_contain_text(text)
    return content


def write(page: Page, address: str, opens_with: str, text: str) -> None:
    """Write a line at the top of what opens, and leave the page at once."""
    editor(page, address, opens_with).press("Control+Home")
    page.keyboard.type(f"{text}\n")
    page.goto("/c/coup/rules/")


def of(version: Submission) -> str:
    return f"?version={version.pk}"


def text_of(version: Submission) -> str:
    """Browsers send texts with CR LF."""
    with version.source.open() as file:
        return file.read().decode().replace("\r\n", "\n")


def entry(page: Page, name: str):
    return page.locator(".own-bots li").filter(has=page.get_by_role("link", name=name, exact=True))


def test_what_was_written_for_one_bot_is_not_offered_for_another(page, versions) -> None:
    write(page, of(versions["Ann"]), "Ann, as", "# of Ann")

    expect(editor(page, "", "starter")).not_to_contain_text("of Ann")
    expect(entry(page, "Ann").get_by_text("draft")).to_be_visible()
    expect(entry(page, "Ben").get_by_text("draft")).to_be_hidden()
    expect(entry(page, "A new bot").get_by_text("draft")).to_be_hidden()

    entry(page, "Ann").get_by_role("link").click()
    expect(page.locator(".cm-content")).to_contain_text("# of Ann")
    expect(page.get_by_text("Your draft of Ann.")).to_be_visible()


def test_it_is_entered_as_what_the_button_says_and_is_no_draft_then(page, versions) -> None:
    write(page, of(versions["Ann"]), "Ann, as", "# of Ann")
    write(page, "", "starter", "# of nobody yet")
    editor(page, f"?bot={versions['Ann'].bot_id}", "# of Ann")
    page.get_by_role("button", name="Enter as version 2 of Ann").click()
    page.wait_for_url("**/submissions/*/")

    second = Submission.objects.get(number=2)
    assert (second.bot.name, text_of(second)) == ("Ann", f"# of Ann\n{ANN}")
    editor(page, "", "# of nobody yet")
    expect(entry(page, "Ann").get_by_text("draft")).to_be_hidden()
    expect(entry(page, "A new bot").get_by_text("draft")).to_be_visible()


def test_after_a_reload_there_are_the_edits_and_not_the_version(page, versions) -> None:
    write(page, of(versions["Ann"]), "Ann, as", "# of Ann")
    editor(page, of(versions["Ann"]), "# of Ann")
    page.reload()
    expect(page.locator(".cm-content")).to_contain_text("# of Ann")
    page.get_by_role("button", name="Discard it").click()
    expect(page.locator(".cm-content")).not_to_contain_text("# of Ann")
    page.reload()
    expect(page.locator(".cm-content")).to_contain_text("Ann, as entered")
    expect(page.locator(".cm-content")).not_to_contain_text("# of Ann")


def test_another_version_replaces_no_draft_until_the_author_says_so(page, coup, user, versions) -> None:
    write(page, of(versions["Ann"]), "Ann, as", "# of Ann")
    second = receive_text(user, coup, "Ann", "# the second\n", "python")

    editor(page, of(second), "# of Ann")
    page.get_by_role("button", name="Open version 2 instead").click()
    expect(page.locator(".cm-content")).to_have_text("# the second")


def test_two_tabs_overwrite_nothing_in_silence(context, page, versions) -> None:
    first, second = page, context.new_page()
    address = of(versions["Ann"])
    for tab in (first, second):
        editor(tab, address, "Ann, as").press("Control+Home")
    first.keyboard.type("# of the first tab\n")
    expect(second.get_by_text("changed in another tab")).to_be_visible()
    second.keyboard.type("# of the second tab\n")
    expect(second.locator("[name=text]")).to_have_value(f"# of the second tab\n{ANN}")
    third = context.new_page()
    expect(editor(third, address, "first tab")).not_to_contain_text("second tab")

    second.get_by_role("button", name="Keep what is here").click()
    third.reload()
    expect(third.locator(".cm-content")).to_contain_text("second tab")
    expect(first.get_by_text("changed in another tab")).to_be_visible()
    first.get_by_role("button", name="Show what the other tab has").click()
    expect(first.locator(".cm-content")).to_contain_text("second tab")
    expect(first.get_by_text("changed in another tab")).to_be_hidden()


def test_the_draft_of_a_deleted_bot_is_found_again_and_enters_as_a_new_bot(page, user, versions) -> None:
    write(page, of(versions["Ann"]), "Ann, as", "# of Ann")
    for version in versions.values():
        leaving_play.delete(version.bot, user)
    editor(page, "", "starter")
    expect(entry(page, "Ben")).to_be_hidden()  # it has no draft

    entry(page, "Ann").get_by_role("link").click()
    expect(page.locator(".cm-content")).to_contain_text("# of Ann")
    expect(page.get_by_text("Ann was deleted.")).to_be_visible()
    page.get_by_label("Bot name").fill("Heiress")
    page.get_by_role("button", name="Enter as a new bot").click()
    page.wait_for_url("**/submissions/*/")
    assert text_of(Submission.objects.get(bot__name="Heiress")) == f"# of Ann\n{ANN}"
    editor(page, "", "starter")
    expect(entry(page, "Ann")).to_be_hidden()


def test_a_refused_program_stays_a_draft(page, versions) -> None:
    write(page, "", "starter", "# mine")
    editor(page, "", "# mine")
    page.get_by_label("Bot name").fill("Ann")
    page.get_by_role("button", name="Enter as a new bot").click()
    expect(page.get_by_text("You already have a bot called Ann")).to_be_visible()
    editor(page, "", "# mine")


def test_another_language_brings_its_starter_and_asks_before_it_replaces_a_text(page, versions) -> None:
    content = editor(page, "", "starter")
    language = page.locator("#id_language")
    language.select_option("cpp")
    expect(content).to_contain_text("#include")
    content.press("Control+Home")
    page.keyboard.type("// mine\n")

    questions: list[str] = []
    page.once("dialog", lambda dialog: (questions.append(dialog.message), dialog.dismiss()))
    language.select_option("python")
    expect(content).to_contain_text("// mine")
    page.once("dialog", lambda dialog: dialog.accept())
    language.select_option("cpp")
    expect(content).not_to_contain_text("// mine")
    assert questions == [
        "Replace your program with the starter of this language? Otherwise only the language changes."
    ]


def test_a_starter_that_arrives_late_replaces_nothing_that_was_written_meanwhile(page, versions) -> None:
    content = editor(page, "", "starter")
    held: list[Route] = []
    page.route("**/starters/*", lambda route: held.append(route))
    page.locator("#id_language").select_option("cpp")
    content.press("Control+Home")
    page.keyboard.type("// mine\n")
    while not held:
        page.wait_for_timeout(20)
    with page.expect_event("dialog") as asked:
        page.once("dialog", lambda dialog: dialog.dismiss())
        held.pop().continue_()
    assert asked.value.message == "Replace what you have written with this starter?"
    expect(content).to_contain_text("// mine")
    page.reload()
    expect(content).to_contain_text("// mine")


def test_of_two_languages_chosen_at_once_the_second_one_brings_its_starter(page, versions) -> None:
    content = editor(page, "", "starter")
    held: list[Route] = []
    page.route("**/starters/*", lambda route: held.append(route))
    language = page.locator("#id_language")
    for chosen, slug in enumerate(("cpp", "javascript"), start=1):
        language.select_option(slug)
        while len(held) < chosen:
            page.wait_for_timeout(20)
    first, second = held
    with page.expect_response(second.request.url):
        second.continue_()
    with page.expect_response(first.request.url):
        first.continue_()
    expect(content).to_contain_text("require(")
    page.wait_for_timeout(200)
    expect(content).not_to_contain_text("#include")
    expect(language).to_have_value("javascript")


def test_the_keys_that_try_a_program_are_shown(page, versions) -> None:
    editor(page, "", "starter")
    expect(page.get_by_text("Ctrl+Enter")).to_be_visible()
