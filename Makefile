# Everything starts here. `make` alone lists the targets.

# Debian 12's Python 3.11, or else the first one in PATH (3.11 to 3.13); for another one: make PYTHON=/path/to/python3.13
# A Python built from source without --enable-optimizations, as pyenv builds it, is a third slower.
PYTHON ?= $(or $(wildcard /usr/bin/python3.11),$(shell command -v python3.11 || command -v python3),python3.11)

.DEFAULT_GOAL := help
.PHONY: help setup run test test-quick test-all ci lint format lock pictures messages docs editor bench wheel

help:
	@echo 'make run        set up what is missing and run a site: HOST, PORT (127.0.0.1:8000), data in var/'
	@echo 'make test       lint and all tests; as root it also installs and starts what they need'
	@echo 'make test-quick without services, in less than a minute: rules, formats, records, uploads, pages'
	@echo 'make test-all   make test with the long runs, and the compilers and images of every language'
	@echo 'make setup      set up only .venv, with the command line (.venv/bin/agon)'
	@echo 'make wheel      an installable package in dist/: pip install agon, or agon[site]'
	@echo 'make lint       ruff, mypy, import contracts'
	@echo 'make bench      how fast matches are, against bare controllers: ONLY="coup samurai" for some; docs/explanations/performance.md'
	@echo 'make format     format the Python files'
	@echo 'make pictures   screenshots of a site that has played for a while, into docs/images/'
	@echo 'make lock       upgrade the locks of requirements/*.in, with hashes'
	@echo 'make editor     bundle the code editor of the site into static/editor/ (needs npm)'
	@echo 'make docs       write what is generated in docs/: settings, commands, tables of benchmarks/results'
	@echo 'make messages   collect texts to translate into locale/, and compile the translations'

setup:
	@$(PYTHON) scripts/bootstrap.py

run: setup
	@exec .venv/bin/agon serve

test:
	@$(PYTHON) scripts/test.py

test-quick:
	@$(PYTHON) scripts/test.py quick

test-all:
	@$(PYTHON) scripts/test.py all

# What CI runs: test, with every language if something changed that they depend on, otherwise with some long runs.
ci:
	@$(PYTHON) scripts/test.py ci

pictures:
	@$(PYTHON) scripts/bootstrap.py test
	@.venv/bin/python scripts/pictures.py

lint format lock messages docs:
	@$(PYTHON) scripts/bootstrap.py test
	@.venv/bin/python scripts/$@.py

# With --ignore-scripts, so that installing a package of the lock runs none of its code. esbuild works without.
editor:
	@cd frontend && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs

wheel: setup
	@.venv/bin/python scripts/wheel.py

bench: setup
	@.venv/bin/python -m benchmarks $(ONLY)
