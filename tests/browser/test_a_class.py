"""A teacher makes a class by the guide, within 25 clicks; a student gets from the link to an accepted bot."""

import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from .test_main_line import BOT, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.slow]
GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "guides" / "organize.md").read_text()
MOST_CLICKS = 25
TEACHER, STUDENT = 600.0, 120.0  # seconds
NAMES = ("Zoë Müller", "山田太郎", "Иван Ёлкин", "محمد علي", "=1+1")


class Clicks:
    """Counts what a teacher presses, by the words of docs/guides/organize.md that stand on the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def __call__(self, words: str) -> None:
        assert f"**{words}**" in GUIDE, f"the guide does not say {words}"
        self.count += 1
        link, button = (self.page.get_by_role(role, name=words, exact=True) for role in ("link", "button"))
        link.or_(button).first.click()

    def menu(self) -> None:
        """Of the account, to which the guide leads first."""
        self.count += 1
        self.page.locator("details.menu:has(a[href='/courses/']) > summary").click()

    def choose(self, label: str, value: str) -> None:
        self.count += 2  # the field, and the value
        self.page.get_by_label(label, exact=True).select_option(value)


def roster(folder: Path) -> Path:
    """Thirty students as a spreadsheet saves them: separated by semicolons, with a mark."""
    lines = [
        f"{1000 + number};{NAMES[number % 5]};s{number}@school.example;{'AB'[number % 2]}"
        for number in range(30)
    ]
    file = folder / "roster.csv"
    file.write_bytes("\r\n".join(["Matrikelnummer;Name;E-Mail;Gruppe", *lines, ""]).encode("utf-8-sig"))
    return file


@pytest.mark.exhaustive
def test_from_an_empty_site_to_thirty_printed_links(
    page: Page, browser: Browser, site, tmp_path: Path
) -> None:
    """With a rule that a bot is beaten, and a deadline."""
    sign_in(page, "admin", site.password)
    began = time.monotonic()
    click = Clicks(page)
    click.menu()
    click("Courses")
    click("New course")
    page.fill("#id_title", "Strategy 101")
    click.choose("Game", "coup")
    click("Create the course")
    page.wait_for_url("**/roster/")
    page.set_input_files("#roster-file", roster(tmp_path))
    click.count += 2  # the button of the field, and the file
    click("Show the difference")
    expect(page.locator("#difference")).to_contain_text("30 new, 0 changed")
    click("Take it")
    click("Milestones and grades")
    click("New milestone")
    page.fill("#id_title", "Beat it")
    page.fill("#id_deadline", "2100-06-01T18:00")
    expect(page.get_by_label("Matches", exact=True)).to_be_hidden()  # what this rule does not ask for
    click.choose("What is asked for", "beats")
    options = page.locator("#id_opponent option")
    expect(options.nth(1)).to_be_attached(timeout=180_000)  # house bots enter by themselves, without a click
    click.choose("Bot to beat", options.nth(1).get_attribute("value") or "")
    click.choose("Late uploads", "percent_a_day")
    click("Save the milestone")
    expect(page.locator("main")).to_contain_text("in at least 60 % of 100 matches")
    page.locator(".crumbs a").click()
    click.count += 1
    click("Links to print")
    expect(page.locator(".strip")).to_have_count(30)
    took = time.monotonic() - began
    print(f"from an empty site to 30 links: {click.count} clicks, {took:.0f} s")
    assert click.count <= MOST_CLICKS
    assert took < TEACHER
    link = re.findall(r"/join/[\w-]+/", page.content())[0]
    page.goto("/courses/strategy-101/milestones/new/")
    page.fill("#id_title", "First bot")
    page.fill("#id_deadline", "2100-06-01T18:00")
    page.click("#save-milestone")
    page.wait_for_url("**/progress/")
    a_student_joins_and_enters_a_bot(browser, page, link, site.url)


def a_student_joins_and_enters_a_bot(browser: Browser, teacher: Page, link: str, url: str) -> None:
    context = browser.new_context(base_url=url, viewport={"width": 360, "height": 740}, locale="en-GB")
    student = context.new_page()
    began = time.monotonic()
    student.goto(link)
    student.fill("#id_password", "quite a long one 7")
    student.click("#join-course")
    expect(student.locator("main")).to_contain_text("First bot")
    student.get_by_role("link", name="Submit a bot").click()
    student.locator("#id_file").set_input_files(BOT)
    student.get_by_role("button", name="Submit", exact=True).click()
    expect(student.locator("#progress").get_by_role("status")).to_contain_text("active", timeout=120_000)
    took = time.monotonic() - began
    print(f"from the link to an accepted bot: {took:.0f} s")
    assert took < STUDENT
    student.goto("/courses/strategy-101/")
    expect(student.locator("main .badge.good")).to_have_text("passed")
    assert student.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "wider than a phone"
    teacher.goto("/courses/strategy-101/progress/")
    expect(teacher.locator("#matrix .badge.good")).to_have_count(1)
    context.close()
