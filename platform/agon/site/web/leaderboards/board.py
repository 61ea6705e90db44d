"""Pages of the leaderboard as HTML, rendered once per change and cached for all readers.

What differs between readers is added to the shared HTML, or taken out of it: which rows are their own, their
rows of other pages, and the links to challenge the others, which only those with a bot here have. Pages that
get the board with an event do so themselves (static/js/live.js). The results of a search are not shared.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from django.core.cache import cache
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy

from agon.site.bots.mottos import mottos
from agon.site.competitions.models import Competition
from agon.site.leaderboards import ladder
from agon.site.leaderboards.models import Leaderboard
from agon.site.leaderboards.table import Row, count, leader, rows
from agon.site.web.core.paging import whole_number

SIZE = 50  # rows of a page
CACHE_SECONDS = 60
PINNED = 5  # rows of the reader's own that are shown above the page
LONGEST_SEARCH = 60
_CHALLENGE = re.compile("<!--challenge (\\d+)-->(.*?)<!--end-->", re.DOTALL)


class Sort(NamedTuple):
    """A column by which the leaderboard can be sorted. title: translated when shown."""

    title: object
    key: Callable[[Row], object]


SORTS: dict[str, Sort] = {
    "bot": Sort(gettext_lazy("Bot"), lambda row: row.bot.casefold()),
    "author": Sort(gettext_lazy("Author"), lambda row: (row.house, row.author.casefold())),
    "rating": Sort(gettext_lazy("Rating"), lambda row: 0),  # the order of table.rows
    "played": Sort(gettext_lazy("Played"), lambda row: -row.played),
    "won": Sort(gettext_lazy("Won"), lambda row: -row.won / max(row.played, 1)),
    "drawn": Sort(gettext_lazy("Drawn"), lambda row: -row.drawn / max(row.played, 1)),
    "faults": Sort(gettext_lazy("Faults"), lambda row: -row.faults),
}


class BoardQuery(NamedTuple):
    """The requested part of a leaderboard: a key of SORTS, the page from 1, and words to find in names."""

    sort: str
    page: int
    search: str

    @classmethod
    def of(cls, query: dict[str, str]) -> "BoardQuery":
        """Read it from the query string; invalid values get defaults."""
        sort, number = query.get("sort", ""), whole_number(query.get("page"), 1)
        search = " ".join(query.get("q", "").split())[:LONGEST_SEARCH]
        return cls(sort if sort in SORTS else "rating", max(number, 1), search)


FIRST_PAGE = BoardQuery.of({})


class Band(NamedTuple):
    """The interval of a rating in percent of the page's scale, for the bar beside it."""

    start: float
    width: float
    middle: float


class Scale(NamedTuple):
    """The ratings at both ends of the bars.

    They span the intervals of the ranked bots, because those of newcomers are wide; of all if none is ranked.
    """

    low: float
    high: float

    @classmethod
    def of(cls, table: list[Row]) -> "Scale":
        """The scale for the rows of a leaderboard."""
        shown = [row for row in table if row.best] or [row for row in table if row.known]
        low = min((row.low for row in shown), default=0.0)
        return cls(low, max((row.high for row in shown), default=0.0))

    def band(self, row: Row) -> Band:
        """The bar of a row on this scale."""
        start, middle, end = (self._percent(value) for value in (row.low, row.rating, row.high))
        return Band(start, round(end - start, 1), middle)

    def _percent(self, rating: float) -> float:
        """The position of a rating, limited to 0 to 100; 50 if all ratings are the same."""
        if self.high - self.low < 1:
            return 50.0
        return round(min(max(100 * (rating - self.low) / (self.high - self.low), 0.0), 100.0), 1)


class BoardLine(NamedTuple):
    """A row as it is shown. place: from 1; 0 for a pinned row. motto: of a house bot; "" if it has none.

    settled: whether the ladder seeks no more matches for it.
    """

    row: Row
    band: Band
    place: int
    motto: str = ""
    settled: bool = False


