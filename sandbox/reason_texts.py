"""The sentences of the sandbox's reasons, by code. Texts of games and of the platform are not here."""

from sandbox.reason import Reason, Value, mark

_RUNNING = {
    "text": "%(text)s",  # words from outside
    "sandbox_kept_silent": mark("kept its sandbox from answering for %(seconds)s s"),
    "sandbox_broken": mark("broke its sandbox (the agent in it ended with status %(status)s)"),
    "out_of_memory": mark("ran out of memory"),
    "memory_limit": mark("ran out of memory: %(most)s MiB"),
    "output_limit": mark("wrote more than %(most)s KiB to its standard output"),
    "folder_full": mark("its work folder is full: at most %(most)s and %(files)s files"),
    "folder_full_for_file": mark("%(full)s; the game's file could not be written"),
    "folder_too_small": mark(
        "does not fit into its work folder: expected at most %(most)s and %(files)s files in all"
    ),
    "not_started": mark("could not be started (%(command)s): %(why)s"),
    "run_too_slow": mark("did not end within %(seconds)s s"),
    "answer_too_slow": mark("gave no answer within %(seconds)s s"),
    "killed": mark("killed by signal %(number)s (%(name)s)"),
    "exited": mark("exited with status %(status)s"),
    "stopped": mark("was stopped"),
    "match_over": mark("its match is over"),
    "output_closed": mark("closed its standard output"),
    "ran_while_suspended": mark("kept running after it had been suspended"),
    "with_hint": "%(reason)s: %(hint)s",
    "old_program": mark("there is no %(program)s here, use %(other)s"),
    "python_2_name": mark("%(name)s is Python 2; Agon runs %(ours)s"),
    "module_missing": mark(
        "there is no module %(module)s here; Python has its standard library and numpy, and an upload may "
        "contain more"
    ),
    "shadows_module": mark(
        "the upload's file %(name)s.py is imported in place of Python's module %(name)s; give it another name"
    ),
    "file_limit": mark("a process may have %(most)s open files"),
    "process_limit": mark("it may have %(most)s processes and threads at a time"),
    "function_raised": mark("the function raised %(error)s"),
    "function_raised_at": mark("the function raised %(error)s (%(file)s, line %(line)d)"),
}

