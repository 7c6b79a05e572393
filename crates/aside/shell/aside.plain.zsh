# The part of Aside for zsh that runs widgets and functions of the person's own.
#
# A function read inside `emulate -c` lends its options to all that it calls, and a widget somebody wrote counts on theirs.
# So aside.first.zsh reads this after aside.zsh and outside of `emulate -c`, only without aliases. It has to work with any
# options, and its local names must be ours: what it calls sees them.

# Takes the ghost text if there is some to take, or does what the widget always did.
_aside_key() {
  local _aside_widget=$1 _aside_typed= _aside_code=0
  shift
  if _aside_take; then return 0; fi
  zle "$_aside_widget" -- "$@" || _aside_code=$?
  if [[ -n $_aside_typed ]]; then _aside_taken; fi
  return $_aside_code
}

_aside_key_forward-char() { _aside_key forward-char "$@"; }
_aside_key_end-of-line() { _aside_key end-of-line "$@"; }
_aside_key_vi-forward-char() { _aside_key vi-forward-char "$@"; }
_aside_key_vi-end-of-line() { _aside_key vi-end-of-line "$@"; }
_aside_key_forward-word() { _aside_key forward-word "$@"; }
_aside_key_emacs-forward-word() { _aside_key emacs-forward-word "$@"; }
_aside_key_vi-forward-word() { _aside_key vi-forward-word "$@"; }
_aside_key_vi-forward-blank-word() { _aside_key vi-forward-blank-word "$@"; }
aside-accept() { _aside_key end-of-line "$@"; }
aside-accept-word() { _aside_key forward-word "$@"; }

# Around a highlighter that was loaded after us and wraps even the widget that calls us.
_aside_redrawn() {
  zle _aside_was_redraw -- "$@" || :
  _aside_repaint
}

# Becomes TRAPINT. What it was before has to say `return` here, or zsh goes on with the line.
_aside_trapped() {
  if zle; then zle _aside_wipe; fi
  if (( ${+functions[_aside_was_TRAPINT]} )); then _aside_was_TRAPINT "$@"; return $?; fi
  return $(( 128 + $1 ))
}

# `case`, because it leaves $? alone.
_aside_again() {
  case ${+functions[precmd]} in
    1) precmd ;;
  esac
}

if (( ! ${_aside_hooked_all:-0} )); then
  typeset -gi _aside_hooked_all=1
  _aside_hook line-pre-redraw _aside_edit
  _aside_hook line-finish _aside_end
  _aside_hook isearch-update _aside_search
  _aside_hook isearch-exit _aside_found
fi
:
