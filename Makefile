# Everything starts here. `make` alone lists the targets.

# Debian's Python 3.11, else the first one there is; another: make PYTHON=/path/to/python3.11
# One that was built from source without --enable-optimizations, as pyenv does, is a third slower.
PYTHON ?= $(or $(wildcard /usr/bin/python3.11),$(shell command -v python3.11 || command -v python3),python3.11)

.DEFAULT_GOAL := help
.PHONY: help setup run test test-quick test-all ci lint format lock pictures messages editor bench

help:
	@echo 'make run        set up what is missing and run a site: HOST, PORT (127.0.0.1:8000), data in var/'
	@echo 'make test       everything that CI checks; as root it also installs and starts what the tests need'
	@echo 'make test-quick without services, in less than a minute: rules, formats, records, uploads, pages'
	@echo 'make test-all   the same with the compilers and images of every language'
	@echo 'make setup      only .venv, with the command line (.venv/bin/agon)'
	@echo 'make lint       ruff, mypy, import contracts'
	@echo 'make bench      how fast matches are, against bare controllers: ONLY="coup samurai" for some; docs/performance.md'
	@echo 'make format     lay out the Python files'
	@echo 'make pictures   screenshots of a site that has played for a while, into docs/images/'
	@echo 'make lock       pin requirements/*.in anew, with hashes'
	@echo 'make editor     bundle the code editor of the site into static/editor/ (needs npm)'
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

# What CI runs: test-all if something changed that the languages hang on, else test.
ci:
	@$(PYTHON) scripts/test.py changed

pictures:
	@$(PYTHON) scripts/bootstrap.py test
	@.venv/bin/python scripts/pictures.py

lint format lock messages:
	@$(PYTHON) scripts/bootstrap.py test
	@.venv/bin/python scripts/$@.py

# With --ignore-scripts: a package of the lock runs nothing of its own. esbuild needs no such step.
editor:
	@cd frontend && npm ci --ignore-scripts --no-audit --no-fund && node build.mjs

bench: setup
	@.venv/bin/python -m benchmarks $(ONLY)
