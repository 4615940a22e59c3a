# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels on disk follow their sources, also those of functions they call."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

numba = pytest.importorskip("numba")

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
from robodyn_ros.dynamics._kernels.compile import jit
from robodyn_ros.ik._kernels.outer import outer
print(outer(2.0))
"""


def run(package: Path, cache: Path) -> str:
    environment = dict(os.environ, NUMBA_CACHE_DIR=str(cache), PYTHONPATH=str(package))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        env=environment,
        cwd=package,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.slow
def test_an_edit_in_one_kernel_file_reaches_the_kernels_of_the_others(tmp_path: Path) -> None:
    package = tmp_path / "tree"
    shutil.copytree(ROOT / "robodyn_ros", package / "robodyn_ros")
    inner = package / "robodyn_ros/dynamics/_kernels/inner.py"
    outer = package / "robodyn_ros/ik/_kernels/outer.py"
    head = "from robodyn_ros.dynamics._kernels.compile import jit\n"
    inner.write_text(head + "@jit\ndef inner(x):\n    return x + 1.0\n")
    outer.write_text(
        head
        + "from robodyn_ros.dynamics._kernels.inner import inner\n"
        + "@jit\ndef outer(x):\n    return 10.0 * inner(x)\n"
    )
    assert run(package, tmp_path / "cache") == "30.0"
    assert any((tmp_path / "cache").rglob("*outer*.nbi")), "nothing was cached: the test is void"
    inner.write_text(inner.read_text().replace("1.0", "2.0"))
    assert run(package, tmp_path / "cache") == "40.0"


def test_kernels_compile_where_nothing_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    from robodyn_ros.dynamics._kernels import compile as compilation

    def refuse(self: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(numba.core.dispatcher.Dispatcher, "enable_caching", refuse)
    compilation._warn_without_cache.cache_clear()
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR") as warnings:
        double, half = (compilation.jit(f) for f in (lambda x: 2.0 * x, lambda x: 0.5 * x))
    assert len(warnings) == 1
    assert double(half(3.0)) == 3.0
