"""`scripts/bootstrap.py` on machines that cannot be set up, and what the locks promise for those that can."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
LOCKS = ["runtime", "test"]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What of the project takes part in setting it up, elsewhere."""
    for name in ("scripts", "requirements", "vendor"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def bootstrap(clone: Path, *prefix: str, code: str | None = None) -> subprocess.CompletedProcess[str]:
    what = ["-c", code] if code else [str(clone / "scripts" / "bootstrap.py")]
    return subprocess.run([*prefix, sys.executable, *what], cwd=clone, capture_output=True, text=True)


def assert_one_sentence(result: subprocess.CompletedProcess[str], pattern: str) -> None:
    assert result.returncode == 1
    assert re.search(pattern, result.stderr)
    assert len(result.stderr.strip().splitlines()) == 1


def test_another_python_is_refused_with_what_is_needed(clone):
    pretend = (
        "import runpy, sys; sys.version_info = (3, 9, 2, 'final', 0); runpy.run_path('scripts/bootstrap.py')"
    )
    assert_one_sentence(
        bootstrap(clone, code=pretend), r"Agon needs Python 3\.11, 3\.12 or 3\.13; .* is Python 3\.9: install"
    )
    assert not (clone / ".venv").exists()


def test_a_folder_that_cannot_be_written_is_named(clone):
    if os.geteuid() == 0:  # root may write wherever the file system may
        read_only = f'mount --bind {clone} {clone} && mount -o remount,bind,ro {clone} && exec "$@"'
        result = bootstrap(clone, "unshare", "--mount", "sh", "-c", read_only, "sh")
    else:
        clone.chmod(0o555)
        result = bootstrap(clone)
        clone.chmod(0o755)
    assert_one_sentence(result, rf"{clone} cannot be written")


def test_a_copy_without_its_pip_says_so(clone):
    for wheel in (clone / "vendor").glob("*.whl"):
        wheel.unlink()
    result = bootstrap(clone)
    assert result.returncode == 1
    assert "vendor/pip-*.whl is missing" in result.stderr
    assert "Traceback" not in result.stderr


def test_what_does_not_match_its_hash_is_not_installed_and_the_next_run_tries_again(clone):
    lock = clone / "requirements" / "runtime.txt"
    lock.write_text(f"./{clone.name}.whl --hash=sha256:{'0' * 64}\n")
    for _ in range(2):
        result = bootstrap(clone)
        assert result.returncode == 1
        assert "pip could not install what Agon needs" in result.stderr


def test_packages_are_compiled_and_what_does_not_compile_is_left(clone):
    code = (
        "import sys; sys.path.insert(0, 'scripts'); import bootstrap as b; b.VENV.mkdir(); b.make_venv();"
        "[packages] = (b.VENV / 'lib').glob('*/site-packages');"
        "(packages / 'good.py').write_text('a = 1'); (packages / 'bad.py').write_text('print 1');"
        "b.compile_packages(); print(*sorted(path.name for path in packages.rglob('*.pyc')))"
    )
    result = bootstrap(clone, code=code)
    assert (result.stdout, result.stderr) == ("good.cpython-311.pyc\n", "")


def test_nothing_is_done_when_nothing_has_changed(clone):
    (clone / "requirements" / "runtime.txt").write_text("")
    stamped = (
        "import sys; sys.path.insert(0, 'scripts'); import bootstrap as b;"
        "b.make_venv(); b.leave_stamps({b.stamp_of([b.ROOT / 'requirements' / 'runtime.txt'])}); b.main([])"
    )
    result = bootstrap(clone, code=f"import os; os.mkdir('.venv'); {stamped}")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize(
    "change",
    ["(b.VENV / 'agon-home').write_text('/elsewhere')", "sys.base_prefix = '/elsewhere'"],
    ids=["moved", "of another Python"],
)
def test_a_venv_that_does_not_fit_is_made_anew(clone, change):
    code = (
        "import sys; sys.path.insert(0, 'scripts'); import bootstrap as b;"
        "b.VENV.mkdir(); b.make_venv(); (b.VENV / 'left-over').touch();"
        f"{change}; b.make_venv(); print(sorted(path.name for path in b.VENV.iterdir()))"
    )
    result = bootstrap(clone, code=code)
    assert result.returncode == 0, result.stderr
    assert "agon-home" in result.stdout
    assert "left-over" not in result.stdout


def test_a_sound_venv_is_kept(clone):
    code = (
        "import sys; sys.path.insert(0, 'scripts'); import bootstrap as b;"
        "b.VENV.mkdir(); b.make_venv(); (b.VENV / 'installed').touch(); b.make_venv();"
        "print((b.VENV / 'installed').exists())"
    )
    assert bootstrap(clone, code=code).stdout == "True\n"


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_with_hashes_and_no_host_is_named(name):
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    packages = [line for line in text.splitlines() if line and line[0] not in " #"]
    assert packages
    assert [line for line in packages if not re.fullmatch(r"[a-z0-9._-]+==[^ ]+ \\", line)] == []
    assert text.count("--hash=sha256:") >= len(packages)
    assert "://" not in text
    assert "--index" not in text


def test_the_locks_agree_and_hold_all_that_is_asked_for():
    pinned = {name: pins(name) for name in LOCKS}
    shared = pinned["runtime"].keys() & pinned["test"].keys()
    assert {package: pinned["runtime"][package] for package in shared} == {
        package: pinned["test"][package] for package in shared
    }
    for name in LOCKS:
        assert wanted(name) <= pinned[name].keys()


def pins(name: str) -> dict[str, str]:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", text, re.MULTILINE))


def wanted(name: str) -> set[str]:
    text = (ROOT / "requirements" / f"{name}.in").read_text()
    return set(re.findall(r"^([a-z0-9][a-z0-9-]*)", text, re.MULTILINE))


def test_every_dependency_is_explained():
    explained = (ROOT / "docs" / "explanations" / "dependencies.md").read_text()
    missing = [package for name in LOCKS for package in wanted(name) if f"| {package} |" not in explained]
    assert missing == []


def test_every_debian_package_is_explained():
    explained = (
        (ROOT / "docs" / "explanations" / "dependencies.md").read_text().partition("## From Debian")[2]
    )
    needed = runpy.run_path(str(ROOT / "scripts" / "packages.py"))["NEEDED"].values()
    assert [package for package in needed if not re.search(rf"[ |]{re.escape(package)}[ ,]", explained)] == []


def test_the_standard_librarys_platform_module_is_not_hidden():
    code = "import platform, agon; print(platform.__file__); platform.system()"
    result = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not Path(result.stdout.strip()).is_relative_to(ROOT)
    assert not (ROOT / "platform" / "__init__.py").exists()
