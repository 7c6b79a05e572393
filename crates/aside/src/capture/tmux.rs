//! The pipe of a tmux pane: which pane a shell is in, and the arguments with which tmux opens that pipe to `aside sink`. Checks what a
//! shell says before it becomes part of a command. Starts nothing: `exec` does.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A pane keeps its number for as long as its server lives; the next server on that socket counts anew.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pane {
    socket: PathBuf,
    /// The server's pid.
    server: String,
    id: String,
}

/// Why a shell is in no pane that can be captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPane {
    NoTmux,
    /// The variables do not name a pane.
    Garbled,
    /// The server has ended, or belongs to another user.
    NotOurs,
}

/// Asks a server to pipe a pane to our sink unless it already has a pipe, in one command, so that there is no race. Constructed only here,
/// from checked values.
pub struct PipeRequest {
    socket: PathBuf,
    words: Vec<String>,
}

/// The server's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TmuxReply {
    Opened,
    /// The pane has another pipe; tmux does not tell whose.
    Taken,
    /// The pane has another terminal: the shell runs in a pty that was opened inside it.
    Elsewhere,
    NoSuchPane,
    /// tmux did not understand.
    Refused,
}

impl Pane {
    /// `$TMUX` and `$TMUX_PANE`.
    pub fn of(tmux: &str, pane: &str) -> Result<Self, NoPane> {
        if tmux.is_empty() || pane.is_empty() {
            return Err(NoPane::NoTmux);
        }
        // The path of the socket, the server's pid, the session. The path may contain commas itself.
        let mut parts = tmux.rsplitn(3, ',');
        let (_session, server) = (parts.next(), parts.next().unwrap_or_default());
        let socket = parts.next().map(Path::new).filter(|socket| socket.is_absolute());
        let number = pane.strip_prefix('%').filter(|number| (1..=9).contains(&number.len()));
        let is_pane = number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        let Some(socket) = socket.filter(|_| is_pane) else { return Err(NoPane::Garbled) };
        let ours = rustix::process::getuid().as_raw();
        let is_ours = |meta: &std::fs::Metadata| meta.file_type().is_socket() && meta.uid() == ours;
        if !std::fs::metadata(socket).is_ok_and(|meta| is_ours(&meta)) {
            return Err(NoPane::NotOurs);
        }
        Ok(Self { socket: socket.to_owned(), server: server.to_owned(), id: pane.to_owned() })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn socket(&self) -> &Path {
        &self.socket
    }
}

/// Whether it looks like a terminal's name, and has no special meaning to tmux or to a shell.
pub fn is_terminal(tty: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    tty.len() <= MAX_TTY && tty.starts_with("/dev/") && tty.bytes().all(plain)
}

/// Cap on a terminal's name, in bytes.
const MAX_TTY: usize = 64;

impl PipeRequest {
    /// `None` if `tty` is not a terminal's name.
    pub fn new(pane: &Pane, tty: &str, program: &Path, socket: &Path) -> Option<Self> {
        if !is_terminal(tty) {
            return None;
        }
        let id = pane.id();
        let sink = format!("exec {} sink --tty {tty} --socket {}", word(program), word(socket));
        // No flag means the same as -O, also to an older tmux that lacks it. Not -o, which closes a pipe that is open.
        let open = format!("pipe-pane -t {id} '{sink}' ; display-message -p opened ; {}", yields_to_toggle(id));
        let other = format!("display-message -p -t {id} '#{{pane_tty}} #{{pane_pipe}}'");
        let free = format!("#{{==:#{{pane_tty}} #{{pane_pipe}},{tty} 0}}");
        let words = ["if-shell", "-F", "-t", id, &free, &open, &other].map(str::to_owned).to_vec();
        Some(Self { socket: pane.socket.clone(), words })
    }

    /// The arguments of `tmux`.
    pub fn arguments(&self) -> Vec<OsString> {
        let server = [OsString::from("-S"), self.socket.clone().into_os_string()];
        server.into_iter().chain(self.words.iter().map(OsString::from)).collect()
    }
}

/// Makes the user's own `pipe-pane -o COMMAND` work at once. It closes a pipe that is open, which the user does not know of: ours. So a
/// hook of the pane, which removes itself, opens the pipe with that command, expanded as `pipe-pane` does. A hook of the user stays. Written
/// so that a tmux without such hooks has opened our pipe before it finds an error.
fn yields_to_toggle(id: &str) -> String {
    let reopen = format!("pipe-pane -t {id} '#{{T:hook_argument_0}}'");
    let closed = "#{&&:#{hook_flag_o},#{==:#{pane_pipe},0}}";
    let hook =
        format!("set-hook -pu -t {id} after-pipe-pane ; if-shell -F -t {id} '{closed}' {}", double_quoted(&reopen));
    let set = format!("set-hook -p -t {id} after-pipe-pane {}", double_quoted(&hook));
    format!("if-shell -F -t {id} '#{{?#{{after-pipe-pane[0]}},0,1}}' {}", double_quoted(&set))
}

/// A word of a tmux command. `text` has no `$`, which tmux would expand.
fn double_quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
}

impl TmuxReply {
    /// Parses tmux's output.
    pub fn of(printed: &str, tty: &str) -> Self {
        match printed.trim_end_matches('\n') {
            "opened" => TmuxReply::Opened,
            "" => TmuxReply::Refused,
            other => match other.split_once(' ') {
                Some(("", _)) => TmuxReply::NoSuchPane,
                Some((terminal, "1")) if terminal == tty => TmuxReply::Taken,
                Some((terminal, _)) if terminal != tty && is_terminal(terminal) => TmuxReply::Elsewhere,
                Some(_) | None => TmuxReply::Refused,
            },
        }
    }
}

