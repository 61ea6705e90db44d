"""Names that look the same are the same, in every writing and on every database: nobody takes another's."""

import pytest
from django.core.exceptions import ValidationError

from agon.site.accounts.models import User
from agon.site.bots.models import Bot
from agon.site.bots.refusal import Refused
from agon.site.bots.services import receive
from agon.site.core.db.name_keys import misleads

pytestmark = pytest.mark.production

PROGRAM = b"print('READY')\n"
ALIKE = [
    ("Рита", "РИТА"),
    ("strasse ß", "strasse ẞ"),
    ("Straße", "STRASSE"),
    ("Rita", "Ｒｉｔａ"),
    ("ﬁsh", "FISH"),
]
DIFFERENT = [("ib", "İb"), ("リタ", "りた"), ("Rita", "Rita.")]


@pytest.fixture
def bob(db):
    return User.objects.create_user("bob")


@pytest.mark.parametrize(("first", "second"), ALIKE)
def test_a_bot_of_a_name_that_looks_the_same_is_the_same_bot(user, bob, competition, first, second):
    receive(user, competition, first, "a.py", PROGRAM)
    assert receive(user, competition, second, "a.py", PROGRAM).number == 2
    with pytest.raises(Refused, match=f"The name {first} is taken in this competition"):
        receive(bob, competition, second, "a.py", PROGRAM)


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_names_that_only_resemble_each_other_are_two(user, bob, competition, first, second):
    assert receive(user, competition, first, "a.py", PROGRAM).number == 1
    assert receive(bob, competition, second, "a.py", PROGRAM).number == 1


def sign_up(client, name):
    password = "correct horse battery"
    return client.post("/accounts/signup/", {"username": name, "password1": password, "password2": password})


@pytest.mark.parametrize(("first", "second"), [("Рита", "РИТА"), ("weiß", "WEISS"), ("rita", "ｒｉｔａ")])
def test_nobody_signs_up_under_a_name_that_looks_like_somebody_elses(client, db, first, second):
    User.objects.create_user(first)
    page = sign_up(client, second)
    assert page.status_code == 200
    assert "A user with that username already exists." in page.content.decode()
    with pytest.raises(ValidationError, match="already exists"):
        User(username=second, password="x").full_clean()
    assert User.objects.count() == 1


@pytest.mark.first(2)
@pytest.mark.parametrize("name", ["rita", "RITA", "ｒｉｔａ", "..", "", "r" * 151])
def test_nor_does_the_administrator_make_such_an_account(admin_client, name):
    User.objects.create_user("Rita")
    password = "correct horse battery"
    facts = {"username": name, "usable_password": "true", "password1": password, "password2": password}
    facts["why"] = "asked for"
    page = admin_client.post("/admin/accounts/user/add/", facts)
    assert page.status_code == 200
    assert set(page.context["adminform"].form.errors) == {"username"}


@pytest.mark.parametrize("name", ["admin", "Staff", "ａｇｏｎ", "ＲＯＯＴ"])
def test_names_of_the_house_are_nobodys(client, db, name):
    assert "Username can not be used" in sign_up(client, name).content.decode()
    assert not User.objects.exists()


def test_a_name_that_differs_more_may_be_had(client, db):
    User.objects.create_user("ib")
    assert sign_up(client, "İb").status_code == 302
    assert sorted(User.objects.values_list("username", flat=True)) == ["ib", "İb"]


@pytest.mark.parametrize("name", ["..", "@@", "+-"])
def test_a_name_that_is_no_address_of_a_page_is_refused(client, db, name):
    assert "Enter a valid username" in sign_up(client, name).content.decode()
    assert not User.objects.exists()


INVISIBLE = [
    "\u3164",
    "\u115f\u1160",
    "\uffa0",
    "a\u3164",
    "\u200brita",
    "ri\u00adta",
    "rita\ufe0f",
    "\U000e0041a",
]


@pytest.mark.first(2)
@pytest.mark.parametrize("name", INVISIBLE)
def test_nobody_has_a_name_with_characters_that_are_invisible(client, user, competition, name):
    page = sign_up(client, name)
    assert page.status_code == 200
    assert User.objects.count() == 1
    with pytest.raises(ValidationError):
        User(username=name, password="x").full_clean()
    with pytest.raises(Refused):
        receive(user, competition, name, "a.py", PROGRAM)
    assert not Bot.objects.exists()


LOOK_ALIKE = [
    ("paypal", "раураl"),  # Cyrillic, except the last letter
    ("paypal", "РAYPAL"),  # a Cyrillic capital
    ("TOP", "ТОР"),  # Cyrillic capitals, which as small letters look otherwise
    ("Top", "ТОР"),
    ("scope", "ѕсоре"),
    ("rnaster", "master"),
    ("O0l1", "00ll"),
    ("alpha", "αlpha"),  # Greek
    ("tom", "tоm"),
    ("Zoe", "\U0001d419oe"),  # a mathematical letter
    ("Тест", "Tест"),  # a Latin T
]


@pytest.mark.first(6)
@pytest.mark.parametrize(("taken", "new"), [*LOOK_ALIKE, *((new, taken) for taken, new in LOOK_ALIKE)])
def test_a_name_that_looks_like_another_is_refused(client, user, bob, competition, taken, new):
    User.objects.create_user(taken)
    page = sign_up(client, new).content.decode()
    assert "This name is too similar to one that is taken" in page or "already exists" in page
    with pytest.raises(ValidationError):
        User(username=new, password="x").full_clean()

    receive(user, competition, taken, "a.py", PROGRAM)
    with pytest.raises(Refused, match=r"looks like|is taken"):
        receive(bob, competition, new, "a.py", PROGRAM)
    assert Bot.objects.count() == 1


@pytest.mark.first(2)
@pytest.mark.parametrize("name", ["hоuse", "һouse", "HОUSE", "аdmin", "admіn", "аgоn", "rооt", "stаff"])
def test_nor_like_one_of_the_house(client, db, name):
    assert "Username can not be used" in sign_up(client, name).content.decode()


LEGITIMATE = [
    "リタのBot",
    "東京タワー",
    "カタカナ漢字mix",
    "Иван",
    "Пётр2",
    "Ёжик_бот",
    "Łukasz",
    "José",
    "Ωmega",
    "김철수",
]


@pytest.mark.first(3)
@pytest.mark.parametrize("name", LEGITIMATE)
def test_names_in_every_writing_are_accepted(client, user, competition, name):
    assert sign_up(client, name).status_code == 302
    assert User.objects.filter(username=name).exists()
    assert receive(user, competition, name, "a.py", PROGRAM).number == 1


def test_all_of_them_live_beside_each_other(client, user, competition):
    for name in LEGITIMATE[:5]:
        receive(User.objects.create_user(name), competition, name, "a.py", PROGRAM)
    assert Bot.objects.count() == 5


def test_ones_own_bots_may_look_alike(user, competition):
    receive(user, competition, "bot-1", "a.py", PROGRAM)
    assert receive(user, competition, "bot-l", "a.py", PROGRAM).number == 1


@pytest.mark.parametrize("title", ["Spring cup", "⚔\ufe0f Samurai", "👩\u200d💻 Cup", "Кубок", "大会"])
def test_a_title_may_have_signs_of_every_script_and_emoji(title: str) -> None:
    assert not misleads(title)


@pytest.mark.parametrize(
    "title", ["\u200b", "a\u200bb", "\u202eabc", "\u2066x\u2069", "\ufeff", "\ufe0f", "\x1b[0m"]
)
def test_a_title_that_shows_nothing_or_turns_around_misleads(title: str) -> None:
    assert misleads(title)
