"""Real boxes and real bots for tests: both backends, bots given as source."""

import hashlib
import textwrap
from collections.abc import Callable, Iterator

import pytest

from sandbox import Sandbox, open_sandbox
from sandbox.api import Artifact, Box, Limits, Session

BACKENDS = ["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)]


@pytest.fixture(scope="session", params=BACKENDS)
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    sandbox = open_sandbox(request.param)
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="session")
def artifacts(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Artifact]:
    """artifacts(source, warm=True, **more files): a Python bot; warm=False: started by exec."""

    def make(source: str, warm: bool = True, **files: str | bytes) -> Artifact:
        folder = tmp_path_factory.mktemp("artifact")
        artifact = Artifact(
            folder,
            hashlib.sha256(str(folder).encode()).hexdigest(),
            "python",
            ("python3", "bot.py"),
            "bot.py" if warm else None,
        )
        artifact.files.mkdir()
        (artifact.files / "bot.py").write_text(textwrap.dedent(source))
        for name, content in files.items():
            path = artifact.files / name.replace("__", "/").replace("_dot_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return artifact

    return make


@pytest.fixture(scope="session")
def compiled(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Artifact]:
    """compiled(source): a C bot, built in the sandbox; each source once."""
    built: dict[str, Artifact] = {}

    def make(source: str) -> Artifact:
        if source not in built:
            given = tmp_path_factory.mktemp("source")
            (given / "bot.c").write_text(textwrap.dedent(source))
            folder = tmp_path_factory.mktemp("artifact")
            steps = [["gcc", "-O1", "-pthread", "-o", "bot", "bot.c"]]
            run = sandbox.build(given, steps, Limits(memory_mib=512), 30, folder / "files")
            assert run.ok, run.log
            built[source] = Artifact(folder, hashlib.sha256(source.encode()).hexdigest(), "c", ("./bot",))
        return built[source]

    return make


@pytest.fixture
def opened(sandbox: Sandbox) -> Iterator[Callable[..., Box]]:
    """opened(artifact, limits): an open box, closed when the test ends."""
    boxes: list[Box] = []

    def make(artifact: Artifact, limits: Limits | None = None) -> Box:
        boxes.append(sandbox.open(artifact, limits or Limits()))
        return boxes[-1]

    yield make
    for box in boxes:
        box.close()


@pytest.fixture
def session(opened: Callable[..., Box], artifacts: Callable[..., Artifact]) -> Callable[..., Session]:
    """session(source, limits, warm, **more files): a session of a fresh box with that Python bot."""

    def make(source: str, limits: Limits | None = None, warm: bool = True, **files: str) -> Session:
        return opened(artifacts(source, warm, **files), limits).session()

    return make
