"""What people upload in good faith becomes a Source."""

import tarfile
import zipfile
from pathlib import Path

import pytest

from sandbox.uploads.accept import BadUpload, SourceFile, pasted, read_path, read_upload
from tests.support.archives import gz, make_tar, make_zip

FILES = {"bot.py": b"print(1)\n", "lib/help.py": b"x = 1\n"}
EXPECTED = (SourceFile("bot.py", b"print(1)\n", False), SourceFile("lib/help.py", b"x = 1\n", False))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(make_zip(FILES), id="zip"),
        pytest.param(make_zip(FILES, zipfile.ZIP_STORED), id="zip, stored"),
        pytest.param(make_tar(FILES), id="tar, pax"),
        pytest.param(make_tar(FILES, form=tarfile.GNU_FORMAT), id="tar, GNU"),
        pytest.param(make_tar(FILES, form=tarfile.USTAR_FORMAT), id="tar, ustar"),
        pytest.param(gz(make_tar(FILES)), id="tar.gz"),
    ],
)
def test_an_archive_is_detected_by_its_content_whatever_its_name(data: bytes) -> None:
    source = read_upload("my bot.bin", data)
    assert source.files == EXPECTED
    assert source.digest == read_upload("other", make_zip(FILES)).digest


def test_the_digest_distinguishes_contents_names_and_executable_bits() -> None:
    sources = [
        read_upload("a.zip", make_zip({"bot.py": b"1"})),
        read_upload("a.zip", make_zip({"bot.py": b"2"})),
        read_upload("a.zip", make_zip({"main.py": b"1"})),
        read_upload("a.zip", make_zip({"bot.py": b"1"}, mode=0o100755)),
        read_upload("a.zip", make_zip({"bot.py": b"", "1": b""})),
    ]
    assert len({source.digest for source in sources}) == len(sources)


@pytest.mark.parametrize(
    "data", [make_zip({"run.sh": b"x"}, mode=0o100755), make_tar({"run.sh": b"x"}, mode=0o755)]
)
def test_executable_bits_are_kept(data: bytes, tmp_path: Path) -> None:
    source = read_upload("a", data)
    assert source.files == (SourceFile("run.sh", b"x", True),)
    source.write(tmp_path)
    assert (tmp_path / "run.sh").stat().st_mode & 0o777 == 0o755


def test_the_folder_that_holds_everything_is_taken_away() -> None:
    assert (
        read_upload("a.zip", make_zip({f"my bot/{name}": data for name, data in FILES.items()})).files
        == EXPECTED
    )
    assert (
        read_upload("a.tar", make_tar({f"./my bot/{name}": data for name, data in FILES.items()})).files
        == EXPECTED
    )


def test_what_systems_and_tools_add_is_left_out() -> None:
    noise = {
        "b/.git/config": b"x",
        "b/lib/__pycache__/help.cpython-311.pyc": b"x",
        "b/.DS_Store": b"x",
        "b/._bot.py": b"x",
        "__MACOSX/b/._bot.py": b"x",
    }
    files = {f"b/{name}": data for name, data in FILES.items()} | noise
    assert read_upload("b.zip", make_zip(files)).files == EXPECTED
    assert read_upload("b.tgz", gz(make_tar(files))).files == EXPECTED


def test_folders_long_names_and_other_alphabets_are_read() -> None:
    name = "ボット/" + "x" * 120 + "/日本語.py"
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        files = {name: b"1", "bot.py": b"2"}
        assert [file.path for file in read_upload("a.tar", make_tar(files, form=form)).files] == [
            "bot.py",
            name,
        ]
    assert [file.path for file in read_upload("a.zip", make_zip(files | {"ボット/": b""})).files] == [
        "bot.py",
        name,
    ]


def test_names_are_put_into_one_unicode_form() -> None:
    assert read_upload("a.zip", make_zip({"be\u0301.py": b""})).files[0].path == "b\u00e9.py"


def test_a_zip_from_a_mac_has_utf8_names_without_saying_so() -> None:
    data = make_zip({"bé.py": b"", "bot.py": b""})
    assert data.count(b"\x00\x08") >= 2
    flags_off = data.replace(b"PK\x03\x04\x14\x00\x00\x08", b"PK\x03\x04\x14\x00\x00\x00")
    flags_off = flags_off.replace(b"\x14\x00\x00\x08\x08\x00", b"\x14\x00\x00\x00\x08\x00")
    assert flags_off != data
    assert {file.path for file in read_upload("a.zip", flags_off).files} == {"bé.py", "bot.py"}


@pytest.mark.parametrize(
    "name", ["bot.py", "robot.c", "Bot.CPP", "C:\\Users\\me\\bot.py", "/home/me/bot.py", "Bot.java"]
)
def test_a_single_file_of_a_known_language_is_a_source(name: str) -> None:
    source = read_upload(name, b"program")
    assert source.files == (SourceFile(source.filename, b"program", False),)
    assert source.filename == name.replace("\\", "/").rpartition("/")[2]


def test_pasted_text_gets_its_languages_file_name_and_plain_line_ends() -> None:
    assert pasted("a\r\nb\r", "python").files == (SourceFile("bot.py", b"a\nb\n", False),)
    assert pasted("import java.io.*;\npublic final class Robo {}", "java").files[0].path == "Robo.java"
    assert pasted("class Robo {}", "java").files[0].path == "bot.java"
    assert pasted("x", "cpp", "mine.cc").files[0].path == "mine.cc"
    assert pasted("x", "pypy").language == "pypy"


def test_a_path_is_read_as_if_it_were_uploaded(tmp_path: Path) -> None:
    folder = tmp_path / "good"
    for name, data in (FILES | {"__pycache__/x.pyc": b"x", ".git/config": b"x"}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (tmp_path / "good.zip").write_bytes(make_zip(FILES))
    (tmp_path / "bot.py").write_bytes(b"print(1)\n")
    assert read_path(folder).files == EXPECTED
    assert read_path(folder).digest == read_path(tmp_path / "good.zip").digest
    assert read_path(tmp_path / "bot.py").files == EXPECTED[:1]


def test_a_path_that_cannot_be_read_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(BadUpload, match=r"nothing\.py cannot be read: No such file"):
        read_path(tmp_path / "nothing.py")
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.py").symlink_to("/etc/passwd")
    with pytest.raises(BadUpload, match=r"'bot.py' in bot is a symbolic link"):
        read_path(tmp_path / "bot")


def test_a_link_is_followed_within_its_folder_and_no_further(tmp_path: Path) -> None:
    (tmp_path / "v3.py").write_bytes(b"print(1)\n")
    (tmp_path / "current.py").symlink_to("v3.py")
    assert [file.path for file in read_path(tmp_path / "current.py").files] == ["current.py"]
    (tmp_path / "bot.py").symlink_to("/etc/passwd")
    with pytest.raises(BadUpload, match=r"bot\.py is a link out of its folder: expected a file or a folder"):
        read_path(tmp_path / "bot.py")


def test_the_limits_themselves_are_still_accepted() -> None:
    many = read_upload("a.zip", make_zip({f"{number}.py": b"" for number in range(1000)}))
    assert len(many.files) == 1000
    assert len(read_upload("bot.py", b"#" * (10 << 20)).files[0].data) == 10 << 20
    big = read_upload("a.tgz", gz(make_tar({"bot.py": b"", "zeros": bytes(64 << 20)})))
    assert sum(len(file.data) for file in big.files) == 64 << 20
