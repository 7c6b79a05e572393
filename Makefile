# The main targets: `make try`, `make test`, `make install`, `make bench`. Each installs what it needs.

PREFIX ?= /usr/local
CARGO ?= cargo
ASIDE = target/release/aside

.PHONY: try test check test-models lint install dist film reference uninstall bench bench-replay bench-translate bench-detect bench-filter bench-route bench-screen bench-capture bench-search bench-callers eval eval-detect eval-suggest eval-route eval-unseen eval-bulk eval-complete eval-specs teach-route teach-redact teach-ghost teach-reader neighbours soak vscode test-vscode neighbours-fuzz bench-complete bench-agents test-agents bench-shells test-wecom test-relay bench-relay teach-understand random-stems fuzz audit bench-scale bench-instructions

# Starts a shell with Aside on. Touches none of your files.
try:
	scripts/packages zsh
	$(CARGO) build --profile try --bin aside
	scripts/reader target/reader target/try/aside
	target/try/aside try zsh

.PHONY: $(ASIDE)
$(ASIDE):
	$(CARGO) build --release --bin aside
	scripts/reader target/reader $(ASIDE)

# Everything that decides: rustfmt, clippy, all tests, all scenes. `make check` runs what the changes since BASE can break, and nothing else.
TESTED_WITH = zsh fish zsh-autosuggestions zsh-syntax-highlighting fzf bash-completion direnv zoxide tmux screen chromium chromium-driver \
	fonts-dejavu-core fonts-noto-cjk
CHECK = ASIDE_TEST_PATIENCE=3 CARGO='$(CARGO)' PACKAGES='$(TESTED_WITH)' scripts/check
test:
	$(CHECK) all

check:
	$(CHECK) $(BASE)

# Tests with a real model server and with the official clients. Downloads some hundred megabytes the first time.
test-models:
	scripts/packages zsh
	scripts/models target/models
	ASIDE_TEST_PATIENCE=6 ASIDE_TEST_MODELS=$(abspath target/models) $(CARGO) test -p aside --test it model_real -- --nocapture --test-threads=1

# Builds the VS Code extension as target/vscode/aside.vsix. See docs/vscode.md.
VSCODE = cd editors/vscode && PATH="$(abspath target/vscode/bin):$$PATH" &&
vscode:
	scripts/vscode node target/vscode
	$(VSCODE) npm ci --loglevel=error && npm run --silent check && npm run --silent build
	$(VSCODE) cp ../../LICENSE ../../LICENSE-MIT ../../LICENSE-APACHE . && npx vsce package --no-dependencies --allow-missing-repository \
		--out $(abspath target/vscode/aside.vsix)

# Tests the extension against a real daemon, and in a real workbench: code-server, driven in Chromium. Downloads some hundred megabytes
# the first time. PICTURES=DIR takes screenshots.
test-vscode: vscode
	scripts/packages chromium git
	scripts/vscode workbench target/vscode
	$(CARGO) build --bin aside
	$(VSCODE) ASIDE_BIN=$(abspath target/debug/aside) npm run --silent test
	$(VSCODE) ASIDE_BIN=$(abspath target/debug/aside) ASIDE_WORKBENCH=$(abspath target/vscode) \
		$(if $(PICTURES),ASIDE_PICTURES=$(abspath $(patsubst ~/%,$(HOME)/%,$(PICTURES)))) node --test dist/test/workbench.js

# Tests with real agents and with the official MCP client. Downloads a gigabyte the first time. AGENT=opencode runs that one alone.
test-agents:
	scripts/packages npm python3-venv bubblewrap
	scripts/agents target/agents
	ASIDE_TEST_PATIENCE=15 ASIDE_TEST_AGENTS=$(abspath target/agents) ASIDE_TEST_AGENT='$(AGENT)' $(CARGO) test -p aside --test it agent_real -- --nocapture --test-threads=1
	ASIDE_TEST_PATIENCE=6 ASIDE_TEST_AGENTS=$(abspath target/agents) $(CARGO) test -p aside --test it agent_cli -- --nocapture --test-threads=1

