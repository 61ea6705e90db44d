"""Images by family of languages."""

import pytest

from sandbox import images
from sandbox.backends import docker_images
from sandbox.languages import registry
from sandbox.languages.registry import all_languages, families


@pytest.fixture
def said(monkeypatch, capsys):
    """said(words): exit code and output of `python -m sandbox.images` with these words."""

    def run(*words):
        monkeypatch.setattr("sys.argv", ["images", *words])
        try:
            code = images.main()
        except SystemExit as stopped:
            code = stopped.code
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return run


def test_every_language_is_in_one_image_and_no_image_carries_the_others():
    carried = {family: set(docker_images.packages(family).split()) for family in families()}
    for language in all_languages():
        assert set(language.package.split()) <= carried[language.family]
    assert families()[0] == "core"
    assert {"default-jdk-headless", "g++", "gcc", "nodejs", "python3"} <= carried["core"]
    assert not carried["core"] & {"ghc", "golang-go", "mono-mcs", "rustc", "r-base-core"}


def test_an_image_is_named_after_all_that_it_is_made_from(monkeypatch, tmp_path):
    docker_images.tag.cache_clear()
    before = {family: docker_images.tag(family) for family in families()}
    assert len({tag.split(":")[1] for tag in before.values()}) == len(before)
    try:
        docker_images.tag.cache_clear()
        monkeypatch.setattr(docker_images, "packages", lambda family: "other packages")
        assert docker_images.tag("core") != before["core"]
        docker_images.tag.cache_clear()
        monkeypatch.undo()
        changed = tmp_path / "Dockerfile"
        changed.write_text("FROM scratch")
        monkeypatch.setattr(docker_images, "_sources", lambda: {"Dockerfile": changed})
        assert docker_images.tag("core") != before["core"]
    finally:
        docker_images.tag.cache_clear()


def test_an_unknown_family_is_refused_with_those_there_are(said):
    code, words = said("core", "klingon")
    assert code == 2
    assert f"no family 'klingon' of languages: expected some of {', '.join(registry.families())}" in words


def test_without_an_engine_it_says_so(said, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    assert said("core") == (
        1,
        "no Docker engine answers at /nowhere/docker.sock: No such file or directory\n",
    )


@pytest.mark.docker
def test_what_is_built_is_not_built_again_and_its_size_is_reported(said, monkeypatch):
    monkeypatch.setenv("AGON_SANDBOX_FAMILIES", "core")
    code, words = said()
    assert code == 0
    assert words.startswith(f"{docker_images.tag()} is there already: ")
    assert words.endswith(" MB\n")
