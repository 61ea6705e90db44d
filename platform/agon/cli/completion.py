"""`agon completion`: prints a script that makes a shell complete commands, options and their values.

It is made from the arguments of all commands, so the shell need not start `agon` to complete a word. Where a
command has no word to offer, the shell completes names of files.
"""

import inspect
import shlex
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import typer

# Lets zsh take what is written for bash, also where its own completion was not switched on.
ZSH = """(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
autoload -Uz bashcompinit && bashcompinit
"""


class Shell(StrEnum):
    """The values of SHELL."""

    bash = "bash"
    zsh = "zsh"
    fish = "fish"


class Words(NamedTuple):
    """What can follow a command. options: with their help. values: by option, "" being the arguments."""

    command: str
    summary: str
    options: dict[str, str]
    values: dict[str, list[str]]


def completion(
    context: typer.Context,
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    group: Any = context.find_root().command
    words = [_words_of(name, command) for name, command in group.commands.items()]
    print(_fish(words) if shell == Shell.fish else _bash(words, is_zsh=shell == Shell.zsh))


def _words_of(name: str, command: Any) -> Words:
    hints = get_type_hints(inspect.unwrap(command.callback))
    options, values = {"--help": "Show this message and exit."}, {}
    for parameter in command.params:
        names = [opt for opt in parameter.opts if opt.startswith("-")]
        choices = _choices(hints.get(parameter.name))
        for option in names:
            options[option] = (parameter.help or "").split(". ")[0]
        for option in names or [""]:
            if choices:
                values[option] = choices
    return Words(name, command.short_help or "", options, values)


def _choices(hint: Any) -> list[str]:
    """The values of an option that takes one of a few; [] for any other."""
    for kind in (hint, *get_args(hint)):
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            return [member.value for member in kind]
    return []


def _bash(words: list[Words], is_zsh: bool) -> str:
    cases = "\n".join(_bash_case(word) for word in words)
    commands = " ".join(word.command for word in words)
    start = ZSH if is_zsh else ""
    return f"""{start}_agon() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands} --help --version"
    else
        case "${{COMP_WORDS[1]}} $before" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _agon agon"""


def _bash_case(words: Words) -> str:
    lines = [
        f'            "{words.command} {option}") words="{" ".join(values)}" ;;'
        for option, values in words.values.items()
        if option
    ]
    every = " ".join([*words.values.get("", ()), *words.options])
    return "\n".join([*lines, f'            "{words.command} "*) words="{every}" ;;'])


def _fish(words: list[Words]) -> str:
    return "\n".join(line for word in words for line in _fish_lines(word))


def _fish_lines(words: Words) -> Iterator[str]:
    yield (f"complete -c agon -n __fish_use_subcommand -f -a {words.command} -d {shlex.quote(words.summary)}")
    where = f"complete -c agon -n '__fish_seen_subcommand_from {words.command}'"
    if "" in words.values:
        yield f"{where} -a {shlex.quote(' '.join(words.values['']))}"
    for option, text in words.options.items():
        name = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
        choices = f" -x -a {shlex.quote(' '.join(words.values[option]))}" if option in words.values else ""
        yield f"{where} {name}{choices} -d {shlex.quote(text)}"
