# Everything a person or a machine does with this project. `make help` lists it.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
ENV := $(VENV)/.installed
DEV := $(VENV)/.installed-dev
MULTILINGUAL := $(VENV)/.installed-multilingual
LLM := $(VENV)/.installed-llm
VENV_EVAL := .venv-eval
EVAL := $(VENV_EVAL)/.installed
# One more than there are cores: tests wait for servers and for each other's processes.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
TESTS ?= -q -m "not llm and not planted" -n $(WORKERS) --dist loadfile
COMPILE := uv pip compile --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header

.DEFAULT_GOAL := help
.PHONY: help env multilingual dev run test test-llm eval-env test-ragas gate gate-test notebooks check lint format lock bench clean

help: ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' Makefile | awk -F': ' '{ printf "  make %-12s %s\n", $$1, $$2 }'

env: $(ENV) ## make .venv from requirements.lock (done once)

multilingual: $(MULTILINGUAL) ## add what KB_EMBEDDING_MODEL=multilingual-e5-small needs

dev: $(DEV) ## add what tests, lint and notebooks need

run: $(ENV) ## start the service with the demo knowledge base; prints an API key and a curl line
	@exec $(BIN)/kb serve --demo

test: $(DEV) ## all tests that need no language model
	$(BIN)/pytest $(TESTS)

test-llm: $(LLM) ## the tests against a real language model server (llama.cpp with Gemma 3 270M on loopback)
	$(BIN)/pytest -q -m llm tests/llm

eval-env: $(EVAL) ## make .venv-eval, with ragas and ROUGE, for python -m eval run --ragas

test-ragas: $(EVAL) ## the tests of what ragas and ROUGE measure, with a scripted judge on loopback
	$(VENV_EVAL)/bin/pytest -q tests/eval/test_judging.py tests/eval/test_scoring.py

gate: $(DEV) ## the handbook's questions answered, and held to the floors of eval/thresholds.toml
	@rm -f data/eval/gate.jsonl
	$(BIN)/python -m eval run handbook --out data/eval/gate.json
	$(BIN)/python -m eval gate data/eval/gate.json

gate-test: $(DEV) ## does the gate notice what is made worse on purpose?
	$(BIN)/pytest -q -m planted tests/eval

notebooks: $(DEV) ## the notebooks, each from its first cell to its last, two at a time
	$(BIN)/pytest -q --nbmake -n 2 --timeout 300 notebooks

check: lint test ## everything that has to be clean before a commit

lint: $(DEV) ## format, style, types, import contracts, and notebooks without outputs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/nbstripout --verify notebooks/*.ipynb

format: $(DEV) ## bring the source into its format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/nbstripout notebooks/*.ipynb

lock: ## compile the lock files anew (needs uv, https://docs.astral.sh/uv)
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) pyproject.toml --extra dev --extra notebooks -c requirements.lock -o requirements-dev.lock
	cp requirements-dev.lock requirements-eval.lock # versions stay where they can
	$(COMPILE) pyproject.toml --extra dev --extra eval -o requirements-eval.lock
	$(COMPILE) requirements-multilingual.in --no-deps -o requirements-multilingual.lock
	$(COMPILE) requirements-llm.in --no-deps -o requirements-llm.lock

bench: $(DEV) ## the benchmarks of docs/measurements.md
	$(BIN)/python -m eval.bench

clean: ## remove the environment and what tools leave behind; data/ stays
	rm -rf $(VENV) $(VENV_EVAL) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "This needs Python 3.11 or newer, and '$(PYTHON)' is not: name one with make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "'$(PYTHON)' cannot make virtual environments: on Debian, apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Hashes are checked and nothing is resolved: what is installed is what the lock file names.
$(ENV): requirements.lock pyproject.toml | $(BIN)/python
	$(PIP) install --require-hashes --no-deps -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(DEV): requirements-dev.lock $(MULTILINGUAL)
	$(PIP) install --require-hashes --no-deps -r requirements-dev.lock
	@touch $@

$(MULTILINGUAL): requirements-multilingual.lock $(ENV)
	$(PIP) install --require-hashes --no-deps -r requirements-multilingual.lock
	@touch $@

# An environment of its own: ragas wants other versions of what the service uses, as of rich.
$(EVAL): requirements-eval.lock pyproject.toml | $(BIN)/python
	$(PYTHON) -m venv $(VENV_EVAL)
	$(VENV_EVAL)/bin/python -m pip --disable-pip-version-check install --require-hashes --no-deps -r requirements-eval.lock
	$(VENV_EVAL)/bin/python -m pip --disable-pip-version-check install --no-deps --no-build-isolation -e .
	@touch $@

$(LLM): requirements-llm.lock $(DEV)
	$(PIP) install --require-hashes --no-deps -r requirements-llm.lock
	@touch $@
