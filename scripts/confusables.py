"""Makes platform/agon/site/core/db/confusables.txt (characters that look alike) from two tables of Unicode.

    python scripts/confusables.py confusables.txt DerivedCoreProperties.txt

Uses only the standard library. The first table (UTS 39) is
https://www.unicode.org/Public/security/<version>/confusables.txt, the second
https://www.unicode.org/Public/<version>/ucd/DerivedCoreProperties.txt (Debian: unicode-data).
"""

import re
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "platform/agon/site/core/db/confusables.txt"
HEADER = """\
# What agon/site/core/db/name_keys.py knows of characters that look alike, or like nothing.
# Made by scripts/confusables.py from Unicode's confusables.txt, version {confusables},
# and DerivedCoreProperties.txt, version {properties}.
# Copyright Unicode, Inc. Distributed under the Terms of Use in https://www.unicode.org/copyright.html.
#
# <characters>-<to>                  Default_Ignorable_Code_Point: shown as nothing
# <character> <what it looks like>   the prototype of its class, several characters with + in between
"""


def version(pattern: str, table: str) -> str:
    matched = re.search(pattern, table, re.MULTILINE)
    return matched[1] if matched else "unknown"


def main(confusables: str, properties: str) -> None:
    first, second = Path(confusables).read_text("utf-8-sig"), Path(properties).read_text()
    versions = {
        "confusables": version(r"^# Version: (\S+)", first),
        "properties": version(r"^# DerivedCoreProperties-(\S+)\.txt", second),
    }
    lines = [HEADER.format(**versions)]
    ignorable = r"^([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*; Default_Ignorable_Code_Point"
    lines += [f"{start}-{end or start}\n" for start, end in re.findall(ignorable, second, re.MULTILINE)]
    confusable = r"^([0-9A-F]+)\s*;\s*([0-9A-F ]+?)\s*;\s*MA\b"
    lines += [
        f"{source} {'+'.join(target.split())}\n"
        for source, target in re.findall(confusable, first, re.MULTILINE)
    ]
    TARGET.write_text("".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
