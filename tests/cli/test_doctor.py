"""`agon doctor` says what works here by trying it."""


def test_it_reports_backends_limits_and_languages_with_versions(agon):
    ran = agon("doctor", "--json")
    assert ran.code == 0
    found = {finding["what"]: finding for finding in ran.json["findings"]}
    assert found["bubblewrap"]["state"] == "ok"
    assert found["bubblewrap: network"]["words"] == "none"
    languages = {language["slug"]: language for language in ran.json["languages"]["bubblewrap"]}
    assert languages["python"]["works"]
    assert languages["python"]["version"].startswith("Python 3.")
    assert all(language["works"] or language["why"] for language in languages.values())


def test_it_says_what_to_install_for_what_does_not_work(agon, environment, monkeypatch):
    monkeypatch.setitem(environment, "DOCKER_HOST", "unix:///nonexistent/docker.sock")
    ran = agon("doctor")
    assert ran.code == 0
    assert "missing  docker " in ran.out
    assert "-> install and start a Docker engine" in ran.out
    assert "ok       Python " in ran.out
