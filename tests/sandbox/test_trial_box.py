"""Opening the bubblewrap sandbox makes a trial box, except in processes that are forked afterwards."""

import os
import tempfile
from pathlib import Path

import pytest

from sandbox.api import SandboxError
from sandbox.backends import bubblewrap, open_sandbox


@pytest.fixture
def bwrap(monkeypatch):
    """A bwrap that works until this file is another one."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # it is started by another user
        path = Path(folder, "bwrap")
        path.symlink_to(bubblewrap.find_bwrap())
        monkeypatch.setattr(bubblewrap, "find_bwrap", lambda: path)
        yield path


def broken(path):
    path.unlink()
    path.write_text("#!/bin/sh\necho no namespaces >&2\nexit 1\n")
    path.chmod(0o755)


def test_one_that_works_no_more_is_refused_when_it_is_opened_again(bwrap):
    open_sandbox("bubblewrap").close()
    open_sandbox("bubblewrap").close()
    broken(bwrap)
    with pytest.raises(SandboxError, match="no namespaces"):
        open_sandbox("bubblewrap")


def test_workers_of_a_command_that_has_tried_it_do_not_try_it_again(bwrap):
    open_sandbox("bubblewrap").close()
    broken(bwrap)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            open_sandbox("bubblewrap").close()
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