_BUILDING = {
    "language_not_offered": mark("%(language)s is not offered here: %(why)s"),
    "build_failed": mark("The build failed: %(why)s; see the log"),
    "build_without_network": mark(
        "The build failed: %(why)s; see the log. A build has no network: put all that it needs into the "
        "upload"
    ),
    "step_failed": "%(command)s: %(why)s",
    "step_not_started": mark("could not be started: %(why)s"),
    "step_too_slow": mark("took too long and was stopped"),
    "step_printed_too_much": mark("printed more than %(most)s MiB and was stopped"),
    "spawner_ended": mark("ended the process that runs its steps"),
    "result_too_slow": mark("the result could not be collected within %(seconds)s s"),
    "result_bad": mark("the result is not acceptable: %(why)s"),
    "build_too_large": mark("The build left %(size)s MiB of files: expected at most %(most)d MiB"),
    "build_too_many_entries": mark(
        "The build left %(count)d files and folders at the top level: expected at most %(most)d"
    ),
    "build_left_no_program": mark("The build left no file %(file)s, which is the program to run"),
    "while_loading": mark("while it was loaded, it %(why)s"),
    "last_line_printed": mark("%(why)s; the last line that it printed: %(line)s"),
    "loading_raised": mark("%(path)s raised %(error)s"),
    "loading_raised_at": mark("%(path)s raised %(error)s (%(file)s, line %(line)d)"),
    "no_function": "%(path)s: %(said)s",
    "not_found": "%(path)s: %(said)s",
    "called_otherwise": mark(
        "%(path)s: %(name)s is called with %(count)s arguments, it is defined as %(defined)s"
    ),
    "at_line": mark("%(file)s, line %(line)d: %(problem)s"),
    "loading_too_slow": mark("loading took longer than %(seconds)s s"),
    "name_reserved": mark("%(upload)s contains %(name)s: that name is for a file of Agon's own"),
    "no_run_sh": mark("%(upload)s contains compile.sh but no run.sh: expected both, or only run.sh"),
    "windows_line_ends": mark(
        "%(name)s, line 1: ends with CR LF as on Windows: expected lines that end with LF alone"
    ),
    "toml_unknown_keys": mark("bot.toml: expected only build and run, got %(got)s"),
    "toml_no_run": mark('bot.toml: expected a line such as run = "./bot", got none'),
    "file_too_large": mark("%(name)s: expected at most %(most)d KiB, got %(got)s bytes"),
    "toml_no_command": mark(
        "bot.toml: %(key)s: expected a command (a string or a list of words), got %(got)s"
    ),
    "toml_nul": mark("bot.toml: %(key)s: expected a command without NUL"),
    "toml_long_command": mark("bot.toml: %(key)s: expected a command of at most %(most)d KiB"),
    "too_many_sources": mark(
        "%(upload)s contains %(count)s %(language)s files, too many for one command: add compile.sh and "
        "run.sh"
    ),
    "toml_not_utf8": mark("bot.toml: expected UTF-8 text, got something else at byte %(place)s"),
    "toml_invalid": mark("bot.toml: expected TOML (%(why)s)"),
    "toml_too_deep": mark("bot.toml: expected TOML, got one that is nested too deeply"),
    "toml_no_words": mark('bot.toml: %(key)s: expected a list of words such as ["./bot", "-q"], got %(got)s'),
    "toml_bad_command": mark("bot.toml: %(key)s: expected a command, got %(got)s (%(why)s)"),
    "how_to_name_main": mark(
        "name the main file bot, main or player, or add a file bot.toml with a line such as run = "
        '"python3 robot.py"'
    ),
    "how_to_choose_main": mark(
        "more than one of them is called bot, main or player: rename or remove all but one, or add a file "
        'bot.toml with a line such as run = "python3 bot.py"'
    ),
    "cargo_dependencies": mark(
        "Cargo.toml names dependencies (%(names)s), but a build has no network and no cargo: expected a "
        "program that needs only Rust's standard library; put other code into the upload, as modules"
    ),
    "speaks_lines": mark(
        "it reads lines from its input; to let it play in lines, upload it in an archive with a file "
        'bot.toml that says run = "python3 %(main)s"'
    ),
    "several_functions": mark(
        "%(path)s: expected a function %(name)s of %(count)s arguments, got several of other names: %(found)s"
    ),
    "unknown_language": mark("language %(got)s: expected one of %(known)s"),
    "several_languages": mark("%(upload)s contains programs in several languages (%(found)s): %(how)s"),
    "several_programs": mark(
        "%(upload)s contains several %(language)s files (%(found)s) and it is not clear which is the "
        "main one: %(how)s"
    ),
    "known_or_run_sh": mark("one of %(known)s, or run.sh, or bot.toml"),
    "no_known_source": mark(
        "%(upload)s contains no source file of a known language (%(found)s): expected %(expected)s"
    ),
}