# Tests with Tencent's own packages: its robot SDK against our stub of WeCom's server, its crypto against ours in both directions; and a
# message that it encrypted, through the relay, approved in a real browser. PICTURES=DIR takes docs/remote.png.
test-wecom:
	scripts/packages npm chromium chromium-driver fonts-dejavu-core fonts-noto-cjk
	scripts/wecom target/wecom
	ASIDE_TEST_WECOM=$(abspath target/wecom) $(CARGO) test -p aside-wecom --test tencent -- --nocapture
	ASIDE_TEST_PATIENCE=3 ASIDE_TEST_WECOM=$(abspath target/wecom) $(CARGO) test -p aside --test it remote_real -- --nocapture
	ASIDE_TEST_PATIENCE=3 ASIDE_TEST_WECOM=$(abspath target/wecom) \
		$(if $(PICTURES),ASIDE_TEST_PICTURES=$(abspath $(patsubst ~/%,$(HOME)/%,$(PICTURES)))) \
		$(CARGO) test -p aside --test it remote_page -- --nocapture

# Tests the relay with a real nats-server: the same tests as with SQLite, and two copies on one server. Downloads 7 megabytes the first time.
test-relay:
	scripts/packages python3-venv
	scripts/nats target/nats
	ASIDE_TEST_NATS=$(abspath target/nats/nats-server) $(CARGO) test -p aside-relay --features nats --lib --test relay

# Sends 5000 requests to 500 machines through two relays on NATS and through one with SQLite, also with relays and the server killed and
# connections cut. Fails if a request is lost or run twice. See docs/results/relay.md. RELEASE=1 uses the release profile.
bench-relay:
	scripts/packages python3-venv
	scripts/nats target/nats
	ASIDE_TEST_NATS=$(abspath target/nats/nats-server) \
		$(CARGO) bench $(if $(RELEASE),,--profile dev) -p aside-relay --features nats --bench relay

# The latency that Aside adds to each event of an agent, compared with reading its line: p50 and p99, as a ratio.
bench-agents:
	ASIDE_TEST_AGENT_EVENTS=200000 $(CARGO) test --release -p aside --bin aside what_aside_adds -- --nocapture --test-threads=1

# Skips rustfmt and clippy where the toolchain lacks them.
lint:
	if $(CARGO) fmt --version >/dev/null 2>&1; then $(CARGO) fmt --check; fi
	if $(CARGO) clippy --version >/dev/null 2>&1; then $(CARGO) clippy --workspace --all-targets -- -D warnings; fi

# Checks licences, second versions and sources of all dependencies against deny.toml. ADVISORIES=1 also fetches RustSec's database.
# Builds cargo-deny the first time, which takes some minutes.
DENY = $(abspath target/tools/bin/cargo-deny)
audit:
	command -v cargo-deny >/dev/null || test -x $(DENY) || \
		$(CARGO) install --locked --no-default-features --root target/tools --target-dir target/tools cargo-deny
	PATH="$$PATH:$(dir $(DENY))" cargo-deny --locked check $(if $(ADVISORIES),advisories) licenses bans sources

install: $(ASIDE)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -d $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 $(ASIDE) $(DESTDIR)$(PREFIX)/bin/aside.new
	mv $(DESTDIR)$(PREFIX)/bin/aside.new $(DESTDIR)$(PREFIX)/bin/aside
	$(ASIDE) man $(DESTDIR)$(PREFIX)/share/man/man1
	$(ASIDE) completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_aside
	$(ASIDE) completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/aside
	$(ASIDE) completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/aside.fish
	if [ -e target/reader/reader.model ]; then install -D -m 644 target/reader/reader.model $(DESTDIR)$(PREFIX)/share/aside/reader.model; fi
	@echo 'Next: $(PREFIX)/bin/aside setup'

