//! What the manual says beyond the command line: keys, files, environment, exit codes. Scene tests check the last two against the program.

use std::path::{Path, PathBuf};

use crate::daemon::tasks::rules;
use crate::paths::Paths;
use crate::reader_file;
use crate::store::task_logs;

/// Key, and what it does at a zsh prompt. docs/keys.md has the other shells.
pub const KEYS: &[(&str, &str)] = &[
    ("Tab", "take what is shown; with nothing shown, the shell's own completion"),
    ("Right, End, Ctrl-E, Ctrl-F", "take all of the grey text"),
    ("Alt-Right, Ctrl-Right, Alt-F", "take a word of it"),
    ("Shift-Right, Shift-Left", "the next candidate, the previous one"),
    ("Shift-Down", "the list of candidates; again, the bar"),
    ("Shift-Tab", "the shell's own completion, if the key was free"),
    ("Escape", "show nothing until the line changes"),
    ("Enter behind ? WORDS", "ask now, or take the command; it never runs by itself"),
    ("Down behind ? WORDS", "other commands for the request"),
    ("Ctrl-E behind ? WORDS", "explain the command that is shown (llm.nl_explain_key)"),
];

pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("ASIDE_DISABLE", "set, in a shell's environment: the plugin does nothing there"),
    ("ASIDE_PRIVATE", "1: nothing of this shell leaves the machine; aside-private sets it"),
    ("ASIDE_HOME", "one directory for settings, history, logs and socket, instead of their usual places"),
    ("ASIDE_SOCKET", "the daemon's socket, instead of the one in the runtime directory"),
    ("ASIDE_READER", "the file of the reader, where it is elsewhere; empty: answer without it"),
    ("ASIDE_SESSION", "the shell that is meant, where the processes above do not tell"),
    ("ASIDE_PROXY", "set by aside proxy in the shell inside: its terminal and process"),
    ("ASIDE_PROXY_MARK", "set by aside proxy too: what the marks around a prompt carry"),
    ("XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_RUNTIME_DIR", "where the files are"),
    ("TMPDIR", "where the socket is when there is no runtime directory"),
    ("NO_COLOR, TERM", "no colours when NO_COLOR is set or TERM is dumb"),
    ("VISUAL, EDITOR", "the editor for aside config edit and for editing a proposal; vi when unset"),
    ("PAGER", "shows a long proposal; less when unset"),
    ("SHELL", "the shell that commands are for, where none is named"),
    ("ZDOTDIR, HISTFILE", "where zsh's rc file is, and the history that is imported"),
    ("OPENAI_API_KEY, ANTHROPIC_API_KEY", "the key of that provider, for its usual address only (llm.api_key_env)"),
    ("TMUX", "set by tmux: outputs are seen through its pipe (suggest.capture)"),
    ("SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY, BROWSER", "whether aside web opens a browser or says how to reach it"),
];

