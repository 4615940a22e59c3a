# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""The package describes itself truly: versions, entry points, dependencies, files, style."""

import ast
import importlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ElementTree.parse(ROOT / "package.xml").getroot()


@pytest.fixture(scope="module")
def setup_arguments():
    """Run setup.py up to its call of setup() and return what it would have passed."""
    code = (
        "import runpy, setuptools\n"
        "setuptools.setup = lambda **arguments: print(repr(arguments))\n"
        "runpy.run_path('setup.py')\n"
    )
    output = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    return ast.literal_eval(output)


def commands(arguments):
    """Map each console script to its module and function."""
    pairs = (line.split(" = ") for line in arguments["entry_points"]["console_scripts"])
    return {name: target.split(":") for name, target in pairs}


def dependencies(*kinds):
    return {entry.text for kind in kinds for entry in MANIFEST.findall(kind)}


def imported_packages(folder):
    """Name the top packages that the files of a folder import."""
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                yield node.module.split(".")[0]


def test_one_version(setup_arguments):
    assert MANIFEST.findtext("version") == setup_arguments["version"]


def test_names_and_licence_agree(setup_arguments):
    assert MANIFEST.findtext("name") == setup_arguments["name"]
    assert MANIFEST.findtext("license") == setup_arguments["license"] == "Apache-2.0"
    assert "Apache License" in (ROOT / "LICENSE").read_text()


def test_every_command_has_its_module(setup_arguments):
    for name, (module, function) in commands(setup_arguments).items():
        path = ROOT / (module.replace(".", "/") + ".py")
        assert path.exists(), f"{name}: {path} does not exist"
        defined = [node for node in ast.parse(path.read_text()).body]
        names = {getattr(node, "name", None) for node in defined}
        assert function in names, f"{name}: {module} has no {function}()"


def test_scripts_go_where_ros_looks_for_them():
    text = (ROOT / "setup.cfg").read_text()
    assert "script_dir=$base/lib/robodyn_ros" in text
    assert "install_scripts=$base/lib/robodyn_ros" in text


def test_shared_files_are_installed(setup_arguments):
    installed = {name for _, names in setup_arguments["data_files"] for name in names}
    for folder in ("launch", "config", "rviz"):
        files = [path for path in (ROOT / folder).rglob("*") if path.is_file()]
        files = [path for path in files if "__pycache__" not in path.parts]
        assert {str(path.relative_to(ROOT)) for path in files} <= installed
    assert {"package.xml", "resource/robodyn_ros"} <= installed


def test_manifest_names_every_ros_package_in_use():
    used = {*imported_packages("robodyn_ros"), *imported_packages("launch")}
    ros = {
        name
        for name in used
        if name in ("rclpy", "launch", "launch_ros", "ament_index_python")
        or name.startswith(("rosbag2", "tf2"))
        or name.endswith(("_msgs", "_interfaces"))
    }
    assert ros <= dependencies("depend", "exec_depend")


def test_manifest_names_no_message_package_in_vain():
    declared = {name for name in dependencies("depend") if name.endswith("_msgs")}
    assert declared <= set(imported_packages("robodyn_ros"))


def test_docstrings_follow_the_ament_convention():
    pep257 = pytest.importorskip("ament_pep257.main")
    assert pep257.main([str(ROOT / name) for name in ("robodyn_ros", "launch", "bench")]) == 0


@pytest.mark.parametrize(
    "command",
    [["check", "--output-format=concise"], ["format", "--check"]],
    ids=["check", "format"],
)
def test_ruff_finds_nothing(command):
    pytest.importorskip("ruff", reason="ruff is not packaged for this system")
    run = subprocess.run(
        [sys.executable, "-m", "ruff", *command, "."], cwd=ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_changelog_has_this_version_or_the_coming_one():
    headings = re.findall(r"^(\S.*)\n-+$", (ROOT / "CHANGELOG.rst").read_text(), re.MULTILINE)
    version = MANIFEST.findtext("version")
    assert headings[0] == "Forthcoming" or headings[0].startswith(version)


def test_the_package_itself_needs_no_ros():
    code = "import sys, robodyn_ros; sys.exit(any(name in sys.modules for name in ['rclpy']))"
    assert subprocess.call([sys.executable, "-c", code], cwd=ROOT) == 0
    assert importlib.import_module("robodyn_ros")
