# make demo   set up and order a bag of words with the shipped model
# make test   set up for development and run every check
# make docs   write docs/reference/cli.md anew after a change of the command line

# python3.11 if there is one, else python3 if it is new enough.
PYTHON := $(shell for python in python3.11 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
SOURCES := pyproject.toml setup.py $(shell find src -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

.PHONY: demo test docs clean

demo: .venv/installed
	$(BIN)/syntagma order --format tree report Can the you send me '?'

test: .venv/developing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PATH="$(BIN):$$PATH" cython-lint src
	$(BIN)/mypy
	$(BIN)/pytest

docs: .venv/developing
	$(BIN)/python docs/build_cli_reference.py

clean:
	rm -rf .venv build *.egg-info src/*.egg-info $$(find src -name '*.cpp' -o -name '*.so')

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "error: Syntagma needs Python 3.11 or newer" >&2; exit 2; }
	$(PYTHON) -m venv .venv

# Editable, so that both targets can follow each other without a second compilation.
.venv/installed: .venv/bin/python $(SOURCES)
	$(BIN)/pip install --quiet --editable .
	@touch $@

.venv/developing: .venv/bin/python $(SOURCES)
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@ .venv/installed
