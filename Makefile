# Everything a checkout needs, each target complete in itself:  make demo | test | lint | bench | interop
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# The versions everything was tested with; torch's is what keeps pip from fetching gigabytes of CUDA here.
PINNED = -c constraints.txt
READY = $(VENV)/.ready

.PHONY: setup demo test lint bench interop clean

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade "pip>=24"
	$(BIN)/python -m pip install -q --disable-pip-version-check $(PINNED) "torch==$$(sed -n 's/^torch==//p' constraints.txt)"
	$(BIN)/python -m pip install -q --disable-pip-version-check $(PINNED) -e ".[dev]"
	touch $(READY)

demo: setup
	$(BIN)/wordstill demo --out demo-run

# A file's tests stay together: they share models, runs and a browser.
test: setup
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: setup
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy

# With the data sets and lexicons at hand (see docs/evaluation.md) there is more to measure.
bench: setup
	$(BIN)/python benchmarks/distillation.py
	$(BIN)/python benchmarks/loading.py
	$(BIN)/python benchmarks/report.py
	if [ -n "$$WORDSTILL_DATA" ]; then \
		$(BIN)/python benchmarks/evaluation.py && $(BIN)/python benchmarks/refine.py $$WORDSTILL_DATA/lexicons/ppdb-xl.txt; fi

# Vectors opened by those who read them: spaCy, gensim and sentence-transformers, and model2vec and fastText in an
# environment of their own (model2vec's pins differ).
interop: setup
	$(BIN)/python -m pytest tests/interop
	test -d .venv-model2vec || $(PYTHON) -m venv .venv-model2vec
	.venv-model2vec/bin/pip install -q --disable-pip-version-check model2vec fasttext scikit-learn pytest hypothesis
	PYTHONPATH=src .venv-model2vec/bin/python -m pytest tests/interop -p no:cacheprovider

clean:
	rm -rf $(VENV) .venv-model2vec demo-run .mypy_cache .ruff_cache .pytest_cache .hypothesis
