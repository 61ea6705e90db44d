"""Ways to tamper with an archive of six matches of Coup, and what is said of them: a table.

A tamper is a function that changes the archive in a folder. A clumsy forger changes a file. A careful one
makes digests fit again, a perfect one also every name, seed and number that follows.
"""

import hashlib
import json
import re
import shutil

from agon.contest.archive.signature import new_key, read_key

from .forgery import list_sums, recount, sign

KEY = read_key(new_key())  # the site's
OTHER = read_key(new_key())


def append(name, data=b" "):
    def tamper(folder):
        with open(folder / name, "ab") as file:
            file.write(data)

    return tamper


def remove(name):
    return lambda folder: (folder / name).unlink()


def add(name):
    def tamper(folder):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("hello\n")

    return tamper


def truncate(name, size):
    return lambda folder: (folder / name).write_bytes((folder / name).read_bytes()[:size])


def swap_files(left, right):
    def tamper(folder):
        first, second = (folder / left).read_bytes(), (folder / right).read_bytes()
        (folder / left).write_bytes(second)
        (folder / right).write_bytes(first)

    return tamper


def record(number, change):
    def tamper(folder):
        path = folder / f"matches/{number}/record.json"
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data, sort_keys=True, separators=(",", ":")) + "\n")

    return tamper


def manifest(change):
    def tamper(folder):
        path = folder / "manifest.json"
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data))
        list_sums(folder)

    return tamper


def carefully(*tampers):
    """And then every digest fits."""

    def tamper(folder):
        for tamper in tampers:
            tamper(folder)
        sign(folder)

    return tamper


def drop_match(number, reason=None):
    """Take a match out, with its entry; with a reason, as one that was void."""

    def tamper(folder):
        shutil.rmtree(folder / f"matches/{number}")
        path = folder / "manifest.json"
        data = json.loads(path.read_text())
        [gone] = [match for match in data["matches"] if match["index"] == number]
        data["matches"].remove(gone)
        if reason is not None:
            data["absent"].append({**gone, "state": reason, "reason": ""})
            data["absent"].sort(key=lambda match: match["index"])
        path.write_text(json.dumps(data))

    return tamper


def swap_names(folder):
    """The first and the last bot change their names, wherever these stand."""
    names = {"Random": "Лиса", "Лиса": "Random"}

    def swapped(text):
        return re.sub("Random|Лиса", lambda match: names[match[0]], text)

    for path in folder.glob("matches/*/record.json"):
        data = json.loads(path.read_text())
        for seat in data["seats"]:
            seat["name"] = swapped(seat["name"])
        path.write_text(json.dumps(data, sort_keys=True, separators=(",", ":")) + "\n")
    for path in list(folder.glob("matches/*/*")):
        path.rename(path.with_name(f"new-{swapped(path.name)}"))
    for path in list(folder.glob("matches/*/new-*")):
        path.rename(path.with_name(path.name.removeprefix("new-")))
    (folder / "standings.csv").write_text(swapped((folder / "standings.csv").read_text()))
    manifest(lambda data: [entrant.update(name=swapped(entrant["name"])) for entrant in data["entrants"]])(
        folder
    )


def one_more_round(data):
    data["rounds"] += 1


def first(block, **changes):
    return lambda data: data[block][0].update(changes)


def signature(sign_with):
    def tamper(folder):
        sums = (folder / "SHA256SUMS").read_bytes()
        (folder / "SHA256SUMS.sig").write_bytes(sign_with.sign(hashlib.sha512(sums).digest()))

    return tamper


def flip_signature(folder):
    path = folder / "SHA256SUMS.sig"
    lines = path.read_text().splitlines()
    lines[3] = lines[3][::-1]
    path.write_text("\n".join(lines) + "\n")


