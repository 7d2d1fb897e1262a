# The same words locally and in CI. Each target makes its own virtual environment first; it needs python3 (3.11 or
# later) with venv and pip, and nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: help demo test test-fast hunt check format lint types layers doctest docs dist bench bench-peers clean

help:
	@echo "make demo    exact distributions of real mechanisms"
	@echo "make test    the tests, with the documents and the examples"
	@echo "make test-fast  the tests that take no time, under a minute"
	@echo "make hunt    random programs with fresh seeds until stopped; SECONDS=600 SEED=17 set an end and a beginning, WORKERS=2 processes"
	@echo "make check   all that CI checks: format, lint, types, layers, tests with the documentation site, doctests"
	@echo "make docs    the documentation site, in build/site"
	@echo "make dist    the packages to publish, built and checked, in dist"
	@echo "make bench   every figure measured again, in benchmarks/RESULTS.md; QUICK=1 takes two minutes and writes to build"
	@echo "make bench-peers  the same questions to taut, Storm and Dice, as far as they are installed"
	@echo "make clean   remove whatever was made"

$(READY): pyproject.toml
	@echo "preparing $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[dev]'
	@# Storm is a wheel or nothing: where there is none its tests are skipped, and say so.
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --only-binary stormpy 'stormpy>=2.0' 2>/dev/null \
		|| echo "stormpy has no wheel for this machine; comparisons with Storm are left out"
	@touch $@

demo: $(READY)
	@$(BIN)/python examples/demo.py

# One process more than there are cores: tests of the page and of time limits mostly wait.
PROCESSES := $(shell $(PYTHON) -c "import os; print(1 + (os.cpu_count() or 1))")
PYTEST := $(BIN)/python -m pytest -q -n $(PROCESSES) --dist loadgroup

test: $(READY)
	$(PYTEST) tests

test-fast: $(READY)
	$(PYTEST) -m "not slow" tests

hunt: $(READY)
	$(BIN)/python -m tests.hunt $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) $(if $(WORKERS),--workers $(WORKERS))

# With the generator of the site and audited packages installed, the tests build the site and audit these as well.
check: $(VENV)/.docs $(VENV)/.shipped format lint types layers test doctest

format: $(READY)
	$(BIN)/ruff format --check .

lint: $(READY)
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/python -m mypy

layers: $(READY)
	$(BIN)/lint-imports

doctest: $(READY)
	$(BIN)/python -m pytest -q --doctest-modules src

$(VENV)/.docs: $(READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[docs]'
	@touch $@

$(VENV)/.shipped: $(READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[shipped]' \
		|| echo "diffprivlib could not be installed; its audit is left out"
	@touch $@

docs: $(VENV)/.docs
	$(BIN)/python docs/site/build.py

dist: $(READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check twine
	rm -rf dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*

$(VENV)/.bench: $(READY)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -e '.[bench]' 2>/dev/null \
		|| echo "the accountants could not be installed; comparisons with them are left out"
	@touch $@

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run.py $(if $(QUICK),--quick --out build/bench/results.json --page build/bench/RESULTS.md)

bench-peers: $(READY)
	@mkdir -p build/bench
	$(BIN)/taut compare rr --sizes 2,4,5 --out build/bench/compare_rr.jsonl
	$(BIN)/taut compare above_threshold --sizes 2,3,4 --out build/bench/compare_above_threshold.jsonl

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
