"""Bad uploads: each is refused in words that name the file, what was expected, and what was found."""

import os
import random
import struct
import tarfile
import zipfile

import pytest

from sandbox.uploads.accept import BadUpload, pasted, read_path, read_upload
from tests.support.archives import gz, make_tar, make_zip, patched_directory, tar_entry, tar_header

ONE = {"bot.py": b"print(1)\n"}


def refusal(name: str, data: bytes) -> str:
    with pytest.raises(BadUpload) as caught:
        read_upload(name, data)
    message = str(caught.value)
    assert "expected" in message
    assert message.isprintable()
    return message


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("bot.py", b"", "bot.py is empty"),
        ("bot.py", bytes(11 << 20), "bot.py has 11.0 MiB: expected at most 10 MiB"),
        (
            "bot.py",
            bytes((10 << 20) + 1),
            "bot.py has 10,485,761 bytes: expected at most 10 MiB (10,485,760 bytes)",
        ),
        ("bot.txt", b"hello", "bot.txt is in no known language"),
        ("bot", b"hello", "bot is in no known language"),
        ("", b"hello", "no file name"),
        ("bot.py", b"a\0b", "bot.py is not text (byte 1 is NUL)"),
        ("bot.py", "print(1)".encode("utf-16"), "UTF-16"),
        ("bot.c", b"\x7fELF" + bytes(9), "bot.c is a compiled program (ELF)"),
        ("bot.exe", b"MZ\x90", "bot.exe is a Windows program"),
        ("bot.7z", b"7z\xbc\xaf\x27\x1c", "bot.7z is a 7-Zip archive"),
        ("bot.tar.xz", b"\xfd7zXZ\0", "bot.tar.xz is compressed with xz"),
        ("bot.zip", b"no zip at all", "bot.zip is not an archive"),
        ("bot.tar.gz", b"no gzip at all", "bot.tar.gz is not an archive"),
        ("bot.gz", gz(b"print(1)"), "bot.gz is compressed with gzip but contains no tar"),
        ("../..", b"x", "got one that leaves it with .."),
        ("bo\u202et.py", b"x", "U+202E"),
        ("-rf.py", b"x", "begin with -"),
        ("._bot.py", b"x", "of the system or of a tool"),
        ("a.zip", make_zip({}), "a.zip contains no files"),
        ("a.tar", bytes(10240), "a.tar is not an archive"),
        ("a.zip", make_zip({"__MACOSX/._bot.py": b"x"}), "a.zip contains no files"),
    ],
)
def test_an_upload_that_is_no_program_is_refused(name: str, data: bytes, said: str) -> None:
    assert said in refusal(name, data)


BAD_NAMES = {
    "../x": "got one that leaves it with ..",
    "a/../../x": "got one that leaves it with ..",
    "a/../x.py": "got one that leaves it with ..",
    "/etc/passwd": "absolute path",
    "//x": "absolute path",
    "C:/x.py": "absolute path",
    "..\\x": "backslash",
    "a\\..\\..\\x": "backslash",
    "\\\\host\\x": "backslash",
    "a\nb.py": "U+000A",
    "a\x1b[2Jb.py": "U+001B",
    "a\x7f.py": "U+007F",
    "a\u202e.py": "U+202E",
    "a\u2028.py": "U+2028",
    "-o": "begin with -",
    "a/--version.py": "begin with -",
    "x" * 256: "at most 255 bytes",
    "é" * 128: "at most 255 bytes",
    "/".join(["x" * 100] * 6): "at most 512 bytes",
    "/".join("x" * 33): "at most 32 levels",
}


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_is_refused_in_every_archive(name: str) -> None:
    for data in (make_zip(ONE | {name: b""}), make_tar(ONE | {name: b""}), gz(make_tar({name: b""} | ONE))):
        assert BAD_NAMES[name] in refusal("a", data)


def test_a_nul_in_a_name_is_refused() -> None:
    data = make_zip({"bot.pyX.txt": b"x"}).replace(b"bot.pyX.txt", b"bot.py\0.txt")
    assert "U+0000" in refusal("a.zip", data)
    pax = tar_header(b"x", b"%011o\0" % len(b"17 path=bot\0.py\n"), b"x") + b"17 path=bot\0.py\n".ljust(
        512, b"\0"
    )
    assert "damaged" in refusal("a.tar", pax + tar_header() + b"abc".ljust(512, b"\0"))