# Builds a tarball with install.sh, a Debian package, the bill of materials and their checksums in target/dist. The C library is linked
# statically. See docs/build.md.
dist:
	RUSTFLAGS='-C target-feature=+crt-static --remap-path-prefix=$(CURDIR)=. --remap-path-prefix=$(or $(CARGO_HOME),$(HOME)/.cargo)=cargo' \
		$(CARGO) build --locked --release --bin aside --target $(shell rustc -vV | sed -n 's/^host: //p')
	mkdir -p target/dist
	scripts/sbom $(shell rustc -vV | sed -n 's/^host: //p') > target/dist/aside.cdx.json
	scripts/reader target/reader target/$(shell rustc -vV | sed -n 's/^host: //p')/release/aside
	scripts/dist target/$(shell rustc -vV | sed -n 's/^host: //p')/release/aside target/dist

# Records the README's animation from a real zsh.
film: $(ASIDE)
	scripts/packages zsh tmux git python3
	scripts/film $(ASIDE) docs/film.svg

# Regenerates docs/reference.md and docs/cli.md from the program.
reference:
	touch docs/reference.md docs/cli.md
	$(CARGO) run --bin aside -- man --reference docs

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/share/aside/reader.model
	rm -f $(DESTDIR)$(PREFIX)/bin/aside $(DESTDIR)$(PREFIX)/share/man/man1/aside.1
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/aside-*.1
	rm -f $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_aside
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/aside
	rm -f $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/aside.fish

# Compares Aside with a bare zsh and zsh-autosuggestions in one run; prints ratios.
bench:
	scripts/packages zsh zsh-autosuggestions zsh-syntax-highlighting strace
	$(CARGO) bench --bench prompt

# The shells alone: zsh, compared with another build of Aside in the same run, then bash and fish.
# make bench-shells BEFORE=~/older/aside; ONLY=others leaves zsh out.
bench-shells:
	scripts/packages zsh fish zsh-autosuggestions strace
	ASIDE_BENCH_BEFORE=$(abspath $(patsubst ~/%,$(HOME)/%,$(BEFORE))) $(CARGO) bench --bench prompt -- $(or $(ONLY),shells)

# Replays a history with Aside and with zsh-autosuggestions: keys saved, wrong ghosts, reply times. Your own history, or synthetic ones.
# make bench-replay HISTORY=~/.zsh_history JSON=replay.json
REPLAY = $(abspath $(patsubst ~/%,$(HOME)/%,$(HISTORY)))
bench-replay:
	scripts/packages zsh zsh-autosuggestions
	-$(CARGO) bench --bench replay -- --check $(REPLAY)
	$(CARGO) bench --bench replay -- $(if $(JSON),--json $(abspath $(JSON))) $(REPLAY)

# How long the embedded engine takes for a query, compared with starting a process; prints ratios.
bench-translate:
	$(CARGO) bench -p aside-translate --bench translate

# How long it takes to find, judge and rank the candidates for a keystroke, compared with the history lookup alone; prints ratios.
bench-complete:
	$(CARGO) bench -p aside-core --bench complete

# Instructions per line of the hot paths, under valgrind: hardly depends on what else the machine does. Fails if one needs 8 % more than
# the baseline, which is of one compiler and of the dev profile, so it shows work that was added, not times. WRITE=1 renews it.
bench-instructions:
	scripts/packages valgrind python3
	scripts/instructions "$$($(CARGO) bench --profile dev -p aside-core --bench instructions --no-run --message-format=json \
		| sed -n 's/.*"executable":"\([^"]*instructions-[^"]*\)".*/\1/p')" \
		crates/aside-core/benches/instructions.txt $(if $(WRITE),--write)

# How long it takes to classify a line as prose or command in core, compared with parsing the line; prints ratios.
bench-detect:
	$(CARGO) bench -p aside-core --bench detect

