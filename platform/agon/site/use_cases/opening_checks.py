"""What an organizer should know before a competition opens: each finding says what to do about it."""

from collections.abc import Iterator

from django.conf import settings as site_settings
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.site.bots import languages
from agon.site.competitions.settings import CompetitionSettings, Entry
from games.core.broken import why_broken
from games.core.manifest import GameInfo, load

LOWEST = 1  # strength of a house bot


def findings(given: CompetitionSettings) -> list[str]:
    """Sentences about settings that are valid, and that may yet not do what was meant."""
    if why_broken(given.game):
        return [_("The game does not work on this site: %(why)s") % {"why": why_broken(given.game)}]
    return [*_about_entry(given), *_about_opponents(given, load(given.game)), *_about_words(given)]


def _about_entry(given: CompetitionSettings) -> Iterator[str]:
    now = timezone.now()
    if given.entry_closes and given.entry_closes <= now:
        yield _("Entry closes in the past: no one can enter. Choose a later time, or none.")
    elif given.entry_closes and given.entry_opens and (given.entry_closes - given.entry_opens).days < 1:
        yield _("Entry is open for less than a day. Check the dates and the time zone.")
    if given.entry == Entry.DOMAIN and not site_settings.MAIL:
        yield _(
            "This site sends no mail, so no one can confirm an address: no one can enter. "
            "Choose entry by link, or ask the operator to set up mail."
        )
    if given.entry == Entry.ROSTER:
        yield _(
            "Only students of a course can enter, and this competition belongs to none. "
            "Make a course instead: it gets a competition of its own."
        )
    if given.final_starts and given.final_starts <= now:
        yield _("The final starts in the past, so this cannot be opened. Choose a later time.")
    elif given.final_starts and given.entry_closes and given.final_starts < given.entry_closes:
        yield _(
            "The final starts before entry closes: bots that enter later are not in it. "
            "Start it later, or close entry before."
        )
    here = {language.slug for language in languages.offered()}
    gone = [slug for slug in given.languages if slug not in here]
    if gone:
        yield _("Not offered on this site: %(languages)s. Choose others.") % {"languages": ", ".join(gone)}


def _about_opponents(given: CompetitionSettings, game: GameInfo) -> Iterator[str]:
    house = given.house_bots and game.house
    if given.house_bots and not game.house:
        yield _("The game has no house bots, so the first bots wait for others. Enter one of your own.")
    if not house and game.min_seats > 1:
        yield _(
            "Without house bots no match is played until %(seats)d bots have entered. "
            "Turn them on, or enter bots of your own first."
        ) % {"seats": game.min_seats}
    if given.bots_per_owner == 1 and not house and game.min_seats > 2:
        yield _("With one bot each, it takes %(seats)d people for a match.") % {"seats": game.min_seats}
    if house and min(bot.strength for bot in game.house) > LOWEST:
        yield _(
            "No house bot plays at the lowest level, so newcomers may lose every match. "
            "Enter a weak bot of your own."
        )
    if not given.ladder:
        yield _(
            "The ladder is off: nothing is played until you start a tournament. Create it once this is open."
        )


def _about_words(given: CompetitionSettings) -> Iterator[str]:
    if not given.text:
        yield _("There is no text: say who it is for, what can be won, and whom to ask.")
