"""A teacher makes a class by the guide, within 25 clicks; a student gets from the link to an accepted bot."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from .test_main_line import BOT, sign_in

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MOST_CLICKS = 25
NAMES = ("Zoë Müller", "山田太郎", "Иван Ёлкин", "محمد علي", "=1+1")


class Clicks:
    """Counts what a teacher presses: links, buttons, fields of choice and files."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def __call__(self, selector: str) -> None:
        self.count += 1
        self.page.locator(selector).first.click()

    def choose(self, selector: str, value: str) -> None:
        self.count += 1
        self.page.locator(selector).select_option(value)


def roster(folder: Path) -> Path:
    """Thirty students as a spreadsheet saves them: separated by semicolons, with a mark."""
    lines = [
        f"{1000 + number};{NAMES[number % 5]};s{number}@school.example;{'AB'[number % 2]}"
        for number in range(30)
    ]
    file = folder / "roster.csv"
    file.write_bytes("\r\n".join(["Matrikelnummer;Name;E-Mail;Gruppe", *lines, ""]).encode("utf-8-sig"))
    return file


def test_from_an_empty_site_to_thirty_printed_links(
    page: Page, browser: Browser, site, tmp_path: Path
) -> None:
    sign_in(page, "admin", site.password)
    click = Clicks(page)
    click("details.menu:has(a[href='/courses/']) > summary")
    click("a[href='/courses/']")
    click("#new-course")
    page.fill("#id_title", "Strategy 101")
    click.choose("#id_game", "coup")
    click("#create-course")
    page.wait_for_url("**/roster/")
    page.set_input_files("#roster-file", roster(tmp_path))
    click.count += 2  # the button of the field, and the file
    click("#show-difference")
    expect(page.locator("#difference")).to_contain_text("30 new, 0 changed")
    click("#take")
    click("#progress")
    click("#new-milestone")
    page.fill("#id_title", "First bot")
    page.fill("#id_deadline", "2100-06-01T18:00")
    click.choose("#id_policy", "percent_a_day")
    click("#save-milestone")
    click(".crumbs a")
    click("#links")
    expect(page.locator(".strip")).to_have_count(30)
    assert click.count <= MOST_CLICKS
    a_student_joins_and_enters_a_bot(browser, page, re.findall(r"/join/[\w-]+/", page.content())[0], site.url)


def a_student_joins_and_enters_a_bot(browser: Browser, teacher: Page, link: str, url: str) -> None:
    context = browser.new_context(base_url=url, viewport={"width": 360, "height": 740}, locale="en-GB")
    student = context.new_page()
    student.goto(link)
    student.fill("#id_password", "quite a long one 7")
    student.click("#join-course")
    expect(student.locator("main")).to_contain_text("First bot")
    student.get_by_role("link", name="Submit a bot").click()
    student.locator("#id_file").set_input_files(BOT)
    student.get_by_role("button", name="Submit", exact=True).click()
    expect(student.locator("#progress").get_by_role("status")).to_contain_text("active")
    student.goto("/courses/strategy-101/")
    expect(student.locator("main .badge").first).to_have_text("passed")
    assert student.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "wider than a phone"
    teacher.goto("/courses/strategy-101/progress/")
    expect(teacher.locator("#matrix .badge.good")).to_have_count(1)
    context.close()