# The history filter, on a single recorded line and on an import of 100 000; then the classification of lines at the daemon's socket,
# compared with a request that needs no work.
bench-filter:
	$(CARGO) bench -p aside-core --bench filter
	$(CARGO) bench -p aside --bench prompt -- detect

# How long it takes to route a request, compared with parsing it as a line, and the memory of the weights; prints ratios.
bench-route:
	$(CARGO) bench -p aside-task --bench route

# The throughput of watching a terminal's output, compared with copying it, and how long rendering an output takes; prints ratios.
bench-screen:
	$(CARGO) bench -p aside-text --bench screen

# The cost of the proxy terminal around a shell, compared with the same shell without it: throughput and echo, in one run.
bench-capture:
	$(CARGO) bench -p aside --bench capture

# How the cost grows with history, directory, repository, shells, output, tasks and specs: exponents, bends, docs/results/scale.md and its
# plot. LARGE=1 adds the largest sizes; make bench-scale PROGRAM=~/older/aside ONLY=history,tasks
bench-scale: $(if $(PROGRAM),,$(ASIDE))
	scripts/packages git python3
	scripts/scale $(or $(patsubst ~/%,$(HOME)/%,$(PROGRAM)),$(ASIDE)) docs/results $(if $(LARGE),--large) $(if $(ONLY),--only $(ONLY))

# Searches as tasks, compared with ripgrep, git grep and grep on the same files, 6000 and 50 000 of them; prints ratios. PROFILE=dev measures
# a debug build.
bench-search:
	scripts/packages ripgrep git
	$(CARGO) bench $(if $(PROFILE),--profile $(PROFILE)) -p aside --bench prompt -- searches

# The cost of telling the user from a command of a task, for each connection, compared with a server that checks nothing.
bench-callers:
	$(CARGO) bench -p aside --bench prompt -- callers

# Answers natural-language requests, runs each answer in a sandbox and judges it by its effect. See docs/eval.md.
# make eval ARGS='--only git'; CHECK=1 checks the judging itself; RELEASE=1 uses the release profile; SET=~/my-requests adds a
# directory of requests, of which only figures are shown.
eval:
	scripts/packages bubblewrap zip unzip lsof psmisc procps iproute2 net-tools jq file gcc git perl python3 curl
	$(CARGO) bench $(if $(RELEASE),,--profile dev) --bench eval -- $(if $(CHECK),--check) \
		$(if $(SET),--set $(abspath $(patsubst ~/%,$(HOME)/%,$(SET)))) $(ARGS)

# Orders for many files by strangers, executed in a tree: what was lost or changed that was not named. See docs/eval.md. The cases are not
# to be read by those who work on the engine; ARGS='--only delete-age' asks some.
eval-bulk:
	scripts/packages git python3 zip unzip
	$(CARGO) build --bin aside
	python3 crates/aside/eval/bulk/run.py target/debug/aside --out target/eval-bulk.json $(ARGS)

# Types command prefixes and judges whether the completions are sane. See docs/complete-eval.md.
# make eval-complete STEMS=~/my-stems LIST=1
eval-complete:
	scripts/packages git
	$(if $(STEMS),ASIDE_STEMS=$(abspath $(patsubst ~/%,$(HOME)/%,$(STEMS)))) $(if $(filter 1,$(LIST)),ASIDE_STEMS_LIST=1) \
		$(CARGO) bench $(if $(RELEASE),,--profile dev) -p aside --bench stems

# 100 000 random prefixes over random histories: every candidate parses, balances, fits its spec and names what exists. make test
# runs a few hundred. make random-stems N=20000
random-stems: N = 100000
random-stems:
	ASIDE_RANDOM_STEMS=$(N) $(CARGO) test -p aside-core --lib whatever_is_begun -- --nocapture

# Measures the classifier of typed lines: commands for the shell, prose for the agent. See docs/detect-eval.md. Lists the errors in the
# development half; LIST=all in both.
LIST ?= dev
eval-detect:
	ASIDE_DETECT=$(LIST) $(CARGO) test -q -p aside-core --test detect figures -- --nocapture

