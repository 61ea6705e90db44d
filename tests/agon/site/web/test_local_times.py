"""Times are those of the reader's zone, on charts as in tables, with seconds where minutes tie."""

from datetime import UTC, datetime

import pytest

from agon.site.web.templatetags.pages import time_tag
from tests.support.drawing import answer_with

pytestmark = pytest.mark.browser
SITE = "http://times.test"
MOMENT = datetime(2026, 11, 27, 18, 30, 5, 123456, tzinfo=UTC)
TIME = '<td><time datetime="2026-11-27T{0}+00:00" data-local="full">{0} UTC</time></td>'


def table(*times: str) -> str:
    return f"<table><tbody>{''.join(f'<tr>{TIME.format(time)}</tr>' for time in times)}</tbody></table>"


AT = "2026-11-27T18:30:00+00:00"
CHART = f'<svg><text><tspan data-local="minute" data-moment="{AT}">18:30 UTC</tspan></text></svg>'
PAGE = f"""<!doctype html><html lang="en"><title>times</title><body>{CHART}
{table("18:30:01", "18:30:31")}{table("18:30:01", "18:31:31")}{table("18:30:01", "18:30:01")}
<script src="/static/js/page.js" defer></script>"""


@pytest.fixture
def page(browser):
    with browser.new_context(timezone_id="Asia/Tokyo") as context:
        page = context.new_page()
        answer_with(page, SITE, {"/": PAGE.encode()})
        page.goto(SITE + "/")
        page.wait_for_function("!document.querySelector('[data-local]')")
        yield page


def test_a_chart_and_a_table_have_the_same_time_zone(page):
    assert page.locator("tspan").text_content().replace("\u202f", " ") == "3:30 AM"
    assert "3:30" in page.locator("time").first.text_content()


def test_times_have_seconds_where_their_minutes_tie(page):
    texts = [text_content.replace("\u202f", " ") for text_content in page.locator("time").all_text_contents()]
    assert [text.split(", ")[-1] for text in texts] == [
        *("3:30:01 AM", "3:30:31 AM"),
        *("3:30 AM", "3:31 AM"),
        *("3:30 AM", "3:30 AM"),
    ]


def test_a_time_for_programs_has_no_more_digits_than_html_allows():
    assert 'datetime="2026-11-27T18:30:05+00:00"' in time_tag(MOMENT)
