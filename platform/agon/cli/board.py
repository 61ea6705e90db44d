"""`agon board`: the leaderboard of a competition."""

from agon.cli.arguments import JsonOption
from agon.cli.listing import FormatOption, LimitOption, print_items
from agon.cli.sites import CompetitionArgument, SiteOption, chosen_site

COLUMNS = ("rank", "name", "author", "rating", "low", "high", "played", "won", "drawn", "faults")


def board(
    competition: CompetitionArgument,
    limit: LimitOption = 20,
    site: SiteOption = None,
    json: JsonOption = False,
    format: FormatOption = None,
) -> None:
    with chosen_site(site) as client:
        print_items(client.leaderboard(competition), COLUMNS, limit, json, format)
