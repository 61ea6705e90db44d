"""Export and import of a competition: equal bytes, and a clear word about every other file."""

import io
import json
import zipfile
from contextlib import suppress

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from hypothesis import example, given
from hypothesis import strategies as st

from agon.site.competitions import bundles
from agon.site.competitions.models import Competition, CompetitionDraft
from agon.site.competitions.settings import BadSettings, CompetitionSettings, validated
from tests.agon.site.competitions.test_organizing import opened

GOOD = CompetitionSettings("Spring cup", "spring-cup", "honest_rps", text="# Hello\n")


def zipped(kind: int = zipfile.ZIP_DEFLATED, /, **files: bytes | str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", kind) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return packed.getvalue()


def document(**changes: object) -> str:
    values = GOOD.to_json()
    del values["text"]
    return json.dumps({"format": "agon competition", "version": 1, "settings": values | changes})


def with_history(text: str) -> bytes:
    return zipped(competition_json=document(), text_md="", history_json=text)


def with_table(**changes: object) -> bytes:
    table = {"title": "Leaderboard", "source": "https://a.example", "columns": ["rank", "bot"]}
    table |= {"rows": [["1", "Rita"]], "is_private": False}
    return with_history(json.dumps({"tables": [table | changes]}))


@pytest.mark.django_db
def test_exported_imported_and_exported_again_the_bytes_are_equal(desk):
    opened(
        desk,
        text="# Grüße\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |",
        entry_opens="2027-01-01T08:00",
        entry_closes="2027-02-01T08:00",
        entry="domain",
        email_domains="b.example, a.example",
        languages="python",
        bots_per_owner="2",
    )
    first = desk.get("/c/spring-cup/settings/export.zip")
    assert first["Content-Disposition"] == 'attachment; filename="spring-cup.zip"'
    Competition.objects.update(slug="old", title="Old")  # acts protect it, so the site cannot be emptied

    sent = {"file": SimpleUploadedFile("any.zip", first.content)}
    page = desk.post("/competitions/import/", sent)
    made = CompetitionDraft.objects.get()
    assert page["Location"] == made.get_absolute_url()
    desk.post(f"/competitions/drafts/{made.pk}/open/")
    assert desk.get("/c/spring-cup/settings/export.zip").content == first.content


@given(
    title=st.text(min_size=1, max_size=40),
    text=st.text(max_size=200),
    domains=st.lists(st.sampled_from(["a.example", "B.example", "c.example"]), max_size=3),
    most=st.none() | st.integers(1, 100),
)
def test_what_can_be_opened_can_be_exported(title, text, domains, most):
    entry = "domain" if domains else "all"
    try:
        settings = validated(
            CompetitionSettings(
                title,
                "cup",
                "coup",
                text=text,
                entry=entry,
                email_domains=tuple(domains),
                bots_per_owner=most,
            )
        )
    except BadSettings:
        return
    packed = bundles.pack(settings)
    assert bundles.unpack(packed) == (settings, [])
    assert bundles.pack(*bundles.unpack(packed)) == packed


@pytest.mark.django_db
def test_a_copy_is_a_draft_of_its_own(desk):
    opened(desk)
    page = desk.post("/c/spring-cup/settings/clone/", follow=True)
    made = CompetitionDraft.objects.get()
    assert page.redirect_chain == [(made.get_absolute_url(), 302)]
    refused = desk.post(f"/competitions/drafts/{made.pk}/open/", follow=True).content.decode()
    assert "A competition has this address." in refused


DAMAGED = bytearray(bundles.pack(GOOD))
DAMAGED[len(DAMAGED) // 3] ^= 0xFF


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no zip of a competition"),
        (b"PK\x03\x04 and nothing", "no zip of a competition"),
        (bytes(DAMAGED), "damaged|not JSON|no zip|UTF-8"),
        (bundles.pack(GOOD)[:-30], "no zip of a competition"),
        (zipped(readme_txt="hello"), "got: readme.txt"),
        (zipped(**{"competition_json": document()}), "Expected a zip with competition.json and text.md"),
        (zipped(competition_json="{", text_md=""), "not JSON"),
        (zipped(competition_json="[" * 100_000, text_md=""), "not JSON"),
        (zipped(competition_json="[]", text_md=""), "not of an exported competition"),
        (zipped(competition_json='{"format": "agon competition", "version": 2}', text_md=""), "version 2"),
        (zipped(competition_json=document(), text_md=b"\xff\xfe"), "not UTF-8"),
        (zipped(competition_json=document(), text_md="x" * (2 << 20)), "larger than 1024 KiB"),
        (zipped(competition_json=document(prize=1), text_md=""), "no such setting"),
        (zipped(competition_json=document(title=1), text_md=""), "Expected text, got 1"),
        (zipped(competition_json=document(ladder="yes"), text_md=""), "Expected true or false"),
        (zipped(competition_json=document(entry_opens="2027-01-01T10:00"), text_md=""), "with its offset"),
        (zipped(competition_json=document(entry_opens="0001-01-01T00:00+23:00"), text_md=""), "offset"),
        (zipped(competition_json=document(slug="../x"), text_md=""), "lowercase letters"),
        (zipped(competition_json=document(game="../../etc"), text_md=""), "no game"),
        (zipped(competition_json=document(languages=["klingon\0"]), text_md=""), "no language"),
        (b"x" * ((8 << 20) + 1), "larger than 8192 KiB"),
        (with_history("{"), "history.json is not JSON"),
        (with_history('{"tables": []}'), "expected 1 to 200 tables"),
        (with_history('{"tables": [], "more": 1}'), "expected 1 to 200 tables"),
        (with_history(" " * (6 << 20)), "history.json is larger than 5120 KiB"),
        (with_table(rows=[["1"]]), "Row 1 of a table: expected 2 texts"),
        (with_table(rows=[["1", 2]]), "Row 1 of a table: expected 2 texts"),
        (with_table(rows=[["1", "\u202ebob"]]), "Row 1 of a table"),
        (with_table(rows=[["1", "bob\0"]]), "Row 1 of a table"),
        (with_table(rows=[["1", "\ud800"]]), "history.json is not JSON .*surrogates"),
        (zipped(competition_json=document(**{"\ud800": 1}), text_md=""), "not JSON .*surrogates"),
        (with_table(rows=[["1", "x" * 301]]), "Row 1 of a table"),
        (with_table(rows=[["1", "2"]] * 20_001), "at most 20000 rows"),
        (with_table(rows="rank"), "Expected a list of rows"),
        (with_table(columns=[]), "Expected 1 to 80 headings"),
        (with_table(title="<\n>"), "Expected a title and a source"),
        (with_table(account=7), "Expected a table with the fields"),
    ],
)
def test_another_file_is_refused_with_a_reason(data, words):
    with pytest.raises((bundles.BadBundle, BadSettings), match=words):
        bundles.unpack(data)


