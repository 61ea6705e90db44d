"""The upload form: what is wrong is said at its field, and nothing is left of it."""

import json
import tarfile

import pytest
from django.core.cache import cache
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from agon.site.bots import languages
from agon.site.bots.models import Bot, Submission
from agon.site.bots.sources import source_of
from tests.support.archives import gz, make_tar, make_zip, tar_entry

from .conftest import PASSWORD, browser_of

PROGRAM = b"print('READY')\n"
ONE = {"bot.py": PROGRAM}


def send(client: Client, name: str = "Rita", filename: str = "rita.py", data: bytes = PROGRAM, **fields):
    file = SimpleUploadedFile(filename, data)
    return client.post("/c/samurai/submit/", {"name": name, "way": "file", "file": file} | fields)


def kept() -> bool:
    return Bot.objects.exists() or Submission.objects.exists() or default_storage.exists("sources")


def test_an_upload_leads_to_the_page_that_follows_it(signed_in, competition):
    response = send(signed_in)

    assert response.headers["Location"] == Submission.objects.get().get_absolute_url()
    page = signed_in.get(response.headers["Location"]).content.decode()
    assert "received" in page
    assert "rita.py" in page


def several(client: Client, files: dict[str, bytes], paths: str = ""):
    chosen = [SimpleUploadedFile(path.rpartition("/")[2], data) for path, data in files.items()]
    return client.post("/c/samurai/submit/", {"name": "Rita", "way": "file", "file": chosen, "paths": paths})


def test_several_files_are_taken_together(signed_in, competition):
    files = {"bot.py": b"import plan\n", "plan.py": PROGRAM}
    page = signed_in.get(several(signed_in, files).headers["Location"]).content.decode()

    assert "Rita.zip" in page
    submission = Submission.objects.get()
    assert {file.path: file.data for file in source_of(submission).files} == files


def test_the_files_of_a_folder_keep_their_paths(signed_in, competition):
    files = {"rita/bot.py": PROGRAM, "rita/data/bot.py": b"1"}
    several(signed_in, files, json.dumps(list(files)))

    stored = {file.path: file.data for file in source_of(Submission.objects.get()).files}
    assert stored == {"bot.py": PROGRAM, "data/bot.py": b"1"}


@pytest.mark.parametrize(
    "paths", ["", "[]", '["x/bot.py"]', '{"a": 1}', '["bot.py", 3]', "no JSON", "[" * 90_000, "\0"]
)
def test_two_files_of_one_name_are_refused_whatever_the_paths(signed_in, competition, paths):
    response = several(signed_in, {"a/bot.py": PROGRAM, "b/bot.py": PROGRAM}, paths)

    assert response.status_code == 422
    assert not kept()


@pytest.mark.parametrize("folder", ["\\ud800", "x" * 70_000])
def test_odd_folders_are_left_out(signed_in, competition, folder):
    paths = f'["{folder}/bot.py", "{folder}/plan.py"]'
    assert several(signed_in, {"bot.py": PROGRAM, "plan.py": PROGRAM}, paths).status_code == 302

    assert {file.path for file in source_of(Submission.objects.get()).files} == {"bot.py", "plan.py"}


def test_a_folder_may_have_as_many_files_as_an_archive(signed_in, competition):
    files = {f"rita/{number}.txt": b"1" for number in range(300)} | {"rita/bot.py": PROGRAM}
    assert several(signed_in, files, json.dumps(list(files))).status_code == 302


def test_paths_do_not_lead_out_of_the_upload(signed_in, competition):
    files = {"../bot.py": PROGRAM, "../plan.py": PROGRAM}
    response = several(signed_in, files, json.dumps(list(files)))

    assert response.status_code == 422
    assert "leaves it with .." in response.content.decode()


def test_a_script_that_sent_the_form_is_told_where_the_page_goes(signed_in, competition):
    file = SimpleUploadedFile("rita.py", PROGRAM)
    fields = {"name": "Rita", "way": "file", "file": file}
    response = signed_in.post("/c/samurai/submit/", fields, headers={"HX-Request": "true"})

    assert response.status_code == 200
    assert response.headers["HX-Redirect"] == Submission.objects.get().get_absolute_url()


def test_a_name_that_is_taken_comes_back_with_one_that_is_free(signed_in, competition, bob):
    send(browser_of(bob), "starter")
    page = send(
        signed_in, "starter", paths="", text="", language=""
    ).content.decode()  # as a browser sends it

    assert "The name starter is taken in this competition. starter ada is free." in page
    assert 'value="starter ada"' in page


def test_a_pasted_program_is_taken_too(signed_in, competition):
    fields = {"name": "Rita", "way": "text", "text": "print('READY')", "language": "python"}
    assert signed_in.post("/c/samurai/submit/", fields).status_code == 302
    assert Submission.objects.get().pasted


