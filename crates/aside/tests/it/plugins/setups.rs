//! Which plugins are tested together, and how an rc file loads them.

use std::path::Path;

pub struct Setup {
    pub name: &'static str,
    /// The plugin directories and programs that it needs.
    needs: &'static [&'static str],
    /// Lines of the rc file; `$P` is the directory of the checkouts.
    pub rc: &'static str,
    pub keys: Keys,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    Emacs,
    Vi,
}

/// Where the rc file loads Aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Absent,
    First,
    Last,
}

impl Setup {
    pub fn is_there(&self, dir: &Path) -> bool {
        self.needs.iter().all(|name| dir.join(name).exists())
    }
}

/// The beginning of every setup's rc file. Nothing may use the network or wait for the user. `bindkey` loads the line editor,
/// without which some plugins do nothing; nearly every rc file has one.
pub const HEAD: &str = r#"
bindkey -e
HISTFILE=~/.zsh_history HISTSIZE=10000 SAVEHIST=10000
ZSH=$P/ohmyzsh ZSH_CACHE_DIR=~/.omz DISABLE_AUTO_UPDATE=true ZSH_DISABLE_COMPFIX=true
mkdir -p ~/.omz/completions
POWERLEVEL9K_DISABLE_CONFIGURATION_WIZARD=true POWERLEVEL9K_DISABLE_GITSTATUS=true
FAST_WORK_DIR=~/.fast; mkdir -p ~/.fast; touch ~/.fast/secondary_theme.zsh
frobnicate() { : }
"#;

