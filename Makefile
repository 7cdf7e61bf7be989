# Two commands: `make app` and `make test`. The rest is for developers.
# What `make test`, and so CI, leaves out is in `make test-all`: nothing is tested by no command.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS := .ci/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: app text test test-all quick check lint docs help

help:
	@echo "make app       install and start the workbench on 127.0.0.1"
	@echo "make text      add language models, for relations between texts"
	@echo "make test      install with test extras and run the test suite and doctests"
	@echo "make test-all  the same with what takes long: browsers, notebooks, the site, servers that are killed, a second and a half or more"
	@echo "make quick     under a minute of tests: what every method keeps, privacy, mechanisms"
	@echo "make docs      build the site with the executed notebooks, in build/docs/site"
	@echo "make size      lines by room beside their budget"
	@echo "make check     formatting, types and import rules, then all tests, with what takes long"

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable '.[app,notebooks]'
	@touch $@

$(VENV)/.installed-text: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable '.[app,notebooks,text]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-test: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-docs: pyproject.toml $(CONSTRAINTS) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable '.[docs]'
	@touch $@ $(VENV)/.installed

app: $(VENV)/.installed
	@$(BIN)/privgraph app

text: $(VENV)/.installed-text

# What is compiled, tests with their assertions among it, is kept between runs and for the processes that tests start.
test test-all quick: export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache
test test-all quick: export PYTHONDONTWRITEBYTECODE :=

PYTEST := $(BIN)/python -m pytest --numprocesses logical --dist loadfile
WHOLE := --doctest-modules tests core/privgraph

test: $(VENV)/.installed-test
	$(PYTEST) -m "not study and not gpu and not benchmark and not browser and not long" $(WHOLE)

test-all: $(VENV)/.installed-test
	$(PYTEST) $(WHOLE)

# By paths, so that a new test of these rooms is among them: the contract of every method, with each of its units, and the observer
# that holds what is drawn against the ledger; accountants, calibration and statements; mechanisms, and the lattice and streams that
# they draw from. Not among them: what needs a browser, an app, a worker, a database or real data, and the attacks of tests/statistics,
# tests/audits and tests/planted.
QUICK := tests/contracts/test_methods.py tests/contracts/test_observer.py tests/privacy tests/mechanisms tests/test_lattice.py tests/test_streams.py

quick: $(VENV)/.installed-test
	$(PYTEST) $(QUICK)

docs: $(VENV)/.installed-docs
	$(BIN)/python -m docs.build

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint test-all

# Lines by room beside their budget (.ci/budget.toml), and the limits on English in code.
.PHONY: size
size:
	@$(PYTHON) .ci/size.py

# All figures of made-up rows on one page, light and dark.
.PHONY: sheet
sheet: $(VENV)/.installed-test
	$(BIN)/python -m tests.figures.contact_sheet build/sheet

# The examples: runs, attacks and audits of a store of their own, whose noise key is no secret, packed into one file, and what the
# Relations page opens on (some hours on two cores; it may be interrupted).
EXAMPLES ?= $(CURDIR)/build/examples-home
.PHONY: examples
examples: $(VENV)/.installed-text
	$(BIN)/python -m privgraph.studies.examples --home $(EXAMPLES)
	$(BIN)/python -m privgraph.studies.worked

.PHONY: study-progap study-privgnn study-dpgpl study-heterpoisson study-attacks study-frontier bench screenshot
# The paper's comparison, on the real graphs that PRIVGRAPH_DATA names (about an hour on 2 cores); writes the method's README.
study-progap: $(VENV)/.installed
	$(BIN)/python -m privgraph.methods.aggregation.progap.study --out study-progap.json --readme

# PrivGNN and PATE on real graphs, as runs of the store (about an hour on 2 cores); writes the method's README.
study-privgnn: $(VENV)/.installed
	$(BIN)/python -m privgraph.methods.teachers.privgnn.study --readme

# DP-GPL and DP-GPL+W on real graphs, as runs of the store (several hours on 2 cores; it may be interrupted); writes the
# method's README.
study-dpgpl: $(VENV)/.installed
	$(BIN)/python -m privgraph.methods.prompts.dp_gpl.study --readme

# HeterPoisson and its baselines on real graphs, as runs of the store (about two hours on 2 cores; it may be interrupted); writes the
# method's README.
study-heterpoisson: $(VENV)/.installed
	$(BIN)/python -m privgraph.methods.gradients.heter_poisson.study --readme

