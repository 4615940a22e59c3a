# Copyright 2026 robodyn_ros contributors
# SPDX-License-Identifier: Apache-2.0
"""
Prepare ``.venv``: ROS 2 unless it is sourced, missing interface packages, this package.

Every step leaves a stamp that tells what it was done for, so a later run does only what
has changed. Standard library only; even an old Python must be able to read this file, to
say that it is too old.
"""

import argparse
import configparser
import fcntl
import hashlib
import importlib.util
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from functools import partial
from pathlib import Path

UNDERLAY = Path(__file__).resolve().parent
ROOT = UNDERLAY.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
SITE = Path("lib", "python{}.{}".format(*sys.version_info), "site-packages")
# In the order of their dependencies.
INTERFACES = ["tf2_msgs", "object_recognition_msgs", "moveit_msgs", "control_msgs"]
ROS_SOURCED = "ROS_DISTRO" in os.environ
SCRIPT = """#!{0}
import sys

from {1} import {2}

sys.exit({2}())
"""


class SetupError(Exception):
    """What is wrong and how to cure it, in one line."""


def main():
    """Bring the environment up to date; end with one line where that is impossible."""
    parser = argparse.ArgumentParser(description="Prepare .venv for the demo or the tests.")
    parser.add_argument("--test", action="store_true", help="install the test tools, too")
    test = parser.parse_args().test
    try:
        with open(str(ROOT / ".venv.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            prepare(["run.txt", "test.txt"] if test else ["run.txt"])
    except SetupError as error:
        sys.exit("set-up failed: {}".format(error))
    except OSError as error:
        sys.exit("set-up failed: {} (can this folder be written?)".format(error))
    except KeyboardInterrupt:
        sys.exit(130)


def prepare(requirements):
    """Do every step that has not been done for the present state of things."""
    check_python()
    requirements = requirements if ROS_SOURCED else ["ros.txt"] + requirements
    step("venv", [sys.version, str(ROOT), ROS_SOURCED], "environment .venv", make_venv)
    for name in requirements:
        packages = read_requirements(name)
        step(name, packages, "packages of underlay/" + name, partial(install, packages))
    missing = missing_interfaces()
    for name in INTERFACES:
        state = folder_digest(UNDERLAY / name)
        stamp = VENV / "stamps" / name
        # Without a stamp, a package that can be imported is the real one.
        if name in missing or stamp.exists():
            stamp.touch()
            step(name, state, "interfaces " + name, partial(build, name), again=name in missing)
    names = ("setup.py", "package.xml", "underlay/environment.py")
    sources = [(ROOT / name).read_text() for name in names]
    step("package", sources, "links to robodyn_ros", link_package)
    kernels = [*ROOT.glob("robodyn_ros/*/_kernels/*.py"), ROOT / "robodyn_ros/model/arrays.py"]
    digests = [path.read_bytes() for path in sorted(kernels)]
    step("kernels", digests, "compiled kernels", compile_kernels)


def step(name, state, title, action, again=False):
    """Act unless the stamp says that it was done for this state; show how long it takes."""
    stamp = VENV / "stamps" / name
    digest = hashlib.sha256(repr(state).encode()).hexdigest()
    if not again and stamp.exists() and stamp.read_text() == digest:
        return
    print("  {:<40}".format(title), end="", flush=True)
    start = time.monotonic()
    try:
        action()
    except BaseException:
        print()
        raise
    print("{:6.1f} s".format(time.monotonic() - start), flush=True)
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(digest)


def check_python():
    """Accept the Pythons that ROS 2 Jazzy comes for."""
    if not ROS_SOURCED and platform.machine() != "x86_64":
        raise SetupError(
            "the ROS 2 wheels are for x86_64, this is {}: install ROS 2 Jazzy and source it "
            "first".format(platform.machine())
        )
    version = sys.version_info[:2]
    if not (3, 11) <= version <= (3, 13):
        raise SetupError(
            "this is Python {}.{}, but 3.11, 3.12 or 3.13 is needed "
            "(name one: make PYTHON=python3.12 ...)".format(*version)
        )
    if importlib.util.find_spec("ensurepip") is None:
        raise SetupError("Python's venv module is missing (sudo apt install python3-venv)")
    if ROS_SOURCED and importlib.util.find_spec("rclpy") is None:
        raise SetupError(
            "ROS 2 {} is sourced, but {} cannot import rclpy (name the Python of that ROS: "
            "make PYTHON=/usr/bin/python3 ..., or use a shell without ROS)".format(
                os.environ["ROS_DISTRO"], sys.executable
            )
        )


def check_compiler():
    """Look for what building the interface packages takes."""
    tools = {"gcc": ("cc", "gcc"), "g++": ("c++", "g++"), "cmake": ("cmake",), "make": ("make",)}
    missing = [name for name, commands in tools.items() if not any(map(shutil.which, commands))]
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        missing.append("python3-dev")
    if missing:
        names = " ".join(missing)
        raise SetupError("missing: {} (sudo apt install {})".format(", ".join(missing), names))


def make_venv():
    """Create the environment from nothing, above the sourced ROS if there is one."""
    if not ROS_SOURCED:
        check_compiler()  # before the downloads, not after them
    shutil.rmtree(str(VENV), ignore_errors=True)
    base = getattr(sys, "_base_executable", sys.executable)  # survives the removal of .venv
    options = ["--system-site-packages"] if ROS_SOURCED else []
    VENV.mkdir()
    run("venv", [base, "-m", "venv", *options, str(VENV)], "is the disk full?")


def read_requirements(name):
    """Read the names in one requirement file."""
    lines = (UNDERLAY / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def install(packages):
    """Install packages from the Python registry."""
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", *packages]
    run("pip", command, "is there a network?")


def missing_interfaces():
    """Name the interface packages that the environment cannot import."""
    code = (
        "import importlib.util as u, sys; print(*(n for n in sys.argv[1:] if not u.find_spec(n)))"
    )
    found = subprocess.run([str(PYTHON), "-c", code, *INTERFACES], stdout=subprocess.PIPE)
    if found.returncode:
        raise SetupError("{} does not start (make clean, then again)".format(PYTHON))
    return found.stdout.decode().split()


def build(name):
    """Build one interface package into the environment, unoptimised: it only moves bytes."""
    check_compiler()
    repair_wheels()
    folder = VENV / "build" / name
    shutil.rmtree(str(folder), ignore_errors=True)
    options = {
        "CMAKE_INSTALL_PREFIX": VENV,
        "CMAKE_PREFIX_PATH": VENV,
        "Python3_EXECUTABLE": PYTHON,
        "PYTHON_INSTALL_DIR": SITE,
        "BUILD_TESTING": "OFF",
        "CMAKE_C_FLAGS": "-O0",
        "CMAKE_CXX_FLAGS": "-O0",
    }
    defines = ["-D{}={}".format(key, value) for key, value in options.items()]
    cure = "make clean, then again"
    run(name, ["cmake", "-S", str(UNDERLAY / name), "-B", str(folder), *defines], cure)
    run(name, ["cmake", "--build", str(folder), "--parallel", str(os.cpu_count())], cure)
    run(name, ["cmake", "--install", str(folder)], cure)
    shutil.rmtree(str(folder))


def repair_wheels():
    """Point the CMake files of the ROS wheels to this Python, not to the one they came from."""
    code = "import numpy; print(numpy.get_include())"
    numpy = subprocess.check_output([str(PYTHON), "-c", code]).decode().strip()
    for path in (VENV / "share").glob("*/cmake/*Export.cmake"):
        text = path.read_text()
        new = re.sub(
            r"/opt/python/[^/]+/include/python[\d.]+", sysconfig.get_path("include"), text
        )
        new = re.sub(r"/opt/python/[^;\"]+/numpy/_core/include", numpy, new)
        if new != text:
            path.write_text(new)


def link_package():
    """Install this package by links, so that an edited file counts at once."""
    run("setup", [str(PYTHON), "setup.py", "-q", "egg_info"], "is setup.py right?")
    shutil.copyfile(str(UNDERLAY / "environment.py"), str(VENV / SITE / "robodyn_environment.py"))
    (VENV / SITE / "robodyn_ros.pth").write_text("import robodyn_environment\n{}\n".format(ROOT))
    share = VENV / "share"
    marker = share / "ament_index" / "resource_index" / "packages" / "robodyn_ros"
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    link(share / "robodyn_ros", ROOT)
    commands = configparser.ConfigParser()
    commands.read(str(ROOT / "robodyn_ros.egg-info" / "entry_points.txt"))
    folder = VENV / "lib" / "robodyn_ros"
    shutil.rmtree(str(folder), ignore_errors=True)
    folder.mkdir(parents=True)
    for name, target in commands["console_scripts"].items():
        module, function = target.split(":")
        script = folder / name
        script.write_text(SCRIPT.format(PYTHON, module, function))
        script.chmod(0o755)
    link(VENV / "bin" / "robodyn", folder / "robodyn")


def compile_kernels():
    """Compile the kernels now: nodes that start together would all do it at once."""
    run("kernels", [str(PYTHON), "-m", "robodyn_ros.cli.warm_up"], "is the checkout complete?")


def link(path, target):
    """Make a symbolic link, in place of an older one."""
    if path.is_symlink():
        path.unlink()
    path.symlink_to(target)


def folder_digest(folder):
    """Digest all names and contents of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(str(path.relative_to(folder)), path.read_bytes()) for path in files]


def run(name, command, cure):
    """Run a command with its output in a log; an error is its most telling line."""
    log = VENV / "logs" / (name + ".log")
    log.parent.mkdir(exist_ok=True)
    environment = dict(os.environ)
    environment["PATH"] = os.pathsep.join([str(VENV / "bin"), os.environ.get("PATH", "")])
    prefixes = [str(VENV), os.environ.get("AMENT_PREFIX_PATH", "")]
    environment["AMENT_PREFIX_PATH"] = os.pathsep.join(filter(None, prefixes))
    with log.open("w") as output:
        code = subprocess.call(
            command, cwd=str(ROOT), env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    if code:
        lines = log.read_text(errors="replace").splitlines() or ["no output"]
        telling = [line for line in lines if re.search("^ERROR|error:|CMake Error", line)]
        telling = telling or lines[-1:]
        raise SetupError("{} ({} All of it: {})".format(telling[0].strip(), cure, log))


if __name__ == "__main__":
    main()