const fn emacs(name: &'static str, needs: &'static [&'static str], rc: &'static str) -> Setup {
    Setup { name, needs, rc, keys: Keys::Emacs }
}

const fn vi(name: &'static str, needs: &'static [&'static str], rc: &'static str) -> Setup {
    Setup { name, needs, rc, keys: Keys::Vi }
}

pub const SETUPS: &[Setup] = &[
    emacs("bare", &[], "bindkey -e"),
    vi("vi", &[], "bindkey -v; KEYTIMEOUT=1"),
    emacs("compinit", &[], "autoload -Uz compinit; compinit -u"),
    emacs("omz", &["ohmyzsh"], "ZSH_THEME=robbyrussell plugins=(git); source $ZSH/oh-my-zsh.sh"),
    emacs(
        "omz-many",
        &["ohmyzsh"],
        "ZSH_THEME=agnoster plugins=(git sudo colored-man-pages dirhistory magic-enter safe-paste); source $ZSH/oh-my-zsh.sh",
    ),
    vi("omz-vi", &["ohmyzsh"], "KEYTIMEOUT=1 ZSH_THEME=robbyrussell plugins=(git vi-mode); source $ZSH/oh-my-zsh.sh"),
    emacs("autosuggestions", &["zsh-autosuggestions"], "source $P/zsh-autosuggestions/zsh-autosuggestions.zsh"),
    emacs(
        "highlighting",
        &["zsh-syntax-highlighting"],
        "source $P/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh",
    ),
    emacs(
        "both",
        &["zsh-autosuggestions", "zsh-syntax-highlighting"],
        "source $P/zsh-autosuggestions/zsh-autosuggestions.zsh\nsource $P/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh",
    ),
    emacs(
        "fast-highlighting",
        &["fast-syntax-highlighting"],
        "source $P/fast-syntax-highlighting/fast-syntax-highlighting.plugin.zsh",
    ),
    emacs(
        "deferred-highlighting",
        &["zsh-defer", "zsh-syntax-highlighting"],
        "source $P/zsh-defer/zsh-defer.plugin.zsh; zsh-defer source $P/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh",
    ),
    emacs(
        "deferred-fast",
        &["zsh-defer", "fast-syntax-highlighting", "zsh-autosuggestions"],
        "source $P/zsh-defer/zsh-defer.plugin.zsh; zsh-defer source $P/zsh-autosuggestions/zsh-autosuggestions.zsh; \
         zsh-defer source $P/fast-syntax-highlighting/fast-syntax-highlighting.plugin.zsh",
    ),
    emacs(
        "p10k",
        &["powerlevel10k"],
        "source $P/powerlevel10k/powerlevel10k.zsh-theme; source $P/powerlevel10k/config/p10k-lean.zsh; \
         POWERLEVEL9K_DISABLE_GITSTATUS=true POWERLEVEL9K_LEFT_PROMPT_ELEMENTS=(dir newline prompt_char) POWERLEVEL9K_RIGHT_PROMPT_ELEMENTS=(status)",
    ),
    emacs(
        "p10k-transient",
        &["powerlevel10k"],
        "source $P/powerlevel10k/powerlevel10k.zsh-theme; source $P/powerlevel10k/config/p10k-lean.zsh; \
         POWERLEVEL9K_DISABLE_GITSTATUS=true POWERLEVEL9K_LEFT_PROMPT_ELEMENTS=(dir newline prompt_char) POWERLEVEL9K_RIGHT_PROMPT_ELEMENTS=(status) POWERLEVEL9K_TRANSIENT_PROMPT=always",
    ),
    emacs("pure", &["pure"], "fpath+=($P/pure); autoload -Uz promptinit; promptinit; prompt pure"),
    emacs("spaceship", &["spaceship-prompt"], "source $P/spaceship-prompt/spaceship.zsh"),
    emacs("fzf-tab", &["fzf-tab"], "autoload -Uz compinit; compinit -u; source $P/fzf-tab/fzf-tab.plugin.zsh"),
    vi("zsh-vi-mode", &["zsh-vi-mode"], "source $P/zsh-vi-mode/zsh-vi-mode.plugin.zsh"),
    vi(
        "zsh-vi-mode-pure",
        &["zsh-vi-mode", "pure"],
        "fpath+=($P/pure); autoload -Uz promptinit; promptinit; prompt pure; source $P/zsh-vi-mode/zsh-vi-mode.plugin.zsh",
    ),
    emacs("autocomplete", &["zsh-autocomplete"], "source $P/zsh-autocomplete/zsh-autocomplete.plugin.zsh"),
    emacs(
        "substring-search",
        &["zsh-history-substring-search"],
        "source $P/zsh-history-substring-search/zsh-history-substring-search.zsh; \
         bindkey '^[[A' history-substring-search-up '^[OA' history-substring-search-up",
    ),
    emacs(
        "substring-highlighting",
        &["zsh-history-substring-search", "zsh-syntax-highlighting"],
        "source $P/zsh-syntax-highlighting/zsh-syntax-highlighting.zsh; \
         source $P/zsh-history-substring-search/zsh-history-substring-search.zsh; \
         bindkey '^[[A' history-substring-search-up '^[OA' history-substring-search-up",
    ),
    emacs("autopair", &["zsh-autopair"], "source $P/zsh-autopair/autopair.zsh; autopair-init"),
    emacs(
        "prezto",
        &["prezto"],
        "zstyle ':prezto:load' pmodule environment terminal editor history directory spectrum utility completion; \
         zstyle ':prezto:module:editor' key-bindings emacs; source $P/prezto/init.zsh",
    ),
    emacs(
        "zinit-turbo",
        &["zinit", "zsh-autosuggestions", "zsh-syntax-highlighting"],
        "typeset -A ZINIT=(HOME_DIR ~/.zinit); source $P/zinit/zinit.zsh; autoload -Uz compinit; compinit -u; \
         zinit ice wait lucid; zinit light $P/zsh-autosuggestions; \
         zinit ice wait lucid; zinit light $P/zsh-syntax-highlighting",
    ),
    emacs(
        "antidote",
        &["antidote", "zsh-autosuggestions", "zsh-history-substring-search"],
        // Behind `<(...)` it stops for the terminal, without Aside too.
        "source $P/antidote/antidote.zsh; print -l $P/zsh-autosuggestions $P/zsh-history-substring-search >|~/.plugins; \
         antidote bundle <~/.plugins >|~/.plugins.zsh; source ~/.plugins.zsh",
    ),
    emacs(
        "completions",
        &["zsh-completions"],
        "fpath=($P/zsh-completions/src $fpath); autoload -Uz compinit; compinit -u",
    ),
    emacs(
        "you-should-use",
        &["zsh-you-should-use"],
        "alias gst='git status'; source $P/zsh-you-should-use/you-should-use.plugin.zsh",
    ),
    emacs(
        "direnv-zoxide",
        &["/usr/bin/direnv", "/usr/bin/zoxide"],
        r#"eval "$(direnv hook zsh)"; eval "$(zoxide init zsh)""#,
    ),
    emacs("fzf-keys", &[], "source /usr/share/doc/fzf/examples/key-bindings.zsh"),
    emacs(
        "all",
        &["ohmyzsh", "powerlevel10k", "fzf-tab", "zsh-autosuggestions", "fast-syntax-highlighting"],
        "ZSH_THEME= plugins=(git sudo); source $ZSH/oh-my-zsh.sh; source $P/fzf-tab/fzf-tab.plugin.zsh; \
         source $P/zsh-autosuggestions/zsh-autosuggestions.zsh; \
         source $P/fast-syntax-highlighting/fast-syntax-highlighting.plugin.zsh; \
         source $P/powerlevel10k/powerlevel10k.zsh-theme; source $P/powerlevel10k/config/p10k-lean.zsh; \
         POWERLEVEL9K_DISABLE_GITSTATUS=true POWERLEVEL9K_LEFT_PROMPT_ELEMENTS=(dir newline prompt_char) POWERLEVEL9K_RIGHT_PROMPT_ELEMENTS=(status)",
    ),
];
