# Runs inside the sandbox, in the folder of an uploaded Python bot: compiles every file and executes none.
# The last line that it prints says what is wrong, in fields: sandbox/building/build.py reads it.
# The compiled modules are kept for the matches, except for the main file's, which Python never caches.
from __future__ import annotations

import os
import re
import sys

OLD = (
    (r"Missing parentheses in call to '(print|exec)'", None),
    (r"Multiple exception types must be parenthesized", None),
    (r"leading zeros in decimal integer literals", None),
    (r"", r"^\s*print\s+[^(=\s]"),
    (r"", r"^\s*print\s*>>"),
    (r"", r"^\s*raise\s+\w+\s*,"),
    (r"", r"<>|(?<!`)`(?!`)"),
    (r"", r"\b0[xX]?[0-9a-fA-F]*[lL]\b|\b[0-9]+[lL]\b"),
    (r"", r"\b[uU][rR]['\"]"),
)


def complaint(path: str, error: SyntaxError) -> str:
    line = (error.text or "").strip()
    source = line if len(line) <= 80 else line[:77] + "..."
    fields = [path, str(error.lineno), error.msg, source]
    if any(
        re.search(message, error.msg, re.I) and (code is None or re.search(code, line))
        for message, code in OLD
    ):
        fields.append(f"Python {sys.version_info[0]}.{sys.version_info[1]}")
    return "\t".join(field.replace("\t", " ") for field in fields)


def check(path: str, keep: bool) -> str | None:
    with open(path, "rb") as file:
        data = file.read()
    try:
        compile(data, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return complaint(path, error)
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return f"{path}: cannot be compiled ({type(error).__name__}: {error})"
    if keep:
        import py_compile

        py_compile.compile(
            path, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
    return None


def main() -> int:
    entry = sys.argv[1]
    for folder, _, names in os.walk("."):
        for name in sorted(names):
            path = os.path.normpath(os.path.join(folder, name))
            if name.endswith(".py"):
                problem = check(path, keep=path != entry)
                if problem:
                    print(problem)
                    return 1
    return 0


sys.exit(main())
