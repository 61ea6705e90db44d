"""Languages: one declarative file each, and what reads them.

A language is a `<slug>.toml` beside this file, nothing more:

    slug, title      name in addresses and for people
    family           core, scripting, native, functional or other: those that share one Docker image
    extensions       of its source files; the first is the usual one
    package          the Debian packages it needs, as one would type them after `apt install`
    version          command whose first line of output names the version
    build            commands, each a list of words; may be empty
    run              the command that plays; arguments of a move are appended to it
    selftest         a program; see states.py for what it must do
    warm             (false) may be forked from a warm Python interpreter
    explains         (false) the last line a failed build prints is itself the reason for the author
    only_chosen      (false) shares its extensions; taken only when the author chooses it
    class_pattern    regular expression whose first group names the file a pasted program must have
    script           a file beside this one whose text stands for {script} in build

In build and run {main} stands for the main file, {stem} for its name without folder and extension,
{base} for its path without the extension, {sources} (a word of its own) for all files of the language.
"""
