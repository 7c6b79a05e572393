# The next command: the marks between which outputs are captured, the question what comes after a command, and the reply, grey on the empty
# line. Read like aside.zsh, and after it.
#
# A command keeps its terminal: nothing is redirected, and the daemon decides whether its output is captured. The question is asked twice.
# First where the prompt is still being made, on a connection that is closed at once, so that the daemon works meanwhile; then with the
# line, and only then can the reply be received.

typeset -gi _aside_suggests=${_aside_suggests:-0}  # What the settings say about it,
typeset -g _aside_capture=${_aside_capture-}       # and about outputs.
typeset -gi _aside_untold=1                  # The daemon does not know yet where we are.
typeset -g _aside_nonce=${_aside_nonce-}     # Stands in our marks, so that no other program can write them.
typeset -g _aside_osc=${_aside_osc-}         # How a mark begins; empty when nothing captures.
typeset -ga _aside_skip _aside_skip_bare     # Programs that take over the terminal: always, or without an argument.
typeset -gi _aside_line_number=0             # The number of the command that runs now,
typeset -gi _aside_marked=0                  # and whether its beginning was marked.
typeset -ga _aside_ended                     # The line that ended before this one: number, text, status, whether it is private.
typeset -gi _aside_next_id=0                 # The question what comes after it; replies with other numbers are stale.
typeset -gi _aside_next_unsent=0             # There was no room for it.
typeset -ga _aside_next                      # Its reply: command, source, warning, confidence;
typeset -g _aside_next_text=                 # and the command again, as long as it is shown.

# Where we are

_aside_configure_next() {
  _aside_suggests=0 _aside_capture=${2-}
  [[ ${1:-off} == on ]] && _aside_suggests=1
  [[ -n $_aside_capture ]] || _aside_osc=
  return 0
}

# Tells the daemon, which then starts a capture, or not.
_aside_tell_place() {
  (( _aside_untold && _aside_fd )) && [[ -n $_aside_capture ]] || return 0
  [[ -n $_aside_nonce ]] || _aside_make_nonce || return 0
  _aside_send $(( _aside_seq + 1 )) capture "$_aside_session" "$_aside_nonce" "${TTY-}" "${TMUX-}" "${TMUX_PANE-}" \
    "${ASIDE_PROXY-}" || return 0
  (( ++_aside_seq ))
}