/// Whether a key binding of the user toggles a pane's pipe (`pipe-pane -o`): it would close our pipe instead of opening theirs. `keys` is
/// the output of `list-keys`.
pub fn toggles(keys: &str) -> bool {
    let bare = |word: &str| word.trim_matches(|char| matches!(char, '"' | '\'' | '{' | '}' | '\\')).to_owned();
    keys.lines().any(|line| {
        let mut words = line.split_whitespace().map(bare);
        if !words.any(|word| word == "pipe-pane" || word == "pipep") {
            return false;
        }
        while let Some(flags) = words.next().filter(|word| word.starts_with('-')) {
            if flags.contains('o') {
                return true;
            }
            if flags.ends_with('t') {
                words.next();
            }
        }
        false
    })
}

/// Quotes a path for a shell, using only characters that mean nothing within tmux's single quotes, nor to its formats, nor to strftime,
/// which expands `%`. Most paths are plain; for the others the shell decodes octal escapes.
fn word(path: &Path) -> String {
    let bytes = path.as_os_str().as_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._+@:=-".contains(byte);
    if bytes.iter().all(is_plain) {
        return path.display().to_string();
    }
    let spelled = bytes.iter().map(|byte| match byte {
        byte if is_plain(byte) => char::from(*byte).to_string(),
        byte => format!("\\{byte:03o}"),
    });
    format!("\"$(printf \"{}\")\"", spelled.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn a_pane_is_one_of_a_server_of_ours() {
        let temp = tempfile::tempdir().unwrap();
        let socket = temp.path().join("a,b");
        let _listener = UnixListener::bind(&socket).unwrap();
        let told = format!("{},812,0", socket.display());
        let pane = Pane::of(&told, "%3").unwrap();
        assert_eq!((pane.socket(), pane.id()), (socket.as_path(), "%3"));
        assert_ne!(Pane::of(&format!("{},813,0", socket.display()), "%3"), Ok(pane), "of the next server");
        assert_eq!(Pane::of("", "%3"), Err(NoPane::NoTmux));
        assert_eq!(Pane::of(&told, ""), Err(NoPane::NoTmux));
        for pane in ["3", "%", "%3;kill-server", "%3 ", "%-1", "%9999999999", "%٣"] {
            assert_eq!(Pane::of(&told, pane), Err(NoPane::Garbled), "{pane}");
        }
        for tmux in ["relative,812,0", "/no/commas", ",,"] {
            assert_eq!(Pane::of(tmux, "%3"), Err(NoPane::Garbled), "{tmux}");
        }
        let file = temp.path().join("file");
        std::fs::write(&file, "").unwrap();
        for path in [file, temp.path().join("missing")] {
            assert_eq!(Pane::of(&format!("{},1,0", path.display()), "%3"), Err(NoPane::NotOurs));
        }
    }

    #[test]
    fn a_terminal_has_a_plain_name() {
        for (tty, is) in [
            ("/dev/pts/3", true),
            ("/dev/ttys003", true),
            ("/dev/pts/3'; rm -rf /", false),
            ("/dev/#{pane_id}", false),
            ("/dev/pts/3,0", false),
            ("pts/3", false),
            ("", false),
        ] {
            assert_eq!(is_terminal(tty), is, "{tty}");
        }
    }

    #[test]
    fn a_path_is_plain_or_made_of_numbers() {
        assert_eq!(word(Path::new("/home/me/.cargo/bin/aside")), "/home/me/.cargo/bin/aside");
        assert_eq!(word(Path::new("/a b/#{x}'$%H")), r##""$(printf "/a\040b/\043\173x\175\047\044\045H")""##);
    }

    #[test]
    fn odd_paths_reach_a_shell_as_they_are() {
        for path in
            ["/a b/it's", "/$HOME/`id`/\"", "/#{pane_id}/#[x]/##", "/%H%%/\\n\\040", "/é/\u{1f980}", "/a\nb;c", "/-n"]
        {
            let script = format!("printf %s {}", word(Path::new(path)));
            if let Some(printed) = crate::exec::printed_by("sh", &["-c", &script]) {
                assert_eq!(printed, path);
            }
        }
    }

    #[test]
    fn what_the_server_says_is_understood() {
        let said = |printed: &str| TmuxReply::of(printed, "/dev/pts/3");
        assert_eq!(said("opened\n"), TmuxReply::Opened);
        assert_eq!(said("/dev/pts/3 1\n"), TmuxReply::Taken);
        assert_eq!(said("/dev/pts/4 0\n"), TmuxReply::Elsewhere);
        assert_eq!(said("/dev/pts/4 1\n"), TmuxReply::Elsewhere);
        assert_eq!(said(" \n"), TmuxReply::NoSuchPane);
        assert_eq!(said(""), TmuxReply::Refused);
        assert_eq!(said("usage: if-shell\n"), TmuxReply::Refused);
    }

    #[test]
    fn a_key_that_toggles_the_pipe_is_noticed() {
        for (keys, does) in [
            ("bind-key -T prefix C-p pipe-pane -o \"cat >>~/output.#I-#P\"", true),
            ("bind-key -T prefix P if-shell x \"pipe-pane -Oo cat\"", true),
            ("bind-key -T root F5 { pipep -t 1 -o cat }", true),
            ("bind-key -T root F5 { pipep -t -o cat }", false),
            ("bind-key -T prefix C-p pipe-pane \"cat -o x\"", false),
            ("bind-key -T prefix o select-pane -t :.+", false),
            ("bind-key -T prefix P pipe-pane", false),
        ] {
            assert_eq!(toggles(keys), does, "{keys}");
        }
    }
}
