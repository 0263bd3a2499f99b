# Everything a checkout needs, each target complete in itself:
#   make demo      distill and judge a real model, offline
#   make test      run all tests           make fast   only those that are not slow
#   make lint      format, lint, types, layers
#   make docs      build the site          make coverage, make bench, make interop, make clean
#   make campaign  kill, damage and deceive for MINUTES=30 (docs/reliability.md)
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# The versions everything was tested with; torch's is what keeps pip from fetching gigabytes of CUDA here.
INSTALL = $(BIN)/python -m pip install -q --no-compile --disable-pip-version-check -c constraints.txt
# Compiled modules are kept, and made of what is imported alone: the tests start hundreds of Pythons.
unexport PYTHONDONTWRITEBYTECODE
# Stamps: what the demo needs is installed; what development needs is installed.
DEMO = $(VENV)/.demo
READY = $(VENV)/.ready
CODE = src tests benchmarks tools
TRANSFORMERS_JS = @huggingface/transformers@4.3.1

# How long the campaign takes, where its chance begins, and the one case to repeat, as it prints them.
MINUTES ?= 30
CAMPAIGN = $(if $(SEED),--seed $(SEED)) $(if $(CASE),--case $(CASE),--minutes $(MINUTES))

.PHONY: setup demo test fast coverage lint docs bench interop campaign clean

setup: $(READY)

$(VENV)/.torch: constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade "pip>=24"
	$(INSTALL) "torch==$$(sed -n 's/^torch==//p' constraints.txt)"
	touch $@

$(DEMO): pyproject.toml constraints.txt $(VENV)/.torch
	$(INSTALL) -e ".[demo]"
	touch $@

# Development includes what the demo needs.
$(READY): pyproject.toml constraints.txt $(VENV)/.torch
	$(INSTALL) -e ".[dev]"
	touch $(DEMO) $@

demo: $(DEMO)
	$(BIN)/wordstill demo --out demo-run

# A file's tests stay together: they share models, runs and a browser. Files go in the order of tests/conftest.py.
PYTEST = $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

test: setup
	$(PYTEST)

fast: setup
	$(PYTEST) -m "not slow"

coverage: setup
	$(PYTEST) --cov --cov-report=term

lint: setup
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

docs: setup
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

# With the data sets and lexicons at hand (see docs/evaluation.md) there is more to measure.
bench: setup
	$(BIN)/python benchmarks/run.py
	$(BIN)/python benchmarks/report.py
	if [ -n "$$WORDSTILL_DATA" ]; then \
		$(BIN)/python benchmarks/evaluation.py && $(BIN)/python benchmarks/refine.py $$WORDSTILL_DATA/lexicons/ppdb-xl.txt; fi

# Vectors opened by those who read them: spaCy, gensim and sentence-transformers, transformers.js in .npm-interop where
# npm is installed, and model2vec and fastText in an environment of their own (model2vec's pins differ).
interop: setup
	if command -v npm > /dev/null; then \
		npm install --silent --no-audit --no-fund --ignore-scripts --prefix .npm-interop $(TRANSFORMERS_JS); fi
	$(BIN)/python -m pytest tests/interop
	test -d .venv-model2vec || $(PYTHON) -m venv .venv-model2vec
	.venv-model2vec/bin/pip install -q --disable-pip-version-check model2vec fasttext scikit-learn pytest hypothesis
	PYTHONPATH=src .venv-model2vec/bin/python -m pytest tests/interop -p no:cacheprovider

# Real runs are killed and resumed, disks filled, and every reader given damaged input, on two cores. Exits with 1 after a
# failure; `make campaign SEED=5 CASE=kill-17` repeats one.
campaign: setup
	PYTHONPATH=tools:tests $(BIN)/python -m campaign $(CAMPAIGN)

clean:
	rm -rf $(VENV) .venv-model2vec .npm-interop demo-run site .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis
