# For zinit, antidote, oh-my-zsh and other plugin managers. Needs `aside` on PATH.
(( $+commands[aside] )) && eval "$(aside init zsh)"