/// Each file that Aside keeps, with the usual directories.
pub fn files() -> Vec<(String, &'static str)> {
    let paths = Paths {
        config_file: PathBuf::from("~/.config/aside/config.toml"),
        data_dir: PathBuf::from("~/.local/share/aside"),
        state_dir: PathBuf::from("~/.local/state/aside"),
        socket: PathBuf::from("$XDG_RUNTIME_DIR/aside.sock"),
    };
    let rows: [(PathBuf, &str); 20] = [
        (paths.config_file.clone(), "your settings"),
        (rules::of_person(&paths), "your approval rules: what is denied, asked about, allowed"),
        (rules::of_repository(Path::new("")), "in a repository: approval rules that can only tighten yours"),
        (paths.specs_dir(), "specs of your own, NAME.toml for each command"),
        (paths.history_db(), "the commands you ran"),
        (paths.data_dir.join("learnt"), "what programs said about themselves when asked for --help"),
        (paths.models_dir(), "models that you fetched"),
        (reader_file::own(&paths), "the reader, once aside reader get has made it"),
        (paths.remote_secrets(), "the secrets of the chat from which tasks can be asked for"),
        (
            paths.remote_seen(),
            "digests of the messages of chats that were acted upon, so that none is acted upon twice",
        ),
        (task_logs::dir(&paths.state_dir), "one log for each task"),
        (paths.state_dir.join("applies"), "what tasks wrote, to take it back"),
        (paths.privacy_journal(), "every request that left this machine"),
        (paths.reroutes(), "which lines were taken for sentences, and why"),
        (paths.marks(), "lines that you said are none"),
        (paths.interactions(), "what became of suggestions, for aside stats"),
        (paths.log_file(), "the daemon's log"),
        (paths.model_log(), "the log of a model server that the daemon started"),
        (paths.page_state(), "the port of the page, and the tabs that may come back"),
        (paths.socket.clone(), "the daemon's socket, with a lock file and the inbox of bash and fish beside it"),
    ];
    rows.map(|(path, about)| (shown(&path), about)).to_vec()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Besides these, every command exits with 2 on invalid arguments.
pub const EXITS: &[(&str, &[(&str, &str)])] = &[
    (
        "setup",
        &[
            ("0", "Aside is in a shell, and completes"),
            ("1", "it is in none, a new shell does not load it, or there is no terminal to ask at"),
        ],
    ),
    ("tutor", &[("0", "ended, or left"), ("1", "there is no terminal, or no zsh")]),
    ("try", &[("0", "left, however the shell ended"), ("1", "it could not start, or there is no terminal")]),
    ("doctor", &[("0", "nothing needs doing"), ("1", "something does")]),
    (
        "config",
        &[
            ("0", "done"),
            ("1", "the file cannot be written, or the editor failed"),
            ("2", "unknown key, wrong value, or a mistake in the file"),
        ],
    ),
    ("uninstall", &[("0", "removed"), ("1", "not confirmed")]),
    ("translate", &[("0", "a command was printed"), ("1", "no answer"), ("2", "no words, or no such directory")]),
    ("explain", &[("0", "explained"), ("1", "nothing is known about it")]),
    (
        "answer",
        &[
            ("0", "answered, also when the answer is that a model is needed"),
            ("1", "no answer"),
            ("2", "no words"),
            ("3", "the daemon could not be reached"),
            ("130", "stopped with Ctrl-C"),
        ],
    ),
    ("fix", &[("0", "a command was printed"), ("1", "no idea, or no command that failed")]),
    (
        "task",
        &[
            ("0", "answered, or carried out; a list, also an empty one"),
            ("1", "it failed, or the approved command did"),
            ("2", "the command line is wrong, or there is no such task"),
            ("3", "the daemon could not be reached"),
            ("4", "it waits for you, or was rejected"),
            ("130", "stopped with Ctrl-C"),
        ],
    ),
    ("chat", &[("0", "left"), ("2", "there is no terminal")]),
    ("web", &[("0", "done"), ("1", "the daemon or the browser could not be started")]),
    (
        "remote",
        &[
            ("0", "done"),
            ("1", "the chat is not reached, or nothing was confirmed"),
            ("2", "no robot or no secret was given"),
            ("3", "no daemon runs"),
        ],
    ),
    ("relay", &[("0", "done"), ("1", "the relay does not run, or refused it"), ("2", "there is no relay here")]),
    ("why", &[("0", "said"), ("1", "nothing was offered yet"), ("3", "no daemon runs")]),
    ("history", &[("0", "done"), ("1", "no command fits, or there is no file to import")]),
    ("log", &[("0", "done, also when nothing is noted")]),
    ("stats", &[("0", "done")]),
    ("privacy", &[("0", "done, also when nothing has left"), ("1", "a file cannot be read")]),
    ("model", &[("0", "done"), ("1", "there is no such model here, or it cannot be fetched")]),
    ("reader", &[("0", "done"), ("1", "it is not here, its file is damaged, or it cannot be installed")]),
    ("agent", &[("0", "done; doctor: it can be used"), ("1", "no such agent or program; doctor: it cannot be used")]),
    ("mcp", &[("0", "the other end has ended"), ("1", "mcp.enabled is off, or the connection broke")]),
    ("init", &[("0", "printed")]),
    ("daemon", &[("0", "done; stop: also when none runs"), ("3", "status: none runs")]),
    (
        "complete",
        &[
            ("0", "candidates were printed"),
            ("1", "there are none"),
            ("2", "the cursor is behind the line"),
            ("3", "the daemon could not be reached"),
        ],
    ),
    ("detect", &[("0", "whatever the verdict"), ("1", "wrong: no line to mark; a file cannot be read")]),
    (
        "suggest",
        &[
            ("0", "a command was printed, or nothing"),
            ("1", "a file cannot be read"),
            ("2", "a line of --session-file is no JSON object"),
        ],
    ),
    ("completions", &[("0", "printed")]),
    ("proxy", &[("other", "as the shell in it ended")]),
];