# Measures the next-command suggestions. See docs/suggest-eval.md. LIST as above.
eval-suggest:
	ASIDE_SUGGEST=$(LIST) $(CARGO) test -q -p aside-core --test suggest figures -- --nocapture

# Measures the routing of task requests. See docs/task-routes.md. LIST as above.
eval-route:
	ASIDE_ROUTE=$(LIST) $(CARGO) test -q -p aside-task --test task_routes figures -- --nocapture

# Measures secrets, destructive lines and harmless requests by authors who have seen neither rules nor code. See docs/security.md.
# make eval-unseen UNSEEN=~/my-sets LIST=1
eval-unseen:
	$(if $(UNSEEN),ASIDE_UNSEEN=$(abspath $(patsubst ~/%,$(HOME)/%,$(UNSEEN)))) $(if $(filter 1,$(LIST)),ASIDE_UNSEEN_LIST=1) \
		$(CARGO) test -q -p aside-core --test unseen figures -- --nocapture --test-threads=1

# The share of the flags and subcommands in public examples that the specs know; LIST=1 lists the missing ones. See docs/specs.md.
# make eval-specs EXAMPLES=pairs.jsonl.xz: JSON lines with src and cmd.
eval-specs:
	@test -n "$(EXAMPLES)" || { echo 'make eval-specs EXAMPLES=FILE: JSON lines with src and cmd, plain or .xz' >&2; exit 2; }
	@mkdir -p target
	@case '$(EXAMPLES)' in *.xz) xz -dc '$(EXAMPLES)' ;; *) cat '$(EXAMPLES)' ;; esac > target/examples.jsonl
	@ASIDE_EXAMPLES=$(CURDIR)/target/examples.jsonl $(if $(filter 1,$(LIST)),ASIDE_EXAMPLES_LIST=1) \
		$(CARGO) test -q -p aside-core --test specs figures -- --nocapture

# Retrains the router's weights for unusual requests from the training requests. Run it after a change of rules or requests.
teach-route:
	ASIDE_ROUTE_TEACH=$(CURDIR)/crates/aside-task/data/task/classifier.txt \
		$(CARGO) test -q -p aside-task --test task_routes weights

# Retrains the weights by which words without a name are taken for secrets, and prints the result for each set when it is held out.
teach-redact:
	ASIDE_REDACT_TEACH=$(CURDIR)/crates/aside-redact/data/redact/classifier.txt \
		$(CARGO) test -q -p aside-core --test unseen weights -- --nocapture

# Retrains the weights by which ghost text is judged, from synthetic histories.
teach-ghost:
	@echo '# Class, feature, weight: found by make teach-ghost.' > crates/aside-core/data/complete/ghost.txt.new
	$(CARGO) bench --bench replay -- --teach >> crates/aside-core/data/complete/ghost.txt.new
	mv crates/aside-core/data/complete/ghost.txt.new crates/aside-core/data/complete/ghost.txt

# Retrains the classifier of requests from the text in data/understand. Run it after a change of rules, words or requests; takes a few
# minutes. See docs/understand.md. PYTHON must have numpy, scipy and scikit-learn.
PYTHON ?= python3
teach-understand:
	$(PYTHON) scripts/understand.py

# Teaches the reader, a small language model, from data/pairs: weights, figures and answers go to target/reader. What is chosen of them is
# copied to data/reader, with its figures in CARD.md. Needs a GPU for fifteen minutes; PYTHON must have torch, transformers, tokenizers and
# safetensors. make teach-reader BASE=SmolLM2-135M-Instruct.Q4_1.gguf PUBLIC=pairs.jsonl.xz ARGS='--extract 64 96 128'
teach-reader:
	@test -n "$(BASE)" || { echo 'make teach-reader BASE=FILE: the GGUF of data/reader/CARD.md' >&2; exit 2; }
	$(PYTHON) scripts/teach-reader.py --base $(abspath $(patsubst ~/%,$(HOME)/%,$(BASE))) --whole target/reader/whole.pt --spread \
		$(if $(PUBLIC),--public $(abspath $(patsubst ~/%,$(HOME)/%,$(PUBLIC)))) --out target/reader $(ARGS)