HISTORY = "matches/0/Random_Taxman_0_0.txt"
RECORD = "matches/0/record.json"
# What is done, the file that is named, and more of the words.
FOUND = {
    "a byte after a record": (append(RECORD), RECORD, "changed"),
    "a byte after a standard error": (
        append("matches/0/0-Random.stderr"),
        "matches/0/0-Random.stderr",
        "changed",
    ),
    "a byte after a history": (append(HISTORY), HISTORY, "changed"),
    "a byte after the times": (append("matches/2/times.json"), "matches/2/times.json", "changed"),
    "a byte after the standings": (append("standings.csv"), "standings.csv", "changed"),
    "a byte after the manifest": (append("manifest.json", b"\n"), "SHA256SUMS", "line 32"),
    "a line after the digests": (append("SHA256SUMS", b"x\n"), "SHA256SUMS", "line 33: expected the end"),
    "a record is missing": (remove(RECORD), RECORD, "missing"),
    "times are missing": (remove("matches/1/times.json"), "matches/1/times.json", "missing"),
    "the standings are missing": (remove("standings.csv"), "standings.csv", "missing"),
    "the manifest is missing": (remove("manifest.json"), "manifest.json", "missing"),
    "the digests are missing": (remove("SHA256SUMS"), "SHA256SUMS", "missing"),
    "a file more": (add("matches/2/notes.txt"), "matches/2/notes.txt", "not in manifest.json"),
    "a file more, listed": (
        carefully(add("matches/2/notes.txt")),
        "matches/2/notes.txt",
        "does not belong in an archive",
    ),
    "a match more": (carefully(add("matches/6/record.json")), "matches/6/record.json", "does not belong"),
    "two records exchanged": (swap_files(RECORD, "matches/3/record.json"), RECORD, "changed"),
    "two records exchanged, listed": (
        carefully(swap_files(RECORD, "matches/3/record.json")),
        RECORD,
        "seed: expected",
    ),
    "other scores": (carefully(record(0, lambda data: data["scores"].reverse())), RECORD, "scores[0]"),
    "an answer less": (
        carefully(record(0, lambda data: data["answers"][0].pop())),
        RECORD,
        "missing: the game goes",
    ),
    "an answer more": (
        carefully(record(0, lambda data: data["answers"][0].append(data["answers"][0][-1]))),
        RECORD,
        "the match is over before",
    ),
    "a fault more": (
        carefully(
            record(
                0,
                lambda data: data["faults"].append(
                    {"seat": 0, "kind": "crash", "step": 99, "code": "exited", "values": {"status": 1}}
                ),
            )
        ),
        RECORD,
        "faults: 1 in the record",
    ),
    "another seed": (carefully(record(0, lambda data: data.update(seed=7))), RECORD, "seed: expected"),
    "another seed in the manifest": (
        manifest(first("matches", seed=7)),
        "manifest.json",
        "matches[0].seed: expected",
    ),
    "another game in a record": (
        carefully(record(0, lambda d: d.update(game="samurai"))),
        RECORD,
        "game: expected",
    ),
    "another version of the game": (carefully(record(0, lambda d: d.update(version="9"))), RECORD, "version"),
    "seats of a record exchanged": (
        carefully(record(0, lambda d: d["seats"].reverse())),
        RECORD,
        "seats: not the",
    ),
    "a bot renamed in a record": (
        carefully(record(0, lambda data: data["seats"][0].update(name="Duke"))),
        RECORD,
        "seats: not the entrants",
    ),
    "a bot renamed in the manifest": (
        carefully(manifest(first("entrants", name="Duke"))),
        "manifest.json",
        "matches[0].seed",
    ),
    "another version of a bot": (
        carefully(manifest(first("entrants", submission="ab"))),
        "manifest.json",
        "matches[0].seed",
    ),
    "entrants in another order": (manifest(lambda data: data["entrants"].reverse()), "manifest.json", "seed"),
    "first and last bot exchanged by name": (carefully(swap_names), "manifest.json", "matches[0].seed"),
    "seats of the manifest exchanged": (
        manifest(first("matches", seats=[1, 0])),
        "matches/0",
        "not the match that the format",
    ),
    "a match taken out": (carefully(drop_match(4), recount), "matches/4", "missing: it is in the schedule"),
    "the last matches taken out": (
        carefully(drop_match(4), drop_match(5), recount),
        "matches/5",
        "missing: it is in the",
    ),
    "a match called unplayed": (
        carefully(drop_match(4, "unplayed"), recount),
        "manifest.json",
        "match 4: unplayed, though",
    ),
    "a match called withdrawn": (
        carefully(drop_match(4, "withdrawn"), recount),
        "manifest.json",
        "match 4: withdrawn",
    ),
    "a round more": (manifest(one_more_round), "matches/6", "missing: it is in the schedule"),
    "another format": (
        manifest(lambda data: data.update(format="round_robin_self")),
        "matches/0",
        "not the match",
    ),
    "another way to give points": (
        manifest(lambda d: d.update(points="elo")),
        "manifest.json",
        "points: unknown",
    ),
    "another seed of the contest": (manifest(lambda data: data.update(seed=101)), "manifest.json", "seed"),
    "other standings": (
        carefully(lambda folder: (folder / "standings.csv").write_text("rank,bot\n1,Random\n")),
        "standings.csv",
        "not what the records lead to",
    ),
    "a bot put out": (
        manifest(lambda data: data.update(stopped=[{"entrant": 0, "reason": "x"}])),
        "standings.csv",
        "not what the records lead to",
    ),
    "another history": (carefully(append(HISTORY, b"p")), HISTORY, "not what the record leads to"),
    "another digest of the results": (
        manifest(lambda data: data.update(results="0" * 64)),
        "manifest.json",
        "results: not the digest",
    ),
    "a format to come": (
        manifest(lambda d: d.update(archive=6)),
        "manifest.json",
        "archive: expected format 5",
    ),
    "an older format": (
        manifest(lambda d: d.update(archive=3)),
        "manifest.json",
        "archive: expected format 5",
    ),
    "a truncated manifest": (truncate("manifest.json", 700), "manifest.json", "character"),
    "a truncated record": (carefully(truncate(RECORD, 100)), RECORD, "not a record"),
}
# What only a signature shows.
HIDDEN = {
    "a match called void": carefully(drop_match(4, "void"), recount),
    "another standard error": carefully(append("matches/0/0-Random.stderr", b"I was robbed\n")),
    "another day": manifest(lambda data: data.update(chain={"day": "2026-01-01", "digest": "0" * 64})),
    "another limit": manifest(lambda data: data["settings"]["limits"].update(turn_ms=1)),
    "an act more": manifest(
        lambda data: data["acts"].append(
            {"at": "2026-01-01", "actor": "eve", "verb": "start", "subject": "", "reason": "", "details": {}}
        )
    ),
}


# What the signature itself may be.
SIGNATURES = {
    "another key": (signature(OTHER), f"signed with {OTHER.fingerprint}, expected a key of"),
    "damaged": (flip_signature, "SHA256SUMS.sig: "),
    "missing": (remove("SHA256SUMS.sig"), "SHA256SUMS.sig: missing: expected a signature by"),
    "empty": (truncate("SHA256SUMS.sig", 0), "expected the text of a signature"),
    "in another alphabet": (
        lambda folder: (folder / "SHA256SUMS.sig").write_text(EMPTY.replace("U1", "ж")),
        "SHA256SUMS.sig: damaged",
    ),
    "of no key": (lambda folder: (folder / "SHA256SUMS.sig").write_text(EMPTY), "SHA256SUMS.sig: damaged"),
}
EMPTY = "-----BEGIN SSH SIGNATURE-----\nU1NIU0lH\n-----END SSH SIGNATURE-----\n"
