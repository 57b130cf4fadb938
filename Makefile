# The common tasks of this project. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/sh
installed := node_modules/.installed
# npm scripts find the pinned Node by themselves. Commands that make starts directly must name it.
node := node_modules/.bin/node
# A user who runs make in a folder trusts that folder.
export SCRAPER_TRUST := on
# Nightly tests of changed code also run, but not in CI: its clones differ in their Git history, and must run the same tests.
changed := $(if $(CI),,--changed)

.PHONY: help install programs dashboard guide run dev test quick test-all docs-check chaos lint format hooks bench docker clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(installed) ## Install the pinned Node and the packages if they changed

# A copy of the lockfile in node_modules shows which packages are installed. npm ci is slow, so it runs only if the lockfile changed.
$(installed): package.json package-lock.json
	@cmp -s package-lock.json $@ || ci/install
	@cp package-lock.json $@

dashboard: install ## Build the dashboard that `kscrape serve` shows at /
	npm run --silent dashboard

guide: install ## Build the website of docs/ that `kscrape serve` shows at /guide
	ci/guide

run: install dashboard ## Crawl the demo site with extraction and show the records; needs no internet
	$(node) examples/demo/run.ts

dev: install dashboard ## Run service (8001, no key), dashboard (5173) and demo site (8080), and reload them when their source changes
	@trap 'kill 0' EXIT INT TERM; PORT=$(or $(PORT),8001) node_modules/.bin/vite dashboard --clearScreen false & \
	$(node) --watch --disable-warning=ExperimentalWarning src/cli/kscrape.ts serve --demo --port $(or $(PORT),8001)

programs: ## Install the programs that tests need (Chromium, Redis, PostgreSQL, a display) if they are missing
	@ci/test-programs

test: install programs dashboard ## Run the quick and long tests; ARGS chooses: make test ARGS="frontier --test-name-pattern=robots"
	npm test --silent -- --long $(changed) $(ARGS)

quick: install programs dashboard ## Run the quick tests
	npm test --silent -- $(ARGS)

test-all: install programs dashboard ## Run all tests, nightly ones included, with a random seed
	npm test --silent -- --all $(ARGS)

docs-check: install programs dashboard ## Find dead links, and run every command of the documents that can run here; ARGS chooses pages
	npm run --silent docs-check -- $(ARGS)

chaos: install programs ## Run every chaos test with a random seed
	npm test --silent -- --all chaos/

lint: install ## Check style and types
	npm run --silent lint
	npm run --silent types

format: install ## Fix what the linter can fix
	npm run --silent format

hooks: install ## Check style and types before every commit
	git config core.hooksPath ci/hooks

bench: install ## Install other crawlers and compare with them; BENCH chooses: make bench BENCH=scale
	bench/setup
	npm run --silent bench -- $(or $(BENCH),static) $(ARGS)

docker: ## Build the image kscrape:dev
	ci/docker

clean: ## Remove build results and test output; jobs in .kscrape and measurements in bench/.work stay
	rm -rf dist coverage test-report .kscrape-demo *.tgz