class Board(NamedTuple):
    """A rendered page, and the data to complete it for a reader. authors, settled: those on all pages."""

    html: str
    bots: tuple[int, ...]
    scale: Scale
    leader: str
    leader_bot: int
    total: int
    authors: frozenset[str]
    settled: frozenset[int]


def board(competition: Competition, wanted: BoardQuery) -> Board:
    """The page as all readers see it."""
    if wanted.search:
        return _rendered(competition, wanted)
    version = Leaderboard.objects.filter(competition=competition).values_list("version", flat=True).first()
    if wanted.page > 1:  # arbitrary numbers must not fill the cache
        wanted = wanted._replace(page=min(wanted.page, _pages(count(competition))))
    fields = len(Board._fields)  # the release before this one may have cached others a minute ago
    state = (competition.state, competition.is_open)
    parts = (competition.pk, version, *state, get_language(), wanted.sort, wanted.page, fields)
    key = "board:" + ":".join(map(str, parts))
    rendered = cache.get(key)
    if rendered is None:
        rendered = _rendered(competition, wanted)
        cache.set(key, tuple(rendered), CACHE_SECONDS)
    return Board(*rendered)


def with_challenges(shared: Board) -> SafeString:
    """The page with the links to challenge all bots, and no own rows."""
    return mark_safe(_CHALLENGE.sub(r"\2", shared.html).replace("<!--own-->", "", 1))


def with_own(shared: Board, own: list[Row], is_search: bool) -> SafeString:
    """The page with the reader's own rows marked, and those from other pages pinned above it.

    Nothing is pinned above a search, because it would look like a result. A reader with rows has links to
    challenge the bots of others.
    """
    own_bots = {str(row.bot_id) for row in own}
    html = _CHALLENGE.sub(lambda link: link[2] if own and link[1] not in own_bots else "", shared.html)
    for row in own:
        html = html.replace(f'id="row-{row.bot_id}"', f'id="row-{row.bot_id}" class="own"', 1)
    pinned_rows = [] if is_search else [row for row in own if row.bot_id not in shared.bots][:PINNED]
    scale = Scale(*shared.scale)
    lines = [BoardLine(row, scale.band(row), 0, "", row.bot_id in shared.settled) for row in pinned_rows]
    pinned = render_to_string("leaderboards/rows.html", {"lines": lines, "own": True}) if lines else ""
    return mark_safe(html.replace("<!--own-->", pinned, 1))


def _rendered(competition: Competition, wanted: BoardQuery) -> Board:
    table = rows(competition)
    matching = sorted(_matching(table, wanted.search), key=SORTS[wanted.sort].key)  # type: ignore[arg-type]
    pages = _pages(len(matching))
    page = min(wanted.page, pages)
    scale = Scale.of(table)
    shown = list(enumerate(matching, start=1))[(page - 1) * SIZE : page * SIZE]
    mottos_by_bot = mottos(competition.game)
    settled = ladder.settled(competition, table)
    lines = [
        BoardLine(
            row,
            scale.band(row),
            place,
            mottos_by_bot.get(row.bot, "") if row.house else "",
            row.bot_id in settled,
        )
        for place, row in shown
    ]
    first = leader(table)
    context = {
        "lines": lines,
        "competition": competition,
        "apart": _first_without_result(lines) if wanted.sort == "rating" else None,
        "wanted": wanted,
        "sorts": SORTS,
        "page": page,
        "pages": pages,
        "total": len(table),
    }
    return Board(
        html=render_to_string("leaderboards/table.html", context),
        bots=tuple(line.row.bot_id for line in lines),
        scale=scale,
        leader=first.bot if first else "",
        leader_bot=first.bot_id if first else 0,
        total=len(table),
        authors=frozenset(row.author for row in table),
        settled=frozenset(settled),
    )


def _pages(total: int) -> int:
    return max(1, -(-total // SIZE))


def _first_without_result(lines: list[BoardLine]) -> int | None:
    """The place of the first bot that has no result yet; None if all have one."""
    return next((line.place for line in lines if not line.row.known), None)


def _matching(table: list[Row], search: str) -> list[Row]:
    words = search.casefold().split()
    return [row for row in table if all(word in f"{row.bot} {row.author}".casefold() for word in words)]
