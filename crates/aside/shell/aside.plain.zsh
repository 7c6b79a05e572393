# The part of Aside for zsh that runs widgets and functions of the user.
#
# A function read inside `emulate -c` lends its options to all that it calls, and a widget of the user counts on theirs. So aside.first.zsh
# reads this after aside.zsh and outside of `emulate -c`, only without aliases. It has to work with any options, and its local names must be
# ours: what it calls sees them.

# Runs the widget that one of ours took the place of, with the names, the keys, the count and the status that it would see without us: zsh
# expands `$?` at Tab. Each of our widgets keeps the status that it began with in _aside_entry, before anything else. See _aside_replace.
_aside_pass() {
  local _aside_to=$1 _aside_now=
  builtin shift
  case "${_aside_replaced[$_aside_to]-}" in
    '') _aside_zle "$_aside_to" -w -- "$@"; return $? ;;
    builtin) _aside_now=.$_aside_to ;;
    *) _aside_now=._aside_was_$_aside_to ;;
  esac
  # A plugin that we wrapped calls us as what was there before it.
  case "${_aside_passing:-} " in
    *" $_aside_to "*) _aside_now=._aside_first_$_aside_to ;;
  esac
  local _aside_passing="${_aside_passing:-} $_aside_to"
  case "${_aside_replaced[$_aside_to]-} $_aside_now" in
    completion:*' ._aside_was_'*) ;;
    *) _aside_zle "$_aside_now" -- "$@"; return $? ;;
  esac
  # zsh asks the widget that has the name for WIDGETSTYLE and WIDGETFUNC, so it has its name while it runs.
  zle -A "$_aside_now" "$_aside_to"
  {
    _aside_zle "$_aside_to" -- "$@"
  } always {
    case "${widgets[$_aside_to]-}" in
      "${_aside_replaced[$_aside_to]-}") zle -A "._aside_ours_$_aside_to" "$_aside_to" ;;
    esac
  }
}

# A condition, since a failed command might be an error for the user's shell.
_aside_zle() {
  if _aside_status $_aside_entry; then zle "$@"; else zle "$@"; fi
}

# Ends a widget as the one did whose place it took. zsh beeps where a widget fails that a key called; if that is a function, it also calls
# ZERR, and exits with err_exit, which it does for none of its own. Any widget called to beep would end a menu of the shell. An operator of
# vi has to know that its motion failed.
_aside_result() {
  if (( ! $1 )); then return 0; fi
  if [[ $KEYMAP == viopp ]] || ! _aside_is_key "$2"; then return $1; fi
  REGION_ACTIVE=0
  if [[ -o beep || -n ${ZBEEP-} ]]; then builtin print -n -- "${ZBEEP-\\a}" >$TTY; fi 2>/dev/null
  return 0
}

# Whether a key called the widget, not another widget.
_aside_is_key() {
  case $WIDGET in
    "$1"|_aside_*|aside-*) return 0 ;;
  esac
  return 1
}

# Takes the ghost text if there is some to take, or does what the widget always did.
_aside_key() {
  local _aside_entry=$? _aside_widget=$1 _aside_typed= _aside_whole=0 _aside_code=0
  builtin shift
  if _aside_is_key "$_aside_widget" && _aside_take; then
    _aside_note_change
    if [[ -n $_aside_taken ]]; then _aside_give; fi
    return 0
  fi
  _aside_pass "$_aside_widget" "$@" || _aside_code=$?
  if (( _aside_whole )); then _aside_note_change; _aside_taken; fi
  _aside_result $_aside_code "$_aside_widget"
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

# A key that had no meaning, in a keymap: what we do with it while something is shown. Shift-Tab completes as Tab does otherwise.
_aside_press() {
  local _aside_entry=$? _aside_slot=$1 _aside_map=$2 _aside_old=
  builtin shift 2
  if _aside_do "$_aside_slot"; then
    if [[ -n $_aside_taken ]]; then _aside_give; fi
    return 0
  fi
  if [[ $_aside_slot == back ]]; then _aside_slot=tab; fi
  _aside_old=${_aside_was_key[$_aside_slot $_aside_map]:-}
  if [[ -z $_aside_old ]]; then return 0; fi
  local _aside_inside=1 _aside_code=0
  _aside_pass "$_aside_old" "$@" || _aside_code=$?
  _aside_did
  _aside_result $_aside_code "$_aside_old"
}

_aside_tab_emacs() { _aside_press tab emacs "$@"; }
_aside_tab_viins() { _aside_press tab viins "$@"; }
_aside_back_emacs() { _aside_press back emacs "$@"; }
_aside_back_viins() { _aside_press back viins "$@"; }
_aside_next_emacs() { _aside_press next emacs "$@"; }
_aside_next_viins() { _aside_press next viins "$@"; }
_aside_previous_emacs() { _aside_press previous emacs "$@"; }
_aside_previous_viins() { _aside_press previous viins "$@"; }

# Stands for the widget on one of our keys: does what we do with the key while something is shown, or else what the widget does. Each widget
# has a copy of this function, which finds out from its own name for which one it stands.
_aside_at() {
  local _aside_entry=$? _aside_name= _aside_slot= _aside_code=0
  for _aside_name in "${funcstack[@]}"; do break; done
  _aside_name=${_aside_name#_aside_at_}
  if [[ $WIDGET == "$_aside_name" ]]; then
    case $KEYMAP in
      vicmd|viopp) ;;
      *) _aside_slot=${_aside_slots[$KEYS]-} ;;
    esac
  fi
  case $_aside_slot in
    ''|pause)
      case "$_aside_slot ${_aside_questions[$_aside_name]-}" in
        *' 1') _aside_asked=0; _aside_clear ;;
        'pause '*) if [[ -n $_aside_drawn ]]; then _aside_clear; fi ;;
      esac
      if [[ -z $_aside_drawn ]]; then _aside_disarm; fi
      _aside_pass "$_aside_name" "$@" || _aside_code=$? ;;
    *)
      if _aside_do "$_aside_slot"; then
        _aside_note_change
        if [[ -n $_aside_taken ]]; then _aside_give; fi
      else
        local _aside_inside=1
        _aside_pass "$_aside_name" "$@" || _aside_code=$?
        _aside_did
      fi ;;
  esac
  _aside_result $_aside_code "$_aside_name"
}

