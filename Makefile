# Busmate. `make demo` and `make test` do all the set-up on a fresh machine with Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install demo test check format bench test-browser test-service lock clean

install: $(STAMP)

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "busmate needs Python 3.11 or newer: make PYTHON=python3.11")'
	@echo "installing into $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

demo: install
	@$(BIN)/busmate demo

test: install
	$(BIN)/pytest -n auto --dist worksteal -m "not browser and not service"

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/busmate check registermaps configs
	$(BIN)/pytest tests/docs
	$(BIN)/python .ci/audit_dependencies.py

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test-browser: install
	$(BIN)/pytest -m browser

test-service: install
	$(BIN)/pytest -m service

# One JSON line for each bench, in a few minutes; `make bench FULL=1` runs the long forms (an hour).
bench: install
	@$(BIN)/python -m tests.bench $(if $(FULL),--full)

# Only to change versions: needs the network. Writes pins with hashes and no index addresses.
lock: install
	$(BIN)/pip-compile --quiet --extra dev --generate-hashes --allow-unsafe --strip-extras --no-header \
	  --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --output-file requirements.lock pyproject.toml

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