@pytest.mark.first(3)
@pytest.mark.parametrize(
    ("filename", "make", "said"),
    [
        ("rita.py", lambda: b"", "empty"),
        ("rita.py", lambda: bytes(11 << 20), "11.0 MiB"),
        ("rita.zip", lambda: make_zip(ONE | {"zeros": bytes(65 << 20)}), "more than 64 MiB"),
        ("rita.tgz", lambda: gz(make_tar(ONE | {"zeros": bytes(65 << 20)})), "more than 64 MiB"),
        ("rita.zip", lambda: make_zip({"../x.py": PROGRAM}), "leaves it with .."),
        ("rita.zip", lambda: make_zip({"/etc/x.py": PROGRAM}), "expected a path inside the upload"),
        ("rita.zip", lambda: make_zip({"bot.py": b"/etc/passwd"}, mode=0o120777), "symbolic link"),
        ("rita.tar", lambda: tar_entry(tarfile.LNKTYPE, "/etc/passwd"), "hard link"),
        ("rita.zip", lambda: make_zip({f"{n}.py": b"1" for n in range(10_000)}), "1,000 files"),
        ("rita.xyz", lambda: b"what is this?", "rita.xyz"),
        ("rita.zip", lambda: b"PK\3\4 broken", "rita.zip"),
    ],
    ids=[
        "empty",
        "11-MiB",
        "zip-bomb",
        "gz-bomb",
        "dots",
        "absolute",
        "link",
        "hard-link",
        "10000-files",
        "unknown",
        "broken",
    ],
)
def test_a_bad_file_is_refused_at_the_field_and_nothing_is_kept(signed_in, competition, filename, make, said):
    response = send(signed_in, filename=filename, data=make())

    assert response.status_code == 422
    [error] = response.context["form"].errors["file"]
    assert said in error
    assert 'id="id_file_error"' in response.content.decode()
    assert not kept()


def test_no_file_at_all_is_said_at_the_field(signed_in, competition):
    response = signed_in.post("/c/samurai/submit/", {"name": "Rita", "way": "file"})

    assert response.context["form"].errors["file"] == ["Choose your bot's file."]


def test_pasting_nothing_is_said_at_both_fields(signed_in, competition):
    response = signed_in.post("/c/samurai/submit/", {"name": "Rita", "way": "text", "text": "  "})

    assert set(response.context["form"].errors) == {"text", "language"}
    assert not kept()


def test_a_language_that_is_not_offered_is_refused(signed_in, competition):
    fields = {"name": "Rita", "way": "text", "text": "x", "language": "klingon"}
    response = signed_in.post("/c/samurai/submit/", fields)

    assert set(response.context["form"].errors) == {"language"}
    assert not kept()


def test_a_file_in_a_language_that_does_not_work_here_is_refused_with_those_that_do(signed_in, competition):
    cache.set(languages.OFFERED, ["c", "python"])
    file = SimpleUploadedFile("bot.hs", b'main = putStrLn "READY"\n')
    response = signed_in.post("/c/samurai/submit/", {"name": "Rita", "way": "file", "file": file})

    assert response.context["form"].errors["file"] == [
        "Haskell is not offered here. Choose one of these languages: C, Python."
    ]
    assert not kept()


def test_a_name_that_is_taken_is_said_at_the_field(signed_in, competition, bob):
    send(browser_of(bob))
    response = send(signed_in, name="RITA")

    assert "The name Rita is taken" in response.context["form"].errors["name"][0]
    assert Submission.objects.count() == 1


def test_a_name_with_markup_is_refused_and_shown_as_text(signed_in, competition):
    response = send(signed_in, name="<script>alert(1)</script>")

    assert set(response.context["form"].errors) == {"name"}
    assert "<script>alert" not in response.content.decode()


def test_a_closed_competition_takes_nothing(signed_in, competition):
    competition.state = competition.State.CLOSED
    competition.save()

    response = send(signed_in)

    assert "is closed" in response.context["form"].non_field_errors()[0]
    assert "data-submit" not in response.content.decode()
    assert not kept()


def test_who_is_not_signed_in_does_so_and_finds_what_they_typed(client, user, competition):
    user.set_password(PASSWORD)
    user.save()
    fields = {"name": "Rita", "way": "text", "text": "print('READY')", "language": "python"}

    asked = client.post("/c/samurai/submit/", fields)
    assert asked.headers["Location"] == "/accounts/login/?next=%2Fc%2Fsamurai%2Fsubmit%2F"
    assert not kept()

    credentials = {"login": "ada", "password": PASSWORD, "next": "/c/samurai/submit/"}
    back = client.post("/accounts/login/", credentials, follow=True)
    assert back.redirect_chain[-1][0] == "/c/samurai/submit/"
    assert back.context["form"]["text"].value() == "print('READY')"
    assert back.context["form"]["name"].value() == "Rita"


def test_a_form_without_its_security_mark_is_refused_in_words(user, competition):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)

    response = send(strict)

    assert response.status_code == 403
    assert "The form has expired" in response.content.decode()
    assert not kept()


def test_a_request_with_too_long_a_text_is_refused_in_words(signed_in, competition):
    fields = {"name": "Rita", "way": "text", "text": "x" * (3 << 20), "language": "python"}
    response = signed_in.post("/c/samurai/submit/", fields)

    assert response.status_code == 413
    assert "The file is too large" in response.content.decode()
    assert not kept()