def test_names_that_are_not_utf8_are_refused() -> None:
    assert "UTF-8" in refusal("a.tar", tar_header("ボット.py".encode("shift-jis")) + bytes(1536))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("bot.py", "Bot.py"), "differ only in upper and lower case"),
        (("lib/a.py", "Lib/b.py"), "differ only in upper and lower case"),
        (("stra\u00dfe.py", "STRASSE.py"), "differ only in upper and lower case"),
        (("a", "a/b.py"), "both a file and a folder"),
        (("a/b.py", "a"), "both a file and a folder"),
        (("bot.py", "./bot.py"), "'bot.py' is in "),
        (("b\u00e9.py", "be\u0301.py"), " twice: expected every file once"),
        (("x/bot.py", "x//bot.py"), " twice: expected every file once"),
    ],
)
def test_names_that_collide_are_refused(names: tuple[str, str], said: str) -> None:
    files = dict.fromkeys(names, b"x")
    assert said in refusal("a.zip", make_zip(files))
    assert said in refusal("a.tar", make_tar(files))


@pytest.mark.parametrize("count", [1001, 10_000])
def test_too_many_files_are_refused(count: int) -> None:
    files = {f"{number}.py": b"" for number in range(count)}
    for data in (make_zip(files), gz(make_tar(files))):
        assert "more than 1,000 files" in refusal("a", data)


@pytest.mark.exhaustive
@pytest.mark.slow
def test_too_many_folders_and_too_many_files_left_out_are_refused() -> None:
    assert "more than 1,000 folders" in refusal("a", make_zip({f"{n}/": b"" for n in range(1001)}))
    left_out = {f".git/{number}": b"" for number in range(20_001)}
    assert "more than 1,000 files" in refusal("a", make_zip(ONE | left_out, zipfile.ZIP_STORED))
    assert "more than 1,000 files" in refusal("a", gz(make_tar(ONE | left_out, form=tarfile.USTAR_FORMAT)))


@pytest.mark.slow
def test_bombs_are_refused_before_they_are_unpacked() -> None:
    zeros = bytes(65 << 20)
    assert "more than 64 MiB" in refusal("a.zip", make_zip(ONE | {"zeros": zeros}))
    assert "more than 64 MiB" in refusal("a.zip", make_zip({str(n): zeros[: 13 << 20] for n in range(5)}))
    assert "more than 64 MiB" in refusal("a.tgz", gz(make_tar(ONE | {"zeros": zeros})))
    assert "more than 64 MiB" in refusal(
        "a.tgz", gz(tar_header(b".DS_Store", b"77777777777\0") + bytes(200 << 20))
    )


def test_a_zip_that_lies_about_a_size_is_refused() -> None:
    honest = make_zip({"zeros": bytes(1 << 20)})
    for lie in (5, 2 << 20):
        assert "damaged" in refusal("a.zip", patched_directory(honest, 24, "<I", lie))
    assert "more than 64 MiB" in refusal("a.zip", patched_directory(honest, 24, "<I", 0xFFFFFFFE))
    assert "damaged" in refusal("a.zip", patched_directory(honest, 20, "<I", 0xFFFFFFFE))
    assert "damaged" in refusal("a.zip", patched_directory(honest, 16, "<I", 1))
    assert "damaged" in refusal("a.zip", patched_directory(honest, 42, "<I", 0xFFFFFFFF))


def test_a_zip64_that_lies_is_refused() -> None:
    honest = make_zip({"bot.py": b"print(1)\n"})
    at = honest.index(b"PK\x01\x02")
    end = honest.index(b"PK\x05\x06")
    entry = bytearray(honest[at:end])
    entry[24:28] = b"\xff" * 4  # the size: see the extra field
    entry[30:32] = struct.pack("<H", 12)
    for size in (1 << 62, (1 << 64) - 1, 10):
        directory = bytes(entry) + struct.pack("<HHQ", 1, 8, size)
        tail = honest[end : end + 12] + struct.pack("<II", len(directory), at) + honest[end + 20 :]
        refusal("a.zip", honest[:at] + directory + tail)


def test_zip_entries_that_overlap_are_refused() -> None:
    """The quine-like bomb: many directory entries for one and the same compressed block."""
    honest = make_zip({"a": bytes(1 << 20)})
    at, end = honest.index(b"PK\x01\x02"), honest.index(b"PK\x05\x06")
    entry = honest[at:end]
    directory = b"".join(entry[:-1] + bytes([ord("a") + n]) for n in range(20))
    tail = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 20, 20, len(directory), at, 0)
    assert "overlap" in refusal("a.zip", honest[:at] + directory + tail)


@pytest.mark.parametrize("flag", [0x1, 0x40, 0x2000])
def test_an_encrypted_zip_is_refused(flag: int) -> None:
    assert "without a password" in refusal("a.zip", patched_directory(make_zip(ONE), 8, "<H", flag))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_of_an_unusual_method_is_refused(method: int) -> None:
    assert "deflate" in refusal("a.zip", make_zip(ONE, method))


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a named pipe"),
        (tarfile.GNUTYPE_SPARSE, "a sparse file"),
        (b"M", "unknown kind"),
    ],
)
def test_anything_but_files_and_folders_is_refused_in_a_tar(kind: bytes, said: str) -> None:
    for data in (tar_entry(kind, "/etc/passwd"), gz(tar_entry(kind, "/etc/passwd"))):
        assert said in refusal("a", data)


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        (0o120777, "a symbolic link"),
        (0o020666, "a device"),
        (0o060666, "a device"),
        (0o010666, "a named pipe"),
        (0o140666, "a socket"),
    ],
)
def test_anything_but_files_and_folders_is_refused_in_a_zip(mode: int, said: str) -> None:
    assert said in refusal("a.zip", make_zip({"bot.py": b"/etc/passwd"}, mode=mode))


