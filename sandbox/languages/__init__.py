"""Languages: one declarative file each, and the code that reads them.

A language is a `<slug>.toml` beside this file, nothing more:

    slug, title      name in addresses and for people
    family           core, scripting, native, functional or other: languages that share one Docker image
    extensions       of its source files; the first is the usual one
    package          the Debian packages it needs, separated by spaces
    version          command whose first line of output is the version
    build            commands, each a list of words; may be empty
    run              the command that starts the bot; arguments of a move are appended
    selftest         a program; building/selftest.py says what it must do
    warm             (false) bots may be forked from a warm Python interpreter
    explains         (false) the last line of a failed build says what is wrong: see building/build.py
    only_chosen      (false) shares its extensions with others; used only if the author chooses it
    class_pattern    regular expression; its first group is the file name that a pasted program needs
    script           a file in this folder whose content replaces {script} in build

In build and run {main} stands for the main file, {stem} for its name without folder and extension,
{base} for its path without the extension, {sources} (a word of its own) for all files of the language.
"""
