"""Rosters as spreadsheets write them, and what a new one changes."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agon.teaching import encodings
from agon.teaching.roster import (
    Change,
    NoRoster,
    Person,
    Roster,
    difference,
    format_extension,
    lines,
    parse,
    parse_extension,
)

ADA = Person("17", "Ada Lovelace", "ada@example.org", "A", 36 * 60)
WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=20)
PEOPLE = st.lists(
    st.builds(Person, WORDS, WORDS, st.just("") | st.just("a@b.example"), WORDS, st.integers(0, 90_000)),
    max_size=8,
    unique_by=lambda person: person.number,
)


def codes(text):
    return [(unread.line, unread.code) for unread in parse(text).unreadable]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_separators_line_ends_and_marks_make_no_difference(separator, end, mark):
    rows = [
        ["id", "name", "e-mail", "group", "extension"],
        ["17", "Ada Lovelace", "ada@example.org", "A", "36h"],
    ]
    text = mark + end.join(separator.join(row) for row in rows) + end
    assert parse(text) == Roster((ADA,))


@pytest.mark.parametrize("said", ["sep=;", '"sep=;"', "SEP=;;;"])
def test_a_first_line_that_names_the_separator_is_no_student(said):
    text = f"{said}\r\nid;name\r\n1;Blau, Boris, Dr., jun., of, X\r\n;nobody\r\n"
    roster = parse(text)
    assert [person.name for person in roster.people] == ["Blau, Boris, Dr., jun., of, X"]
    assert [bad.line for bad in roster.unreadable] == [4]


def test_what_no_one_sees_makes_no_other_number_or_address():
    text = "id,name,email\n\u200b17\u00ad,Ada,ada\u200b@example.org\u200e\n\u206617\u2069,Eve,\n\ufeff,Bob,\n"
    roster = parse(text)
    assert roster.people == (Person("17", "Ada", "ada@example.org"),)
    assert [(bad.line, bad.code) for bad in roster.unreadable] == [(3, "repeated"), (4, "no_number")]


def test_without_headings_columns_have_a_fixed_order():
    assert parse("17,Ada Lovelace,ada@example.org,A,1d 12h") == Roster((ADA,))
    assert parse("17\tAda Lovelace\n18\tBob") == Roster((Person("17", "Ada Lovelace"), Person("18", "Bob")))
    assert parse("Ada\nBob\n") == Roster((Person("Ada", "Ada"), Person("Bob", "Bob")))


@pytest.mark.parametrize(
    ("text", "person"),
    [
        (
            "First name,Last name,ID number,Email address,Groups\nAda,Lovelace,17,ada@example.org,A",
            Person("17", "Ada Lovelace", "ada@example.org", "A"),
        ),
        ("Student,ID,SIS User ID,Section\nAda,9,9,A", Person("9", "Ada", "", "A")),
        ("学籍番号,氏名,クラス\n17,山田太郎,一組", Person("17", "山田太郎", "", "一組")),
        ("Matrikelnummer;Nachname;Vorname\n17;Müller;Zoë", Person("17", "Zoë Müller")),
        ("Группа;ФИО;Номер\nБ;Иван Ёлкин;17", Person("17", "Иван Ёлкин", "", "Б")),
        ("id,Nom complet\n17,Zoé", Person("17", "17")),
    ],
)
def test_headings_of_other_systems_and_languages_are_known(text, person):
    assert parse(text) == Roster((person,))


def test_names_with_separators_quotes_line_breaks_formulas_and_arabic_are_names():
    text = 'id,name\n1,"Smith, John ""Jack"""\n2,"two\nlines"\n3,=1+1\n4,محمد علي\n'
    names = [person.name for person in parse(text).people]
    assert names == ['Smith, John "Jack"', "two lines", "=1+1", "محمد علي"]


