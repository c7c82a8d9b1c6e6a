# Needs Python 3.11 or newer with its venv module, make and git; everything else goes into .venv.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LAB_FLAGS ?=

FIRST_DIVE := $(notdir $(firstword $(wildcard notebooks/0-*.ipynb notebooks/1-*.ipynb)))
# Jupyter refuses to start as root unless told; in a container root is who you are.
AS_ROOT := $(if $(filter 0,$(shell id -u)),--allow-root)
# Announcements would ask a newcomer a question, and the network for an answer, before the first dive.
QUIET_LAB = [ ! -x $(BIN)/jupyter ] || $(BIN)/jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements >/dev/null 2>&1

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help lab test faults check bench scale waits notebooks screenshots constraints clean site serve site-sizes

help:  ## Say what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

lab: $(VENV)/.installed-lab  ## Open the dives in JupyterLab (more flags: LAB_FLAGS=--no-browser)
	@$(BIN)/jupyter trust notebooks/*.ipynb >/dev/null # or JupyterLab shows no picture before the cells are run
	@echo "JupyterLab opens the first dive in your browser. If none opens, follow the http://127.0.0.1 address below; Ctrl-C twice stops it."
	@$(BIN)/jupyter lab --ip=127.0.0.1 --log-level=WARN --LabApp.log_level=WARN --ServerApp.root_dir=notebooks \
	    --ServerApp.default_url=/lab/tree/$(FIRST_DIVE) --LabApp.default_url=/lab/tree/$(FIRST_DIVE) $(AS_ROOT) $(LAB_FLAGS)

test: $(VENV)/.installed-test  ## Prove it all: the rung, the unit tests, every cell of every notebook
	@$(BIN)/python -m emq
	@$(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --max-worker-restart=0 --dist=loadfile --no-loadscope-reorder

faults: $(VENV)/.installed-test  ## Print what holds on each engine, when things break, and under hostile input
	@$(BIN)/python -m tools.faults

check: $(VENV)/.installed-dev  ## Lint, format, types, spelling
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/codespell

bench: $(BIN)/python  ## Measure it beside its peers and the floor, into bench/RESULTS.md
	@$(BIN)/python bench/run.py

waits: $(VENV)/.installed-test  ## Measure what people wait for, into bench/RESULTS.md; a quarter of an hour
	@$(BIN)/python bench/waits.py

notebooks: $(VENV)/.installed-test  ## Run every notebook and store outputs and widgets
	@$(BIN)/python -m tools.run_notebooks

scale: $(VENV)/.installed-test  ## Measure a queue up to a million jobs: table and plots in build/scale (SCALE_FLAGS=--keep)
	@$(BIN)/python -m tools.scale $(SCALE_FLAGS)

screenshots: $(VENV)/.installed-test  ## Make the README's pictures again
	@$(BIN)/python -m tools.screenshots

site: $(VENV)/.installed-site  ## Build the web site into build/site (needs Node 20 and npm)
	@$(BIN)/python site/build.py

serve: site  ## Build the site, serve it on loopback, and say the URL (another port: SITE_FLAGS=--port=8080)
	@$(BIN)/python site/serve.py $(SITE_FLAGS)

site-sizes: $(VENV)/.installed-test  ## Measure what the site's pages send, and how soon a widget answers
	@$(BIN)/python site/sizes.py

# Make it with the oldest Python there is, say PYTHON=/usr/bin/python3 on Debian 12: what installs there installs on newer ones.
constraints:  ## Refresh constraints.txt from the newest versions allowed
	@$(PYTHON) -m venv --clear build/constraints
	@build/constraints/bin/pip install --quiet '.[dev]'
	@{ echo "# The exact versions that CI passed with, for every extra. Made by: make constraints"; \
	   build/constraints/bin/python -m pip freeze --exclude emq; } > build/constraints.txt
	@mv build/constraints.txt constraints.txt

clean:  ## Remove what was installed and generated
	rm -rf $(VENV) bench/.venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find . -name node_modules -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints \) -prune -exec rm -rf {} +

# One environment, one stamp an extra: nothing is installed again until pyproject.toml or constraints.txt changes.
$(VENV)/.installed-%: pyproject.toml constraints.txt $(BIN)/python
	@echo "Installing emq[$*] into $(VENV), once: half a gigabyte or more, a few quiet minutes."
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null  # uv's environments have none
	@$(BIN)/python -m pip install --quiet --editable '.[$*]' --constraint constraints.txt
	@$(QUIET_LAB)
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "emq needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) -V 2>/dev/null || echo missing). Name another: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "$(PYTHON) has no venv module. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
