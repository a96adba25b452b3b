# Every target sets up what it needs in .venv and keeps it; a change in pyproject.toml builds it anew.
# Needed beforehand: python3 (3.11 or newer, with its venv module) and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
WITHOUT_JIT := NUMBA_DISABLE_JIT=1
WITH_BOUNDSCHECK := NUMBA_BOUNDSCHECK=1

.PHONY: demo test lint docs bench verify picture clean help
.DEFAULT_GOAL := help

help:
	@echo "make demo     the main job on the built-in animals"
	@echo "make test     the whole test suite"
	@echo "make lint     ruff and mypy"
	@echo "make docs     the documentation, in docs/_build/html"
	@echo "make bench    speed next to other packages, measured side by side"
	@echo "make verify   slow evidence with plots: larger and longer versions of the tests"
	@echo "make picture  draw the README's pictures again"
	@echo "make clean    remove .venv and caches"

demo: $(VENV)/installed
	$(BIN)/treetalk demo

# Compiled; as plain Python; compiled with bounds checks. The second leaves out what is large. Both leave out what runs commands
# from end to end, reads data sets, draws many thousands of trees or makes very large ones: that goes through no kernel that the
# rest does not.
END_TO_END := cli cli_projects cli_reading cli_words docs reproduce benchmarks exactness diagnostics kernels scale importing \
	importing_refusals importing_roundtrip importing_sources triplet_file outline kill project_safety picking terminal \
	server server_history guard serve page exporting checks gestures statements estimator notebook site interchange skos svg \
	plots plots_cli plots_images plots_kinds dialects dialects_cblearn dialects_links dialects_tools dialects_frames data anndata extras \
	plots_axes plots_coloring notebook_cells edges effort project project_damage project_versions importing_ids importing_embeddings
PYTEST := $(BIN)/python -m pytest -n auto --dist loadfile
test: $(VENV)/test-installed
	$(PYTEST)
	$(WITHOUT_JIT) $(PYTEST) -q $(END_TO_END:%=--ignore=tests/test_%.py)
	$(WITH_BOUNDSCHECK) $(PYTEST) -q $(END_TO_END:%=--ignore=tests/test_%.py)

lint: $(VENV)/lint-installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Pages are executed one after the other: kernels of several notebooks at a time get in each other's way.
docs: $(VENV)/docs-installed
	$(BIN)/python docs/pictures.py
	$(BIN)/python -m sphinx -E -W --keep-going -n -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

bench: $(VENV)/bench-installed
	$(BIN)/python -m bench --json docs/measured/bench.json

verify: $(VENV)/verify-installed
	$(BIN)/python -m pytest -q verify
	cp verify/plots/measured.json docs/measured/verify.json

picture: $(VENV)/test-installed
	$(BIN)/treetalk demo --picture docs/demo.svg
	$(BIN)/python docs/screenshots.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "treetalk needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
	@echo "Setting up $(VENV) and compiling kernels (once; about two minutes)"
	@$(PYTHON) -m venv --clear $(VENV) || { echo "$(PYTHON) cannot make a virtual environment; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(PIP) --editable '.[all]'
	@$(BIN)/python -m treetalk.warm_up
	@touch $@

$(VENV)/test-installed: $(VENV)/installed
	@$(PIP) --editable '.[test]'
	@touch $@

$(VENV)/verify-installed: $(VENV)/test-installed
	@$(PIP) --editable '.[test,verify]'
	@touch $@

$(VENV)/docs-installed: $(VENV)/installed
	@$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/lint-installed: $(VENV)/installed
	@$(PIP) --editable '.[lint]'
	@touch $@

# One by one: a package that does not install here is skipped, and the benchmark says so.
$(VENV)/bench-installed: $(VENV)/installed
	@for package in "treeswift>=1.1.45" "tralda>=2.1" "tqdist>=1.0"; do $(PIP) $$package || echo "$$package did not install"; done
	@touch $@
