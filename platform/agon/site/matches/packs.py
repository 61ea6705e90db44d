"""Finds the pack that has the recording of a match; agon.site.matches.packing writes packs."""

from collections import OrderedDict

from agon.site.matches.models import Match, Pack
from agon.site.matches.pack_format import DamagedPack, Encoded, Opened

OPEN = 16  # packs that a reader of many matches keeps: matches of so many competitions may take turns


def covering(competition: int, match: int) -> Pack | None:
    """The pack whose range has this number. Whether it has a recording of the match is in its contents."""
    return Pack.objects.filter(competition=competition, first__lte=match).order_by("-first").first()


def opened(pack: Pack) -> Opened:
    """Raises DamagedPack."""
    streams = (pack.contents, pack.record, pack.times, pack.files, pack.log)
    return Opened(Encoded(*map(bytes, streams)))


class Packs:
    """Reads packs. Those that were read last stay open, so that a reader of many matches reads each once."""

    def __init__(self) -> None:
        self._open: OrderedDict[int, Opened] = OrderedDict()

    def find(self, match: Match) -> Opened | None:
        """The pack that has the recording of the match; None if none has. Raises DamagedPack."""
        for key, pack in self._open.items():
            if match.pk in pack:
                self._open.move_to_end(key)
                return pack
        row = covering(match.competition_id, match.pk)
        if row is None:
            return None
        try:
            readable = opened(row)
        except DamagedPack as error:
            raise DamagedPack(f"pack {row.pk}, {error}") from error
        if match.pk not in readable:
            return None
        self._open[row.pk] = readable
        if len(self._open) > OPEN:
            self._open.popitem(last=False)
        return readable