def test_a_bad_line_is_named_with_what_is_wrong_and_costs_no_other():
    text = (
        "id,name,email,group,extension\n1,Ada,,A\n\n,Nobody\n1,Ada,,B\n2,Bob,bob@\n3,Cid,,,soon\n"
        f"4,{'x' * 121}\n5,E\u202eve\n6,Fay,,,,more\n7,Gil,,B,2d\n"
    )
    assert codes(text) == [
        (4, "no_number"),
        (5, "repeated"),
        (6, "email"),
        (7, "extension"),
        (8, "too_long"),
        (9, "characters"),
        (10, "too_many_cells"),
    ]
    assert [person.number for person in parse(text).people] == ["1", "7"]
    assert parse(text).unreadable[1].values == {"before": 2}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("name,email\nAda,a@b.example", "no_columns"),
        ('1,"Ada\n2,Bob', "quotes"),
        ("1\n" * 10_001, "too_long"),
    ],
)
def test_what_is_no_roster_is_refused(text, code):
    with pytest.raises(NoRoster) as refused:
        parse(text)
    assert refused.value.code == code


def test_five_thousand_lines_are_read():
    assert len(parse("id,name\n" + "".join(f"{n},Name {n}\n" for n in range(5000))).people) == 5000


def test_empty_texts_have_no_people():
    assert parse("") == parse("\n \n,,\n") == Roster(())


@given(PEOPLE, st.sampled_from(",;\t"))
def test_what_is_written_is_read_again(people, separator):
    people = [Person(p.number.strip(), p.name, p.email, p.group, p.extension) for p in people]
    written = io.StringIO()
    csv.writer(written, delimiter=separator).writerows(lines(people))
    assert parse(written.getvalue()) == Roster(tuple(people))


@given(st.text(max_size=200))
def test_any_text_is_a_roster_or_is_refused(text):
    try:
        roster = parse(text)
    except NoRoster:
        return
    numbers = [person.number for person in roster.people]
    assert len(set(numbers)) == len(numbers)


@given(st.integers(0, 366 * 24 * 60))
def test_an_extension_is_read_as_it_is_written(minutes):
    assert parse_extension(format_extension(minutes)) == minutes


@pytest.mark.parametrize("text", ["2", "two days", "1d tomorrow", "-1d", "367d", "1d,,x"])
def test_an_extension_without_a_unit_or_beyond_a_year_is_refused(text):
    with pytest.raises(ValueError, match=r".*"):
        parse_extension(text)


def test_a_difference_names_new_changed_missing_and_the_rest():
    bob, cid, eve = Person("2", "Bob"), Person("3", "Cid"), Person("4", "Eve")
    moved = Person("2", "Bob", "", "B", 60)
    changes = difference([ADA, bob, cid], Roster((ADA, moved, eve)))
    assert (changes.new, changes.changed, changes.missing, changes.same) == (
        (eve,),
        (Change(bob, moved),),
        (cid,),
        1,
    )
    assert changes.changed[0].fields == ("group", "extension")
    assert not difference([ADA], Roster((ADA,)))


def test_a_student_whose_line_cannot_be_read_is_not_missing():
    assert not difference([Person("2", "Bob")], parse("id,name,email\n2,Bob,bob@")).missing


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "17;山田太郎;Zoë;Иван"),
        ("utf-8-sig", "17;Zoë"),
        ("utf-16", "17\tZoë\n18\tИван"),
        ("cp1252", "17;Zoë Müller\n18;François Éloi"),
        ("cp1251", "17;Иван Ёлкин\n18;Анна"),
        ("cp932", "17,山田太郎\n18,鈴木アンナ"),
    ],
)
def test_the_encoding_of_a_file_is_guessed(encoding, text):
    assert encodings.decode(text.encode(encoding)) == text


@given(st.binary(max_size=60))
def test_any_bytes_are_some_text_or_say_that_they_are_not(data):
    try:
        encodings.decode(data)
    except UnicodeDecodeError:
        assert encodings.guess(data) == "utf-8"