KINDS = [
    zipped(kind, competition_json=document(), text_md="", **{"ümlaut": ""})
    for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
]


@given(kind=st.sampled_from(KINDS), at=st.integers(0, 10_000), byte=st.integers(0, 255))
@example(kind=KINDS[0], at=KINDS[0].rindex("ümlaut".encode()), byte=0xFF)  # a name that is no UTF-8
@example(kind=KINDS[1], at=len(KINDS[1]) - 3, byte=0xFF)  # a place before the begin of the file
@example(kind=KINDS[3], at=60, byte=0xFF)  # the options of the decoder
def test_a_file_with_any_byte_changed_is_refused_or_read(kind, at, byte):
    data = bytearray(kind)
    data[at % len(data)] = byte
    with suppress(bundles.BadBundle, BadSettings):
        bundles.unpack(bytes(data))


@pytest.mark.django_db
def test_half_a_character_in_a_file_breaks_no_page_of_who_imports_it(desk):
    """A sentence that cannot be shown would stay in the session, and break each page from then on."""
    version = '{"format": "agon competition", "version": "\\ud800"}'
    sent = {"file": SimpleUploadedFile("any.zip", zipped(competition_json=version, text_md=""))}
    for answer in (desk.post("/competitions/import/", sent, follow=True), desk.get("/competitions/")):
        assert answer.status_code == 200
    assert not CompetitionDraft.objects.exists()


@pytest.mark.django_db
def test_a_refused_file_leaves_no_draft(desk):
    sent = {"file": SimpleUploadedFile("any.zip", zipped(readme_txt="hello"))}
    assert "got: readme.txt" in desk.post("/competitions/import/", sent, follow=True).content.decode()
    assert "Choose a file" in desk.post("/competitions/import/", {}, follow=True).content.decode()
    assert not CompetitionDraft.objects.exists()
