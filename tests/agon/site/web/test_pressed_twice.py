"""In a browser: a form that is sent is locked; one that stays on the page can be sent again unchanged."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from agon.site.accounts.models import User
from agon.site.accounts.services import house_user
from agon.site.bots.models import Bot, Submission
from agon.site.trials.models import Trial
from agon.site.trials.states import State
from tests.support.factories import activate

from .conftest import PASSWORD

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(browser, live_server, coup) -> Iterator[Page]:
    Bot.objects.filter(pk=activate(house_user(), coup, ["Honest"])[0].bot_id).update(house=True)
    with browser.new_context(base_url=live_server.url) as context:
        yield context.new_page()


def sign_up(page: Page) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("Username").fill("grace")
    page.locator("#id_password1").fill(PASSWORD)
    page.locator("#id_password2").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").dblclick()
    expect(page.locator("summary", has_text="Your account")).to_be_visible()


def test_a_sign_up_and_an_upload_that_are_pressed_twice_are_one(page) -> None:
    sign_up(page)
    assert User.objects.filter(username="grace").count() == 1
    page.goto("/c/coup/submit/")
    page.get_by_label("Bot name").fill("Grace")
    page.get_by_text("Paste the source code").click()
    page.locator("#id_language").select_option("python")
    page.locator("#id_text").fill("print(1)\n")
    page.get_by_role("button", name="Submit", exact=True).dblclick()
    page.wait_for_url("**/submissions/*/")
    assert Submission.objects.filter(bot__house=False).count() == 1


def test_a_form_is_locked_while_it_is_sent_and_no_longer_on_the_way_back(page) -> None:
    page.goto("/accounts/login/")
    page.route("**/accounts/login/", lambda route: route.fulfill(status=204))  # the page stays
    page.get_by_label("Username").fill("grace")
    page.get_by_label("Password").fill(PASSWORD)
    button = page.get_by_role("button", name="Sign in", exact=True)
    with page.expect_request(lambda request: request.method == "POST"):
        button.click()
    expect(button).to_be_disabled()
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pageshow'))")
    expect(button).to_be_enabled()


def test_what_stays_on_the_page_can_be_tried_again_unchanged(page) -> None:
    page.goto("/c/coup/editor/")
    for number in (1, 2):
        with page.expect_response(lambda answer: answer.request.method == "POST") as answer:
            page.get_by_role("button", name="Try", exact=True).click()
        assert answer.value.status == 200
        Trial.objects.filter(state=State.QUEUED).update(state=State.REJECTED)
        assert Trial.objects.count() == number


def test_the_appearance_that_was_chosen_last_is_kept(page) -> None:
    sign_up(page)
    page.goto("/docs/")
    page.locator("summary", has_text="Language and appearance").click()
    for name in ("Dark", "Light", "Dark"):
        with page.expect_response(lambda answer: answer.request.method == "POST"):
            page.get_by_role("button", name=name, exact=True).click()
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"


def test_the_newer_try_is_shown_although_the_page_asked_for_the_older_one_meanwhile(page) -> None:
    page.goto("/c/coup/editor/")
    attempt = page.get_by_role("button", name="Try", exact=True)
    attempt.click()
    shown = page.locator("#trial[hx-get]")
    expect(shown).to_contain_text("Waiting")
    before = shown.get_attribute("hx-get")

    answered: list[tuple[Route, APIResponse]] = []
    # On a slow connection, its answer comes later than that of the next question about the older one.
    page.route("**/editor/", lambda route: answered.append((route, route.fetch())))
    attempt.click()
    while not answered:
        page.wait_for_timeout(20)
    page.wait_for_timeout(1000)
    route, answer = answered.pop()
    route.fulfill(response=answer)
    expect(attempt).to_be_enabled()
    expect(shown).to_contain_text("Waiting")
    assert shown.get_attribute("hx-get") != before