_UPLOADS = {
    "name_backslash": mark("%(name)s: expected folders separated by /, got a backslash"),
    "name_absolute": mark("%(name)s: expected a path inside the upload, got an absolute path"),
    "name_leaves": mark("%(name)s: expected a path inside the upload, got one that leaves it with .."),
    "name_too_deep": mark("%(name)s: expected at most %(most)d levels of folders, got %(got)d"),
    "path_too_long": mark("%(name)s: expected a path of at most %(most)d bytes, got %(got)s"),
    "name_invisible": mark("%(name)s: expected a name of visible characters, got one with U+%(code)s"),
    "name_dash": mark(
        "%(name)s: expected a name that does not begin with - (programs would take it for an option)"
    ),
    "name_too_long": mark("%(name)s: expected names of at most %(most)d bytes, got one of %(got)s"),
    "not_a_file": mark("%(name)s in %(upload)s is %(what)s: expected only files and folders"),
    "archive_damaged": mark("%(upload)s is damaged (%(kind)s: %(why)s): expected a complete archive"),
    "archive_incomplete": mark(
        "%(upload)s is incomplete: its end is missing, as after an interrupted download; expected a complete "
        "archive"
    ),
    "unpacks_too_large": mark(
        "%(upload)s unpacks to more than %(most)d MiB (reached in %(file)s): expected at most %(most)d "
        "MiB in all"
    ),
    "too_many_files": mark("%(upload)s contains more than %(most)s files: expected at most %(most)s"),
    "name_empty": mark("%(upload)s contains a file with an empty name"),
    "no_files": mark("%(upload)s contains no files: expected a program"),
    "too_many_folders": mark("%(upload)s contains more than %(most)s folders: expected at most %(most)s"),
    "names_differ_in_case": mark(
        "%(one)s and %(other)s in %(upload)s differ only in upper and lower case: expected names that "
        "differ on every system"
    ),
    "file_and_folder": mark("%(name)s in %(upload)s is both a file and a folder: expected one of them"),
    "file_twice": mark("%(name)s is in %(upload)s twice: expected every file once"),
    "expected_upload": mark("expected a source file, .zip, .tar or .tar.gz"),
    "is_elf": mark("a compiled program (ELF)"),
    "is_windows_program": mark("a Windows program"),
    "is_mach_o": mark("a compiled program (Mach-O)"),
    "is_java_class": mark("a compiled program (Java class or Mach-O)"),
    "is_7_zip": mark("a 7-Zip archive"),
    "is_rar": mark("a RAR archive"),
    "is_xz": mark("compressed with xz"),
    "is_bzip2": mark("compressed with bzip2"),
    "is_zstd": mark("compressed with zstd"),
    "is_split_zip": mark("one part of a split zip"),
    "is_utf_16": mark("text in UTF-16 (save it as UTF-8)"),
    "upload_empty": mark("%(name)s is empty: %(expected)s"),
    "upload_too_large": mark("%(name)s has %(size)s: expected at most %(most)d MiB (%(bytes)s bytes)"),
    "link_out": mark("%(path)s is a link out of its folder: expected a file or a folder"),
    "bytes": mark("%(count)s bytes"),
    "no_file_name": mark("the upload has no file name: expected one such as bot.py or bot.zip"),
    "not_an_archive": mark("%(name)s is not an archive, or is damaged: %(expected)s"),
    "other_format": mark("%(name)s is %(what)s: %(expected)s"),
    "not_text": mark("%(name)s is not text (byte %(place)s is NUL): %(expected)s"),
    "no_language": mark("no known language"),
    "other_than_chosen": mark("a language other than %(language)s"),
    "wrong_extension": mark(
        "%(name)s is in %(language)s: expected a name that ends with one of %(known)s, or an archive "
        "with run.sh or bot.toml"
    ),
    "system_file": mark("%(name)s is a file of the system or of a tool: %(expected)s"),
    "half_a_character": mark("%(name)s: expected text, got half a character (a lone surrogate)"),
    "not_readable": mark("%(path)s cannot be read: %(why)s"),
    "is_symlink": mark("a symbolic link"),
    "is_neither": mark("neither a file nor a folder"),
    "is_hard_link": mark("a hard link"),
    "is_device": mark("a device"),
    "is_pipe": mark("a named pipe"),
    "is_sparse": mark("a sparse file"),
    "is_socket": mark("a socket"),
    "is_unknown_entry": mark("an entry of the unknown kind %(kind)s"),
    "name_not_utf8": mark("%(name)s in %(upload)s: expected a name in UTF-8"),
    "gzip_without_tar": mark(
        "%(upload)s is compressed with gzip but contains no tar: expected a source file, .zip, .tar or "
        ".tar.gz"
    ),
    "contains_sparse": mark("%(upload)s contains a sparse file: expected only plain files and folders"),
    "encrypted": mark("%(name)s in %(upload)s is encrypted: expected an archive without a password"),
    "zip_method": mark(
        "%(name)s in %(upload)s is compressed with method %(method)d: expected zip's usual method "
        "(deflate), or none"
    ),
    "folder_with_contents": mark(
        "%(name)s in %(upload)s is a folder with contents of its own: expected files in it"
    ),
}

TEXTS = _RUNNING | _BUILDING | _UPLOADS


def english(reason: Reason) -> str:
    """A reason of the sandbox in words."""
    text = TEXTS.get(reason.code)
    return text % {name: _shown(value) for name, value in reason.values.items()} if text else str(reason)


class _Number(int):
    """With separators as `%s`, and bare as `%d`: numbers of lines have no separators."""

    def __str__(self) -> str:
        return f"{self:,}"


def _shown(value: Value) -> object:
    if isinstance(value, Reason):
        return english(value)
    if isinstance(value, float):
        return f"{value:,.10g}"
    return _Number(value) if isinstance(value, int) else value
