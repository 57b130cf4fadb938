# What one does with this project. `make` alone lists it.
.DEFAULT_GOAL := help
SHELL := /bin/sh
installed := node_modules/.installed
# npm's own scripts find the pinned Node by themselves; what is started from here names it.
node := node_modules/.bin/node
# Running make in a folder means that the user trusts it.
export SCRAPER_TRUST := on

.PHONY: help install programs dashboard guide run dev test quick test-all docs-check chaos lint format hooks bench docker clean

help: ## List what there is
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(installed) ## Install the pinned Node and the packages, when they changed

# The mark is a copy of the lockfile: npm ci empties node_modules first, so it only runs when the packages really changed.
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

programs: ## Install what the tests run (Chromium, Redis, PostgreSQL, a display), if it is missing
	@ci/test-programs

test: install programs dashboard ## Run the quick and long tests; ARGS chooses: make test ARGS="frontier --test-name-pattern=robots"
	npm test --silent -- --long --changed $(ARGS)

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

format: install ## Mend what the linter can mend
	npm run --silent format

hooks: install ## Check style and types before every commit
	git config core.hooksPath ci/hooks

bench: install ## Measure against the peers, installing them first; BENCH chooses: make bench BENCH=scale
	bench/setup
	npm run --silent bench -- $(or $(BENCH),static) $(ARGS)

docker: ## Build the image kscrape:dev
	ci/docker

clean: ## Remove what was built or tried; jobs in .kscrape and measurements in bench/.work stay
	rm -rf dist coverage test-report .kscrape-demo *.tgz