# Enter, in all its forms: the words of a query are not run, nor is prose. Any other line, or if anything is wrong with us, is accepted as
# usual.
_aside_enter() {
  local _aside_entry=$? _aside_widget=$1 _aside_cds=0 _aside_code=0
  builtin shift
  if ! _aside_is_key "$_aside_widget"; then
    _aside_pass "$_aside_widget" "$@"
    return $?
  fi
  if [[ $BUFFER == "$_aside_wish_mark"* ]] && _aside_wished; then _aside_note_change; return 0; fi
  if [[ -o auto_cd ]]; then _aside_cds=1; fi
  if _aside_talk_enter; then
    if [[ -n $_aside_taken ]]; then
      # This widget brings the line back at the next prompt.
      if [[ $_aside_widget == accept-and-hold ]]; then _aside_rescued=$_aside_taken; fi
      _aside_give
    fi
    return 0
  fi
  _aside_pass "$_aside_widget" "$@" || _aside_code=$?
  _aside_result $_aside_code "$_aside_widget"
}

_aside_key_accept-line() { _aside_enter accept-line "$@"; }
_aside_key_accept-and-hold() { _aside_enter accept-and-hold "$@"; }
_aside_key_accept-line-and-down-history() { _aside_enter accept-line-and-down-history "$@"; }
_aside_key_accept-and-infer-next-history() { _aside_enter accept-and-infer-next-history "$@"; }

# Ends the line as Ctrl-C does, and without a signal.
_aside_key_send-break() {
  local _aside_entry=$?
  if _aside_is_key send-break; then _aside_cut_short; fi
  _aside_pass send-break "$@"
}

# zsh-autocomplete completes in the background. zsh crashes if a trap runs where it begins to complete: so there is none meanwhile.
_aside_key_.autocomplete:async:complete:callback() {
  local _aside_entry=$? _aside_code=0
  _aside_disarm
  {
    _aside_pass .autocomplete:async:complete:callback "$@" || _aside_code=$?
  } always {
    if (( TRY_BLOCK_INTERRUPT )); then _aside_cut_short; fi
  }
  if [[ -n $_aside_drawn ]]; then _aside_arm; fi
  _aside_result $_aside_code .autocomplete:async:complete:callback
}

# Ends a line that was taken: nothing runs, not even what others would run for an empty line.
_aside_give() {
  _aside_remember "$_aside_taken"
  _aside_clear
  BUFFER= POSTDISPLAY=$_aside_taken
  region_highlight=()
  zle .accept-line
}

# A line ends, by whichever widget.
_aside_end() {
  local _aside_kept=
  _aside_finish
  if [[ -n $_aside_kept ]]; then _aside_remember "$_aside_kept"; fi
  if [[ -n $_aside_taken ]]; then _aside_leave_line; fi
  return 0
}