_aside_make_nonce() {
  setopt localoptions no_multibyte
  local bytes= byte nonce=
  { sysread -s 8 bytes } 2>/dev/null </dev/urandom
  (( $#bytes == 8 )) || return 1
  for byte in "${(@s::)bytes}"; do nonce+=${(l:2::0:)$(( [##16] #byte ))}; done
  _aside_nonce=${(L)nonce}
}

# Number, verb, tier, reason, and the programs of both kinds.
_aside_placed() {
  # A line may have ended before its reply was read: then the next one sends it again.
  _aside_untold=0
  _aside_skip=(${(s: :)5-}) _aside_skip_bare=(${(s: :)6-})
  case ${3-} in
    tmux) _aside_osc=133 ;;
    # A private number: some terminals draw something at 133.
    pty) _aside_osc=7133 ;;
    *) _aside_osc= ;;
  esac
}

# Marks

# Before a command runs: the line as zsh has read it, with aliases resolved.
_aside_mark_begin() {
  [[ -n $_aside_osc && -n $_aside_nonce && -t 1 ]] && (( ! ZSH_SUBSHELL )) || return 0
  _aside_takes_over "$1" && return 0
  _aside_marked=1
  builtin print -rn -- $'\e]'"$_aside_osc;C;aside=$_aside_nonce.$_aside_line_number.$COLUMNS.$LINES"$'\a' 2>/dev/null
}

_aside_mark_end() {
  _aside_marked=0
  [[ -n $_aside_osc && -t 1 ]] || return 0
  builtin print -rn -- $'\e]'"$_aside_osc;D;$1;aside=$_aside_nonce.$_aside_line_number"$'\a' 2>/dev/null
}

# Whether a command in the line takes over the terminal. A mistake costs an output that is not captured, or one that the emulator rejects as
# no text; so a quick heuristic is enough, and only the beginning of a long line counts.
_aside_takes_over() {
  local word text=${1[1,512]}
  local -a words
  # Mostly none of their names is in it at all.
  words=(${(s: :)text//[\'\"\\;|&()$'\n\t']/ })
  words=(${words:t})
  (( ${#words:*_aside_skip} + ${#words:*_aside_skip_bare} )) || return 1
  local -i first=1 doubt=0 bare=0 target=0
  words=("${(@z)text}")
  for word in "${(@)words[1,64]}"; do
    case $word in
      ';'|'&'|'&&'|'||'|'|'|'|&'|'&!'|'&|'|'('|'{'|'!'|do|then|else|elif|if|while|until)
        (( bare )) && return 0
        first=1 doubt=0
        continue ;;
    esac
    if (( ! first )); then
      if (( target )); then
        target=0
      elif [[ $word == (<->|)\>* ]]; then
        target=1
      elif [[ $word != -* ]]; then
        bare=0
      fi
      continue
    fi
    case $word in
      [[:alpha:]_]*=*) continue ;;
      # An option of a program that runs another; what follows may be its value.
      -*) doubt=1; continue ;;
    esac
    word=${${(Q)word}:t}
    case $word in
      sudo|doas|env|command|builtin|exec|time|noglob|nocorrect|nice|nohup|stdbuf|setsid) continue ;;
    esac
    (( $_aside_skip[(Ie)$word] )) && return 0
    (( $_aside_skip_bare[(Ie)$word] )) && bare=1
    if (( doubt && ! bare )); then doubt=0; else first=0; fi
  done
  (( bare ))
}

# Asking

# Leaves in `record` the question about the line that ended.
_aside_next_question() {
  local REPLY
  _aside_is_private
  REPLY=$(( REPLY || ${_aside_ended[4]:-0} ))
  record=($(( ++_aside_seq )) suggest "$_aside_session" "$PWD" "$_aside_ended[2]" $_aside_ended[3] zsh $_aside_ended[1] $REPLY 0)
}

# A line ended, and its prompt is still to come. Never waits: a daemon that replied last time accepts the connection and what is written to
# it, whatever it is doing, and one that did not is left alone.
_aside_next_fetch() {
  (( _aside_suggests && _aside_on && _aside_greeted && ! _aside_mute && EPOCHREALTIME >= _aside_retry_at )) &&
    [[ $_aside_transport == socket && -S $_aside_socket && -O $_aside_socket ]] || return 0
  # Not while the daemon still lacks our PATH.
  [[ $PATH == "${_aside_counted[path]-}" && ${_aside_kinds[1]-} != path ]] || return 0
  local REPLY text
  local -a record
  local -i fd
  _aside_next_question
  text="$#record"$'\0'${(pj:\0:)record}$'\0'
  (( $#text < 4096 )) || return 0
  # Any number will do: it is free again at once.
  zsocket $_aside_socket 2>/dev/null || return 0
  fd=$REPLY
  syswrite -o $fd -- "$text" 2>/dev/null
  # The braces take the redirection, so that `exec` does not make it last.
  { exec {fd}<&- } 2>/dev/null
  return 0
}

# With the line that begins, or as soon as there is room.
_aside_next_send() {
  _aside_next_unsent=0
  (( _aside_suggests && $#_aside_ended && _aside_fd && ! _aside_next_id && ! $#_aside_next && ! _aside_edited )) || return 0
  [[ $CONTEXT == start && -z $BUFFER$_aside_drawn$_aside_query$_aside_proposal ]] && (( ! PENDING )) || return 0
  local -a record
  [[ ${_aside_kinds[1]-} == path ]] && _aside_name 1
  _aside_next_question
  if _aside_send "${(@)record}"; then
    _aside_next_id=$_aside_seq _aside_awaited[$_aside_seq]=1
  else
    _aside_next_unsent=1
  fi
  return 0
}

# The answer

# Number, verb, state, command, source, reason, warning, confidence. There may be another reply, with a better suggestion. A warning without
# a command is a note, and goes with the next key.
_aside_next_heard() {
  [[ $1 == $_aside_next_id ]] || return 0
  if [[ -z ${4-} ]]; then
    [[ -n ${7-} && -z $BUFFER ]] && _aside_may_show && (( ! PENDING )) && zle -M -- "${7[1,3*COLUMNS-1]}"
    return 0
  fi
  _aside_next=("$4" "${5-}" "${7-}" "${8:-0}")
  _aside_next_show
}

# Shows it, if its place is still empty and no key was pressed since. What is shown is never replaced by the next reply.
_aside_next_show() {
  # Not before it is known whether the line was prose, or it would have to be removed again.
  (( $#_aside_next && ! _aside_after_id )) || return 0
  _aside_next_id=0
  if ! _aside_may_show || (( PENDING || _aside_edited || _aside_dismissed || _aside_due || HISTNO != _aside_histno )) ||
    [[ -n $BUFFER$_aside_drawn$_aside_query$_aside_proposal || $KEYMAP == vi(cmd|opp) ]]; then
    _aside_next=()
    return 0
  fi
  # zsh-autosuggestions takes text behind the line for its own.
  _aside_quieten
  _aside_next_text=$_aside_next[1]
  _aside_candidates=("$_aside_next_text") _aside_cursors=('') _aside_abouts=('') _aside_index=1 _aside_for= _aside_behind=
  _aside_draw
  zle -R
}

# Drops it: the line was prose.
_aside_next_drop() {
  _aside_next=() _aside_next_id=0
  [[ -n $_aside_next_text ]] && _aside_clear
  return 0
}

# What it may destroy, below it.
_aside_next_warn() {
  local REPLY
  _aside_cut=0
  _aside_fits || return 0
  _aside_cut_to $(( COLUMNS - 1 )) "! $_aside_next[3]"
  _aside_bar=$REPLY _aside_warns=1
}

# It is shown no more. If it was taken, it is in the line, to be read and not completed.
_aside_next_gone() {
  local text=$_aside_next_text source=$_aside_next[2] confidence=$_aside_next[4]
  _aside_next_text= _aside_next=()
  if [[ $BUFFER == "$text" ]]; then
    # Typing it to its last letter counts as neither taken nor dismissed.
    if (( $#BUFFER > $#_aside_for + 1 )); then
      _aside_outcome accept '' "$text" "$source" "$confidence"
      _aside_took=("$text" '' "$source" "$confidence")
      _aside_dismissed=1 _aside_hushed=$BUFFER _aside_asked=0
    fi
  else
    _aside_outcome dismiss '' "$text" "$source" "$confidence"
  fi
  [[ $_aside_enabled$_aside_autosuggestions == 1replace ]] || _aside_restore
}

# A line ends, or is interrupted: forgets what came before it.
_aside_next_end() {
  _aside_ended=() _aside_next=() _aside_next_id=0 _aside_next_unsent=0
}