# How good the reader's answers are as the program runs it: held-out pairs letter by letter, and the dev half of make eval by effect. See
# docs/eval.md. MODEL is the merged file; with BASE, the GGUF of data/reader/CARD.md, it is made first, of that and data/reader.
# make eval-reader BASE=SmolLM2-135M-Instruct.Q4_1.gguf ARGS='--part 3 --only pairs'
.PHONY: eval-reader
eval-reader:
	@test -n "$(MODEL)$(BASE)" || { echo 'make eval-reader BASE=FILE: the GGUF of data/reader/CARD.md; or MODEL=FILE: the merged file' >&2; exit 2; }
	scripts/packages bubblewrap zip unzip lsof psmisc procps iproute2 net-tools jq file gcc git perl python3 curl
	CARGO='$(CARGO)' scripts/eval-reader $(if $(MODEL),--model $(abspath $(patsubst ~/%,$(HOME)/%,$(MODEL))),--base \
		$(abspath $(patsubst ~/%,$(HOME)/%,$(BASE)))) $(ARGS)

# Aside next to the real plugins, from a directory of checkouts that you fetched: in zsh every setup, both orders, the rc file
# read again; in bash and fish prompts, mise, bash-preexec and ble.sh. make neighbours PLUGINS=~/plugins ONLY=p10k,omz CHECK=ctrl-c SHOW=1
NEIGHBOURS = ASIDE_TEST_PLUGINS=$(abspath $(patsubst ~/%,$(HOME)/%,$(PLUGINS))) ASIDE_TEST_ONLY='$(ONLY)' ASIDE_TEST_CHECK='$(CHECK)' \
	$(if $(SHOW),ASIDE_TEST_SHOW=1) $(CARGO) test -p aside --test it -- plugins::the_table shell_plugins:: --nocapture
neighbours:
	@test -n "$(PLUGINS)" || { echo 'make neighbours PLUGINS=DIR: a directory with checkouts of plugins; see docs/plugins.md' >&2; exit 2; }
	scripts/packages zsh fish fzf
	$(NEIGHBOURS)

# Fuzzes everything that reads bytes which Aside did not write, guided by coverage: each target for SECONDS. A failure prints its input;
# what was found stays in target/fuzz. make fuzz SECONDS=60 ONLY='screen wire' COMMIT=1 renews the committed corpus.
FUZZ = lines wire edits patches screen histories replies rules secrets specs wecom config
fuzz: SECONDS = 600
fuzz:
	for target in $(or $(ONLY),$(FUZZ)); do \
		CARGO_TARGET_DIR=$(abspath target/fuzz-build) CARGO_PROFILE_DEV_OPT_LEVEL=1 LLVM_PROFILE_FILE=/dev/null \
		RUSTC_WORKSPACE_WRAPPER=$(abspath scripts/fuzz-rustc) ASIDE_FUZZ_FOUND=$(abspath target/fuzz) \
		ASIDE_FUZZ_SECONDS=$(SECONDS) $(if $(COMMIT),ASIDE_FUZZ_COMMIT=1) $(CARGO) test -q \
		$$(test $$target = config && echo -p aside --bin aside || echo -p aside-fuzz --test fuzz) fuzz_$$target -- --nocapture \
		|| exit 1; \
	done

