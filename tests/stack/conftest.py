import pytest

from .stack import build_images


@pytest.fixture(scope="session")
def images(tmp_path_factory: pytest.TempPathFactory) -> None:
    build_images(tmp_path_factory.mktemp("images"))