# PvGaLM on texts with relations, as runs of the store (several hours on 2 cores; it may be interrupted); writes the method's README.
study-relations: $(VENV)/.installed-text
	$(BIN)/python -m privgraph.methods.relations.relational.study --readme
	$(BIN)/python -m privgraph.studies.relation_attacks --readme

# Who trained, method by method, as runs and attacks of the store (it may be interrupted); writes the attacks' README.
study-attacks: $(VENV)/.installed
	$(BIN)/python -m privgraph.studies.prompt_shots --readme
	$(BIN)/python -m privgraph.studies.attack_findings --readme
	$(BIN)/python -m privgraph.studies.attacks --readme

# Every method on seven graphs by sound epsilon (a day on one core; it may be interrupted); writes Label-Hist's README.
study-frontier: $(VENV)/.installed
	$(BIN)/python -m privgraph.studies.frontier --out docs/frontier.csv --readme core/privgraph/methods/aggregation/label_hist/README.md
	$(BIN)/python -m docs.frontier

# Figures of speed and memory, printed as ratios of one and the same run. `make bench` needs cora, facebook-pages and
# fb100-johnshopkins55 at hand.
bench: $(VENV)/.installed-test
	$(BIN)/python -m tests.benchmarks bench_stack
	$(BIN)/python -m tests.benchmarks bench_networks
	$(BIN)/python -m tests.benchmarks bench_nap
	$(BIN)/python -m tests.benchmarks bench_noise
	$(BIN)/python -m tests.benchmarks bench_teachers
	$(BIN)/python -m tests.benchmarks bench_teachers --memory
	$(BIN)/python -m tests.benchmarks bench_prompts
	$(BIN)/python -m tests.benchmarks bench_subgraphs
	$(BIN)/python -m tests.benchmarks bench_prompt_attack
	$(BIN)/python -m tests.benchmarks bench_relations
	$(BIN)/python -m tests.benchmarks bench_asking
	$(BIN)/python -m tests.benchmarks bench_page
	$(BIN)/python -m tests.benchmarks bench_live
	$(BIN)/python -m tests.benchmarks bench_first_hour
	$(BIN)/python -m tests.benchmarks bench_queue

# Whole runs with a GPU and without it, on a machine that has one.
.PHONY: bench-device
bench-device: $(VENV)/.installed-test
	$(BIN)/python -m tests.benchmarks bench_device

# Graphs that do not fit: 10^6, 10^7 and 10^8 edges taken in and trained on (an hour, 10 GB of disk and of memory; LARGEST=10000000
# stops before the last).
.PHONY: bench-large
LARGEST ?= 100000000
bench-large: $(VENV)/.installed-test
	$(BIN)/python -m tests.benchmarks bench_large --largest $(LARGEST)

# The README's picture, taken from the running app.
screenshot: $(VENV)/.installed-test
	$(BIN)/python -m tests.browser.screenshot

# What the audits and tests are worth: bugs planted on purpose, and what catches each (under two minutes).
.PHONY: planted-bugs
planted-bugs: $(VENV)/.installed-test
	$(BIN)/python -m tests.planted.table

# Strange uploads, run specs, stored rows and addresses: each is taken, or refused in one sentence. INPUTS=10000 plays fewer.
.PHONY: fuzz
INPUTS ?= 100000
fuzz: $(VENV)/.installed-test
	$(BIN)/python -m tests.fuzz --inputs $(INPUTS)

# Workers, commands, launchers, apps and databases killed at random moments, on SQLite and PostgreSQL, and what was lost (nothing; about
# 15 seconds a round). ROUNDS=40 plays fewer.
.PHONY: faults
ROUNDS ?= 200
faults: $(VENV)/.installed-test
	$(BIN)/python -m tests.faults.rounds --rounds $(ROUNDS)

# Sixteen workers that pull 3,000 short runs from one PostgreSQL store; the same while a worker is killed every second and the database
# crashes twice; and the runs an hour of one worker and of two. RUNS=300 plays fewer.
.PHONY: many-workers
RUNS ?= 3000
many-workers: $(VENV)/.installed-test
	$(BIN)/python -m tests.faults.many_workers --runs $(RUNS)
	$(BIN)/python -m tests.faults.many_workers --runs $(RUNS) --kill 1 --restarts 2
	$(BIN)/python -m tests.faults.many_workers --runs $(RUNS) --workers 1
	$(BIN)/python -m tests.faults.many_workers --runs $(RUNS) --workers 2
