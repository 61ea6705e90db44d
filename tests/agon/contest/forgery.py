"""What a forger does: changes files of an archive, and then makes every list of digests fit again."""

import hashlib
import json
from contextlib import closing

from agon.contest.archive.ledger import Ledger
from agon.contest.archive.manifest_reader import read_manifest
from agon.contest.archive.writer import Standings
from agon.contest.standings import result_of
from games.core.replay import log_of


def sign(folder):
    """Write the digests of the files as they now are into the manifest and the list, as a forger would."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    others = [
        name for name in files_of(folder) if name not in ("manifest.json", "SHA256SUMS", "SHA256SUMS.sig")
    ]
    manifest["files"] = {
        name: {
            "sha256": hashlib.sha256((folder / name).read_bytes()).hexdigest(),
            "size": (folder / name).stat().st_size,
        }
        for name in others
    }
    records = [f"matches/{match['index']}/record.json" for match in manifest["matches"]]
    lines = [
        f"{manifest['files'][name]['sha256']}  {name}\n" for name in records if name in manifest["files"]
    ]
    manifest["results"] = hashlib.sha256("".join(lines).encode()).hexdigest()
    path.write_text(json.dumps(manifest))
    list_sums(folder)


def recount(folder):
    """Write the standings that follow from the records that are there."""
    with closing(Ledger()) as ledger:
        manifest = read_manifest([(folder / "manifest.json").read_bytes()], ledger)
        table = Standings(manifest.header)
        for scheduled, *_ in ledger.played():
            log = log_of((folder / f"matches/{scheduled.index}/record.json").read_bytes())
            table.add(scheduled.index, result_of(log, scheduled.seats))
        (folder / "standings.csv").write_text(table.csv(ledger.matches + ledger.absences))


def list_sums(folder):
    """Write SHA256SUMS for the manifest as it now is."""
    path = folder / "manifest.json"
    files = json.loads(path.read_text())["files"]
    lines = [f"{digest['sha256']}  {name}\n" for name, digest in files.items()]
    lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  manifest.json\n")
    (folder / "SHA256SUMS").write_text("".join(lines))


def edit_manifest(folder, **changes):
    """Change fields of the manifest, and its digest in the list."""
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    list_sums(folder)


def files_of(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
