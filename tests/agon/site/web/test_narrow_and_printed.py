"""Tables on phones and at 200 %, and brackets on paper: nothing is read wrongly, and nothing is cut off."""

import pytest

from tests.support.drawing import window

pytestmark = pytest.mark.browser
SITE = "http://pages.test"
HEAD = '<!doctype html><html lang="en"><title>page</title><link rel="stylesheet" href="/style-.css"><body>'
ROW = "<tr><td>{0}</td><th scope=row>Profiler</th>" + "<td class=num>{0}</td>" * 3 + "</tr>"
TABLE = (
    f'{HEAD}<main><div class="table-box"><table class="{{}}">{ROW.format(1)}{ROW.format(1159)}</table></div>'
)
# The distances between the texts of cells with numbers that are side by side, in characters.
GAPS = """() => [...document.querySelectorAll('.num + .num')].map((cell) => {
  const [left, right] = [cell.previousElementSibling, cell].map((each) => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return range.getBoundingClientRect();
  });
  return (right.left - left.right) / parseFloat(getComputedStyle(cell).fontSize);
})"""
SIDES = "<p class=side>Profiler <span class=score>2</span></p><p class=side>Sage</p>"
PAIRING = f"<li><div class=pairing>{SIDES}</div></li>"
STAGES = "".join(
    f'<section class="stage pairs"><h3>Stage</h3><ol>{PAIRING * pairings}</ol></section>'
    for pairings in (32, 16, 8, 4, 2, 1)
)
BRACKET = f'{HEAD}<main><section class="stack"><div class="bracket">{STAGES}</div></section>'


@pytest.mark.parametrize("width", [320, 360, 640])  # 640 is 1280 at 200 %
@pytest.mark.parametrize("kind", ["board", "matches", "result"])
def test_two_numbers_side_by_side_are_never_read_as_one(browser, kind, width):
    with window(browser, SITE, {"/": TABLE.format(kind).encode()}) as page:
        page.set_viewport_size({"width": width, "height": 640})
        page.goto(SITE + "/")
        gaps = page.evaluate(GAPS)
    assert len(gaps) == 4
    assert min(gaps) > 0.6  # wider than a digit


def test_a_bracket_on_paper_is_whole(browser):
    """A stage of 32 pairings is longer than a page, and six stages are wider."""
    with window(browser, SITE, {"/": BRACKET.encode()}) as page:
        page.set_viewport_size({"width": 718, "height": 1000})  # A4 without its margins
        page.goto(SITE + "/")
        page.emulate_media(media="print")
        cut = "(box) => box.scrollWidth > box.clientWidth"
        assert not page.locator(".bracket").evaluate(cut)
        assert not page.locator("html").evaluate(cut)
        sides = page.locator(".pairing").evaluate_all(
            "(pairings) => pairings.map((pairing) => pairing.getBoundingClientRect())"
        )
        assert len(sides) == 63
        assert all(side["left"] >= 0 and side["right"] <= 718 for side in sides)
        inside = page.locator(".pairing").first.evaluate("(pairing) => getComputedStyle(pairing).breakInside")
        assert inside == "avoid"
