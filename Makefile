# `make help` lists the targets. The first run prepares .venv, later ones only look at it.
PYTHON ?= python3
ROBOT ?= panda
BIN := .venv/bin

.PHONY: help demo test test-fast bench docs lint clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "ROBOT=panda|ur5e|two_link chooses the robot of the demo, PYTHON=... the interpreter."

demo:  ## simulate ROBOT over ROS 2 topics: follow a trajectory, ask for IK, exceed a motor
	@$(PYTHON) underlay/bootstrap.py
	@$(BIN)/python -m robodyn_ros.cli demo --robot $(ROBOT)

test:  ## run all tests
	@$(PYTHON) underlay/bootstrap.py --test
	@$(BIN)/python -m pytest test

test-fast:  ## run the tests that neither start ROS processes nor take long
	@$(PYTHON) underlay/bootstrap.py --test
	@$(BIN)/python -m pytest test -m "not ros_process and not slow"

bench:  ## compare the dynamics with Pinocchio and MuJoCo
	@$(PYTHON) underlay/bootstrap.py --test
	@$(BIN)/python -m bench.accuracy
	@$(BIN)/python -m bench.speed

docs:  ## tell where the documentation is
	@echo "The documentation is README.md and docs/*.md: plain Markdown, nothing to build."

lint:  ## check style, formatting and types
	@$(PYTHON) underlay/bootstrap.py --test
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

clean:  ## remove everything that was built, .venv included
	rm -rf .venv .venv.lock build install log *.egg-info
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