# Keeps a line in the history that zsh never gets to read, unless zsh or a hook of the user would not keep it. A line that such a hook wants
# in no file is dropped: there is no way to keep it only here.
_aside_remember() {
  local _aside_hook _aside_refused=0 _aside_blanks=0 REPLY=
  if [[ -o hist_ignore_space && $1 == ' '* ]]; then return 0; fi
  if [[ -o hist_reduce_blanks ]]; then _aside_blanks=1; fi
  for _aside_hook in zshaddhistory "${zshaddhistory_functions[@]-}"; do
    if [[ -n $_aside_hook ]] && (( ${+functions[$_aside_hook]} )); then
      "$_aside_hook" "$1"$'\n' || _aside_refused=1
    fi
  done
  if (( _aside_refused )); then return 0; fi
  _aside_as_history "$1" $_aside_blanks
  if [[ -o hist_ignore_dups && ${history[$((HISTCMD - 1))]-} == "$REPLY" ]]; then return 0; fi
  builtin print -rs -- "$REPLY"
}

# The prompt as it would be drawn now, into REPLY.
_aside_expand_prompt() { REPLY=${(%%)PROMPT}; } 2>/dev/null

# A key that is ours as long as it has something to do with a query or a list.
_aside_hold() {
  local _aside_entry=$? _aside_kind=$1 _aside_old= _aside_code=0
  builtin shift
  if _aside_menu_key "$_aside_kind" || _aside_wish_key "$_aside_kind"; then return 0; fi
  _aside_held_before "$_aside_kind"
  if [[ -z $_aside_old ]]; then return 0; fi
  _aside_zle "$_aside_old" -w -- "$@" || _aside_code=$?
  _aside_result $_aside_code "$_aside_old"
}

_aside_held_down() { _aside_hold down "$@"; }
_aside_held_up() { _aside_hold up "$@"; }
_aside_held_explain() { _aside_hold explain "$@"; }

# The widgets of zsh-autosuggestions take all that stands behind the line: these wrappers let them see the grey text alone.
_aside_around() {
  local _aside_code=0
  if [[ -n $_aside_shown && $1 != *partial* ]] && _aside_wish_motion accept; then return 0; fi
  _aside_only_ghost
  "$@" || _aside_code=$?
  _aside_whole_again
  return $_aside_code
}

_aside_around_accept() { _aside_around _aside_was_accept "$@"; }
_aside_around_partial_accept() { _aside_around _aside_was_partial_accept "$@"; }
_aside_around_execute() { _aside_around _aside_was_execute "$@"; }

# Around a highlighter that was loaded after us and wraps even the widget that calls us.
_aside_redrawn() {
  zle ._aside_theirs_redraw -- "$@" || :
  _aside_repaint
  if (( _aside_wishing )); then _aside_unpaint_words; fi
}

# Colours the line as for a widget that the highlighter wraps. One with a hook has done so already.
_aside_recolour() {
  if (( ${+functions[_zsh_highlight]} && ! ${+functions[_zsh_highlight__zle-line-pre-redraw]} )); then _zsh_highlight; fi
}

# Become TRAPINT and TRAPWINCH while something is shown; see aside.borrow.zsh. The status of the trap that was there before has to be
# returned here, or zsh goes on with the line. For what may stand here see _aside_wipe.
_aside_on_INT() {
  local _aside_code=$?
  if zle; then zle _aside_wipe; fi
  if (( _aside_trap_calls[INT] )); then
    # It sees the status that it would have seen.
    case $_aside_code in
      0) _aside_was_TRAPINT "$@" ;;
      *) _aside_status $_aside_code || _aside_was_TRAPINT "$@" ;;
    esac || _aside_trap_failed INT || return $?
    return 0
  fi
  return $(( 128 + $1 ))
}

_aside_on_WINCH() {
  if zle; then zle _aside_resized; fi
  if (( _aside_trap_calls[WINCH] )); then _aside_was_TRAPWINCH "$@" || _aside_trap_failed WINCH || return $?; fi
  return 0
}

_aside_status() { return $1; }

# For zsh the status of a trap counts if the function says `return`, and not if its last command fails.
_aside_trap_failed() {
  local _aside_code=$?
  if (( _aside_trap_calls[$1] == 2 )); then return $_aside_code; fi
  return 0
}

# Runs before the text of a trap that is no function, which sees the status that it would have seen; but a failure would end the shell where
# the user wants that.
_aside_before_INT() {
  local _aside_code=$?
  if zle; then zle _aside_wipe; fi
  if [[ ! -o err_exit && ! -o err_return ]]; then return $_aside_code; fi
}
_aside_before_WINCH() {
  local _aside_code=$?
  if zle; then zle _aside_resized; fi
  if [[ ! -o err_exit && ! -o err_return ]]; then return $_aside_code; fi
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
  if (( ! _aside_ends )); then _aside_hook line-finish _aside_end; fi
  # Enter first, since prose must not run even without a daemon.
  _aside_replace accept-line _aside_key_accept-line
  _aside_hook isearch-update _aside_search
  _aside_hook isearch-exit _aside_found
fi
:
