import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://testserver/c/", "http://testserver/c/"),
        ("http://testserver/theme/?again", "/"),  # the address itself
        ("http://elsewhere/", "/"),
        (None, "/"),
    ],
)
def test_a_browser_that_opens_an_address_of_a_form_gets_a_page_that_leads_back(referer, back):
    response = Client().get("/theme/", headers=HTML | ({"Referer": referer} if referer else {}))
    assert (response.status_code, response["Allow"]) == (405, "POST")
    page = response.content.decode()
    assert "This address only receives forms" in page
    assert f'<a class="button" href="{back}">Go back</a>' in page
    assert "no-store" in response["Cache-Control"]


def test_a_program_gets_the_status_alone():
    response = Client().get("/theme/", headers={"Accept": "*/*"})
    assert (response.status_code, response.content) == (405, b"")


def test_other_methods_get_no_page():
    response = Client().put("/theme/", headers=HTML)
    assert (response.status_code, response.content) == (405, b"")