# N random sequences of keys, pastes, resizes and lines over six setups, with Aside and without, starting at SEED, while the daemon is
# killed and the program replaced. OTHER=FILE is another build to replace it with.
# make neighbours-fuzz PLUGINS=~/plugins N=100 SEED=1 ONLY=omz
N ?= 100
SEED ?= 1
neighbours-fuzz:
	scripts/packages zsh fzf
	ASIDE_TEST_FUZZ=$(N) ASIDE_TEST_SEED=$(SEED) ASIDE_TEST_ONLY='$(ONLY)' \
		$(if $(OTHER),ASIDE_TEST_OTHER=$(abspath $(patsubst ~/%,$(HOME)/%,$(OTHER)))) \
		$(if $(PLUGINS),ASIDE_TEST_PLUGINS=$(abspath $(patsubst ~/%,$(HOME)/%,$(PLUGINS)))) \
		$(CARGO) test -p aside --test it plugins::random_keys -- --nocapture

# Tests that take too long for every change. With PLUGINS=DIR also the plugins in it.
soak:
	scripts/packages zsh fish zsh-autosuggestions zsh-syntax-highlighting fzf tmux screen npm python3-pytest \
		htop openssh-server openssh-client sudo vim-tiny less webkit2gtk-driver xvfb
	ASIDE_TEST_TOOLS=1 $(CARGO) test -p aside --test it next_live_tools
	ASIDE_TEST_TOOLS=1 $(CARGO) test -p aside --test it proxy_tools -- --nocapture
	ASIDE_TEST_TOOLS=1 $(CARGO) test -p aside --test it shell_environments -- --nocapture
	ASIDE_TEST_GHOSTS=200 ASIDE_TEST_PATIENCE=3 $(CARGO) test -p aside --test it proxy_ghost::the_screen -- --nocapture
	$(CARGO) test -p aside --test it proxy_jobs::programs_that_draw -- --nocapture
	ASIDE_TEST_WEBKIT=1 $(CARGO) test -p aside --test it web_webkit
	ASIDE_TEST_KILLS=100 $(CARGO) test --workspace killing
	ASIDE_TEST_MEGABYTES=100 ASIDE_TEST_PATIENCE=6 $(CARGO) test -p aside --test it proxy::a_large_file
	ASIDE_ADVERSARY=process_escape ASIDE_TEST_CHAIN=10005 ASIDE_TEST_PATIENCE=6 $(CARGO) test -p aside --test it no_attempt -- --nocapture
	ASIDE_TEST_HANG=1 $(CARGO) test -p aside --test it hang_
	ASIDE_TEST_CRASHES=1000 ASIDE_TEST_PATIENCE=3 $(CARGO) test -p aside --test it task_crash -- --nocapture
	ASIDE_TEST_PIECES=480 ASIDE_TEST_PATIENCE=3 $(CARGO) test -p aside --test it task_watch -- --nocapture
	PROPTEST_CASES=20000 $(CARGO) test --workspace --exclude aside --exclude aside-relay --lib
	ASIDE_SENTENCES=all $(CARGO) test --release -p aside-translate --lib harmless
	$(MAKE) fuzz
	ASIDE_RANDOM_STEMS=100000 $(CARGO) test --release -p aside-core --lib whatever_is_begun
	ASIDE_WISHES=100000 $(CARGO) test --release -p aside-translate --lib whatever_is_asked
	ASIDE_LINES=10000000 $(CARGO) test --release -p aside-core --test detect_lines -- --nocapture
	ASIDE_SYNTAX_LINES=20 ASIDE_ORACLE_LINES=200000 $(CARGO) test -p aside --test it _oracle::no_line -- --nocapture
	$(if $(PLUGINS),$(NEIGHBOURS))

# The language model's runtime. BASE is SmolLM2-135M-Instruct.Q4_1.gguf (data/reader/CARD.md); OUT keeps the merged file, for
# `ASIDE_TEST_READER=FILE cargo test --release -p aside-reader`.
.PHONY: bench-reader
bench-reader:
	@test -n "$(BASE)" || { echo 'make bench-reader BASE=FILE: the GGUF of data/reader/CARD.md' >&2; exit 2; }
	ASIDE_READER_BASE='$(abspath $(BASE))' $(if $(OUT),ASIDE_READER_OUT='$(abspath $(OUT))') $(CARGO) bench -p aside-reader --bench reader
