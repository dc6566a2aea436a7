# Every target builds what it needs: a fresh clone, Python >= 3.11, make and a network are enough.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# Pinned and named in every command that may ask for torch: this release has a CPU build, a newer one may bring CUDA.
TORCH  := torch==2.13.0 torchvision==0.28.0

# Two workers share the cores, so each has one thread; and the package is not compiled again at every start of a command.
SHARED := env -u PYTHONDONTWRITEBYTECODE OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1

SITE   := $(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -b html docs

.PHONY: demo test lint docs gallery leaderboard wheel bench load faults attack lowest clean
.DELETE_ON_ERROR:

demo: $(VENV)/.demo            ## the main job, offline, with the embedded default
	$(BIN)/bideta demo

test: $(VENV)/.dev             ## every test; warnings are errors
	tests/browser/install-chromium
	$(SHARED) $(BIN)/python -m pytest -n 2 --dist loadgroup -m 'not alone'
	$(BIN)/python -m pytest -m alone $$(grep -rl --include='*.py' 'mark\.alone' tests)

lint: $(VENV)/.dev             ## style, types, layers, and that every page of the site can be built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(SITE) build/site-lint

docs: $(VENV)/.dev             ## the site, in build/site; offline; warnings are errors
	$(SITE) build/site
	@echo build/site/index.html

gallery: $(VENV)/.dev          ## the pictures of the gallery, drawn anew by its examples
	$(BIN)/python examples/draw_gallery.py docs/gallery/images

leaderboard: $(VENV)/.dev      ## the page of all submitted records, in build/leaderboard
	$(BIN)/bideta report leaderboard/*/ --site build/leaderboard

wheel: $(VENV)/.dev            ## wheel and sdist, each used in an empty environment of every Python at hand (PYTHONS="3.12" names them)
	$(BIN)/python tests/support/wheel.py $(PYTHONS)

bench: $(VENV)/.dev            ## speed and scale, written to benchmarks/results/
	$(BIN)/python -m benchmarks.pictures
	$(BIN)/python -m benchmarks

load: $(VENV)/.dev             ## the server under 1, 8, 64 and 256 clients, written to docs/evidence/load.md
	$(BIN)/python -m benchmarks.load

faults: $(VENV)/.dev           ## kill -9 a run a hundred times; the tables must not notice
	$(BIN)/python tests/faults/kill.py --kills 100

attack: $(VENV)/.dev           ## the project's own fuzzers, seeded and bounded; counts in docs/evidence/attacks.md
	$(BIN)/python -m tests.attacks --page docs/evidence/attacks.md

lowest:                        ## the tests with the lowest versions that we allow, in a venv of its own
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip --disable-pip-version-check install --quiet --upgrade pip
	.venv-lowest/bin/python -m pip --disable-pip-version-check install --quiet $(TORCH)
	.venv-lowest/bin/python tests/support/lowest.py > .venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pip --disable-pip-version-check install --quiet --constraint .venv-lowest/constraints.txt \
		$(TORCH) httpx --editable '.[plots,neighbors,ray,torch,timm,real,export,hub,serve]' --group dev
	.venv-lowest/bin/python -m pytest -W default -n 2 --dist loadgroup -m 'not alone' $(LOWEST_TESTS)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

# Group sequentially: the torch pin must be in place before anything may ask for torch.
$(VENV)/.demo: pyproject.toml | $(VENV)/bin/python
	$(PIP) --upgrade pip
	$(PIP) --editable '.[plots,real]'
	touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(PIP) --upgrade pip
	$(PIP) $(TORCH) timm
	$(PIP) $(TORCH) --editable '.[plots,neighbors,ray,torch,timm,real,export,hub,serve,live,ros,rerun,formats]' --group dev
	touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) .venv-lowest .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