def test_a_folder_with_contents_of_its_own_is_refused() -> None:
    assert "folder" in refusal("a.zip", make_zip({"bot/": b"x", "bot.py": b""}))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(make_zip(ONE)[:-30], id="zip cut at its end"),
        pytest.param(make_zip(ONE)[:40], id="zip cut at its start"),
        pytest.param(make_zip(ONE).replace(b"PK\x01\x02", b"PK\x01\x03"), id="zip without a directory"),
        pytest.param(
            make_zip(ONE, zipfile.ZIP_STORED).replace(b"print(1)", b"print(2)"), id="zip with a wrong sum"
        ),
        pytest.param(make_tar({"bot.py": b"x" * 2000})[:1500], id="tar cut"),
        pytest.param(make_tar(ONE)[:512] + b"\0" * 511, id="tar cut in its padding"),
        pytest.param(gz(make_tar(ONE))[:-9], id="gzip cut"),
        pytest.param(gz(make_tar(ONE))[:-8] + bytes(8), id="gzip with a wrong sum"),
        pytest.param(gz(make_tar(ONE)) + b"garbage", id="gzip with garbage after it"),
        pytest.param(tar_header() + b"abc".ljust(512, b"\0") + b"x" * 512, id="tar with a wrong checksum"),
        pytest.param(tar_header(size=b"\xff" * 12) + bytes(1024), id="tar with a negative size"),
        pytest.param(
            tar_header() + bytes(512) + tar_header(size=b"9" * 11), id="tar with a size that is no number"
        ),
        pytest.param(
            tar_header(kind=b"x", size=b"77777777777\0") + bytes(1024), id="tar with a huge pax header"
        ),
        pytest.param(
            tar_header(kind=b"L", size=b"77777777777\0") + bytes(1024), id="tar with a huge long name"
        ),
        pytest.param(
            tar_header(kind=b"x", size=b"00000000005\0") + b"0 a=b".ljust(512), id="pax record of length 0"
        ),
        pytest.param(
            tar_header(kind=b"x", size=b"00000000007\0") + b"9999 a=".ljust(512), id="pax record too long"
        ),
    ],
)
def test_a_damaged_archive_is_refused(data: bytes) -> None:
    said = refusal("archive", data)
    assert "damaged" in said or "is incomplete" in said


@pytest.mark.parametrize("pack", [make_zip, lambda files: gz(make_tar(files)), make_tar])
@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_an_archive_whose_end_is_missing_is_called_incomplete(pack, share: float) -> None:
    whole = pack({"bot.py": random.Random(1).randbytes(5000), "data.bin": random.Random(2).randbytes(9000)})
    said = refusal("archive.zip", whole[: int(len(whole) * share)])
    assert said.startswith("archive.zip is incomplete: its end is missing, as after an interrupted download")


def test_a_tar_of_endless_extended_headers_is_refused() -> None:
    header = tar_header(kind=b"L", size=b"00000000004\0") + b"abc\0".ljust(512, b"\0")
    assert "no files" in refusal("a.tar", header * 9000)


def test_a_huge_number_in_a_tar_is_refused_without_reading_it() -> None:
    assert "more than 64 MiB" in refusal("a.tar", tar_header(size=b"\x80" + b"\x7f" * 11) + bytes(1024))
    record = b"26 size=99999999999999999\n"
    pax = tar_header(kind=b"x", size=b"%011o\0" % len(record)) + record.ljust(512, b"\0")
    assert "more than 64 MiB" in refusal("a.tar", pax + tar_header() + bytes(1024))


def test_pasted_text_is_checked_like_a_file() -> None:
    for text, language, name, said in (
        ("", "python", None, "bot.py is empty"),
        ("x", "klingon", None, "'klingon': expected one of"),
        ("x", "python", "bot.c", "a language other than python"),
        ("x", "python", "a/../../b.py", None),
        ("\ud800", "python", None, "lone surrogate"),
        ("a\0", "python", None, "NUL"),
    ):
        if said is None:
            assert pasted(text, language, name).files[0].path == "b.py"
            continue
        with pytest.raises(BadUpload, match=said):
            pasted(text, language, name)


def test_a_pipe_in_a_folder_is_refused_without_being_opened(tmp_path) -> None:
    os.mkfifo(tmp_path / "bot.py")
    with pytest.raises(BadUpload, match="neither a file nor a folder"):
        read_path(tmp_path)
