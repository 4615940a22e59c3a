# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""What the README shows is what happens."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def test_the_python_lines_of_the_readme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 5 and result.failed == 0


def test_the_readme_stays_short_and_names_only_what_exists() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 120
    for path in ("docs/conventions.md", "docs/architecture.md", "docs/validation.md"):
        assert path in text and (ROOT / path).is_file()
    makefile = (ROOT / "Makefile").read_text()
    for target in ("demo", "test", "bench"):
        assert f"make {target}" in text and f"\n{target}:" in makefile


def test_importing_the_package_loads_neither_numba_nor_ros() -> None:
    code = (
        "import sys, robodyn_ros; "
        "print([m for m in ('numba', 'rclpy', 'matplotlib', 'scipy') if m in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
