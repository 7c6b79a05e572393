//! The differences between zsh, bash and fish: where their files are, how they start, how their prompts are numbered.

use std::process::Command;

use crate::harness::home::Home;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shell {
    Zsh,
    Bash,
    Fish,
}

/// The keys that ask a shell whether it is idle, and how it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settling {
    pub keys: &'static str,
    pub signs: Signs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signs {
    /// `OSC 7777`, which draws nothing.
    Mark,
    MarkThenBell,
}

impl Shell {
    pub fn name(self) -> &'static str {
        match self {
            Shell::Zsh => "zsh",
            Shell::Bash => "bash",
            Shell::Fish => "fish",
        }
    }

    /// An interactive shell, without the machine's own start-up files where the shell can skip them. (bash cannot:
    /// `/etc/bash.bashrc` is compiled in.) `ASIDE_TEST_ZSH`, `ASIDE_TEST_BASH` and `ASIDE_TEST_FISH` name another executable, to
    /// test other versions.
    pub fn command(self, home: &Home) -> Command {
        let other = std::env::var(format!("ASIDE_TEST_{}", self.name().to_uppercase())).ok();
        let mut command = home.command(other.as_deref().unwrap_or(self.name()));
        match self {
            Shell::Zsh => command.args(["-d", "-i"]),
            Shell::Bash | Shell::Fish => command.arg("-i"),
        };
        command
    }

    pub fn rc_file(self) -> &'static str {
        match self {
            Shell::Zsh => ".zshrc",
            Shell::Bash => ".bashrc",
            Shell::Fish => ".config/fish/config.fish",
        }
    }

    /// The line that the README tells users to add.
    pub fn init_line(self) -> &'static str {
        match self {
            Shell::Zsh => r#"eval "$(aside init zsh)""#,
            Shell::Bash => r#"eval "$(aside init bash)""#,
            Shell::Fish => "aside init fish | source",
        }
    }

    /// Numbers the prompts, so that a test never takes the last prompt for the next one. The number advances with each new prompt,
    /// not when a prompt is redrawn.
    pub fn stage_directions(self) -> &'static str {
        match self {
            Shell::Zsh => ZSH,
            Shell::Bash => BASH,
            Shell::Fish => FISH,
        }
    }

    /// Keys that no terminal sends. The shell answers them with invisible marks, once it has drawn everything and waits for input:
    /// see `Scene::settles`.
    pub fn settling(self) -> Settling {
        match self {
            // zsh runs the handler of a descriptor only when no key is left and the line is drawn.
            Shell::Zsh => Settling { keys: "\x1b[99~", signs: Signs::Mark },
            // readline redraws the line after a shell command, so the mark is not yet the end; the bell is.
            Shell::Bash => Settling { keys: "\x1b[99~\x1b[98~", signs: Signs::MarkThenBell },
            // fish draws before it reads the next key. fish 4 ignores keys that it has no name for; this is Shift-F10.
            Shell::Fish => Settling { keys: "\x1b[34~", signs: Signs::Mark },
        }
    }

    /// Files without which the shell does extra work on its first start.
    pub fn prepare(self, home: &Home) {
        if self == Shell::Fish {
            // Otherwise fish parses every manual page in the background.
            home.write(".local/share/fish/generated_completions/.keep", "");
        }
    }

    /// Writes the shell's own history file, oldest command first.
    pub fn write_history(self, home: &Home, commands: &[String]) {
        let stamped = commands.iter().zip(1_700_000_000u64..);
        match self {
            Shell::Zsh => {
                let entries = stamped.map(|(command, when)| format!(": {when}:0;{}\n", command.replace('\n', "\\\n")));
                home.write(".zsh_history", metafied(&entries.collect::<String>()));
            }
            Shell::Bash => {
                let entries = commands.iter().map(|command| {
                    assert!(!command.contains('\n'), "bash's plain history file cannot hold several lines: {command}");
                    format!("{command}\n")
                });
                home.write(".bash_history", entries.collect::<String>());
            }
            Shell::Fish => {
                let entries = stamped.map(|(command, when)| {
                    let escaped = command.replace('\\', "\\\\").replace('\n', "\\n");
                    format!("- cmd: {escaped}\n  when: {when}\n")
                });
                home.write(".local/share/fish/fish_history", entries.collect::<String>());
            }
        }
    }
}

/// zsh escapes ("metafies") the bytes that it reserves, in its history file too.
fn metafied(text: &str) -> Vec<u8> {
    const META: u8 = 0x83;
    let mark = |byte: u8| match byte {
        0 | META..=0xa2 => vec![META, byte ^ 0x20],
        plain => vec![plain],
    };
    text.bytes().flat_map(mark).collect()
}

/// Home and End as every distribution's own zshrc binds them.
const ZSH: &str = r#"
HISTFILE=~/.zsh_history HISTSIZE=10000 SAVEHIST=10000
typeset -gi _scene_number=0
_scene_prompt() { (( ++_scene_number )); PS1="$_scene_number> " }
precmd_functions+=(_scene_prompt)
_scene_settle() { local fd; exec {fd}</dev/null; zle -F $fd _scene_mark }
_scene_mark() { zle -F $1; exec {1}<&-; print -n '\e]7777;\a' >$TTY }
zle -N _scene_settle
for _scene_map in emacs viins vicmd; do
  bindkey -M $_scene_map '^[[99~' _scene_settle
  bindkey -M $_scene_map '^[[H' beginning-of-line '^[OH' beginning-of-line
  bindkey -M $_scene_map '^[[F' end-of-line '^[OF' end-of-line
done
unset _scene_map
"#;

const BASH: &str = r#"
_scene_number=0
_scene_prompt() {
  local code=$?
  _scene_number=$((_scene_number + 1))
  PS1="$_scene_number> "
  return "$code"
}
PROMPT_COMMAND=_scene_prompt
for _scene_map in emacs vi-insert vi-command; do
  bind -m $_scene_map -x '"\e[99~": printf "\e]7777;\a"'
  bind -m $_scene_map '"\e[98~": abort'
done
unset _scene_map
"#;

/// After a cancelled line fish redraws the old prompt; here that counts as a new one.
const FISH: &str = r#"
set -g fish_greeting
set -g _scene_number 0
function _scene_count --on-event fish_prompt
    set -g _scene_number (math $_scene_number + 1)
end
function _scene_cancel --on-event fish_cancel
    _scene_count
    commandline -f repaint
end
function fish_prompt
    echo -n "$_scene_number> "
end
for _scene_map in default insert
    bind -M $_scene_map \e\[34~ 'printf "\e]7777;\a"'
end
set -e _scene_map
"#;
