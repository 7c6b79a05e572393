# Queries: a line that begins with `? ` says in plain words what is wanted, and the daemon replies with a command. Read like aside.zsh, and
# after it; aside.below.zsh draws it.
#
# The words are never run. Enter, like Tab, replaces the line with what is shown, for the user to look at and to run; where there is nothing
# to take yet it asks at once and takes the reply, as long as the line stays what it is.

typeset -g _aside_wish_mark='? '             # How a query begins; a NUL, which never occurs, disables queries.
typeset -gi _aside_wish_min=5                # Characters of it before it is asked about.
typeset -gi _aside_wishing=0                 # The line was a query when we last looked.
typeset -g _aside_wish= _aside_wish_typed=   # The words that were asked about last, the line that they are from,
typeset -gi _aside_wish_id=0                 # and the number of that question; replies with other numbers are stale.
typeset -g _aside_wish_state=                # The last state of its reply; empty when nothing more will come.
typeset -gi _aside_wish_taking=0             # Enter was pressed: the reply replaces the line when it arrives.
typeset -ga _aside_proposals                 # The reply: text, source, confidence, description, warning and nearness of each.
typeset -g _aside_note=                      # The note of the daemon about it.
typeset -g _aside_shown=                     # What is shown: sign, answer, note, or taken: below a line it gave. Or said, offer.
typeset -g _aside_wish_line=                 # The line it is shown for.
typeset -gi _aside_pick=1                    # Which command is shown.
typeset -gi _aside_listed=0                  # The row of the list that is chosen; 0 when there is no list.
typeset -gi _aside_fresh=0                   # The key that is being handled put up what is shown.
typeset -gi _aside_more_id=0                 # The question for other ways to do it,
typeset -g _aside_more_for=                  # and the words that it was asked for, once.
typeset -gi _aside_each=0                    # Which command is explained where all are, one after the other; else 0.
typeset -ga _aside_each_said                 # The explanations of those before it.
typeset -gi _aside_explain_id=0              # The question what a command does,
typeset -g _aside_explained=                 # the command,
typeset -ga _aside_explanation               # and the reply.
typeset -ga _aside_took                      # What the line was made of: text, query, source, confidence.
typeset -g _aside_rescued=                   # A query that was accepted by another key; it comes back at the next prompt.
typeset -gA _aside_awaited                   # Questions that may have several replies, before the first of them.

# The words of the query in the line, into REPLY.
_aside_words() {
  REPLY=${BUFFER#"$_aside_wish_mark"}
  REPLY=${REPLY#"${REPLY%%[^[:space:]]*}"}
  REPLY=${REPLY%"${REPLY##*[^[:space:]]}"}
}

# Asking

# Asks about the query in the line: after the debounce of the daemon, or at once (1).
_aside_wish_ask() {
  local REPLY was=$_aside_wish_state
  local -i now=$1
  _aside_words
  _aside_asked=0 _aside_wish_id=0 _aside_wish_state= _aside_wish=$REPLY _aside_wish_typed=$BUFFER
  if (( ! now )) && { (( $#REPLY < _aside_wish_min || _aside_dismissed )) || _aside_is_recalled ||
    [[ $KEYMAP == vi(cmd|opp) ]] } || [[ -z $REPLY || $BUFFER == *$'\0'* ]] || (( $#BUFFER > 4096 )); then
    [[ -n $was ]] && _aside_wish_cancel
    return 0
  fi
  if (( ! _aside_fd )) && ! _aside_open; then
    # A daemon that starts later is asked then.
    (( now )) && _aside_wish_say 'aside is not running'
    return 0
  fi
  # zsh-autosuggestions takes text behind the line for its own.
  [[ $_aside_autosuggestions == replace ]] || _aside_quieten
  # A command of the reply may be a function or an alias of this shell, at its first prompt too.
  (( _aside_stale )) && _aside_count
  (( $#_aside_kinds )) && _aside_name 32
  _aside_is_private
  if _aside_send $(( ++_aside_seq )) translate "$_aside_session" "$PWD" "$_aside_wish" zsh 0 $now $REPLY '' ''; then
    _aside_wish_id=$_aside_seq _aside_wish_state=waiting _aside_awaited[$_aside_seq]=1
  else
    _aside_missed=1
  fi
  (( now )) && _aside_wish_wait
  return 0
}

# Whether the line is one out of the history, as it was.
_aside_is_recalled() {
  (( HISTNO != _aside_histno && _aside_tables )) && [[ $BUFFER == "${history[$HISTNO]-}" ]]
}

# Cancels the question. Any new question cancels the one before.
_aside_wish_cancel() {
  _aside_wish_id=0 _aside_wish_state= _aside_wish_taking=0
  (( _aside_fd )) && _aside_send $(( ++_aside_seq )) complete "$_aside_session" "$PWD" '' ''
  return 0
}

# The connection is lost, and the question with it. One that Enter asked is asked again when there is a daemon.
_aside_wish_lost() {
  local -i taking=_aside_wish_taking
  _aside_wish_id=0 _aside_wish_state=
  if [[ $_aside_shown == (sign|answer) ]]; then _aside_clear; fi
  if (( taking )); then
    _aside_wish_taking=1
    _aside_wish_say 'aside is not running'
  fi
  zle -R
}

# Tells the daemon what became of a reply.
_aside_outcome() {
  (( _aside_fd )) || return 0
  _aside_send $(( ++_aside_seq )) outcome "$_aside_session" $1 "$2" "$3" "$4" "$5" "$PWD" "${6-}"
  return 0
}

# Records that the user went on without the command that was shown.
_aside_wish_passed() {
  [[ $_aside_shown == answer && -z $_aside_wish_state ]] || return 0
  local -i at=_aside_pick*6-5
  _aside_outcome dismiss "$_aside_wish" "$_aside_proposals[at]" "$_aside_proposals[at+1]" "$_aside_proposals[at+2]"
}

# The line

# The line changed, and is a query or was one. Fails where it is to be handled as any other.
_aside_wish_edit() {
  local REPLY
  if [[ $BUFFER != "$_aside_wish_mark"* ]]; then
    _aside_wishing=0
    (( $#_aside_took )) && _aside_took_edit
    [[ -n $_aside_wish_state ]] && _aside_wish_cancel
    _aside_wish_taking=0
    [[ $_aside_autosuggestions == replace ]] || _aside_restore
    if [[ -n $_aside_shown ]]; then
      if [[ $_aside_shown == taken && $BUFFER == "$_aside_took[1]" ]]; then
        _aside_wish_unchanged
      else
        _aside_wish_passed
        _aside_clear
      fi
    fi
    (( $#_aside_took )) && [[ $BUFFER == "$_aside_took[1]" ]]
    return
  fi
  _aside_wishing=1 _aside_took=()
  _aside_unpaint_words
  [[ -n $_aside_drawn && -z $_aside_shown ]] && _aside_clear
  _aside_words
  if [[ $REPLY == "$_aside_wish" ]]; then
    # The cursor moved, or there is another blank, which is typing too: the debounce begins again.
    if [[ $BUFFER != "$_aside_wish_typed" && $_aside_wish_state == waiting ]] && (( ! _aside_wish_taking )); then
      _aside_wish_ask 0
    elif [[ $BUFFER != "$_aside_wish_line" && -n $_aside_shown ]]; then
      _aside_wish_line=$BUFFER
      _aside_wish_draw
    fi
    _aside_wish_unchanged
    return 0
  fi
  _aside_wish_passed
  [[ -n $_aside_shown ]] && _aside_clear
  _aside_wish_taking=0
  [[ $BUFFER == "$_aside_hushed" ]] || _aside_dismissed=0
  if (( PENDING || KEYS_QUEUED_COUNT )); then
    _aside_left=$'\0' _aside_wish_id=0 _aside_wish=$'\0'
  else
    _aside_wish_ask 0
  fi
  return 0
}

# The line is unchanged while something is shown, or on its way.
_aside_wish_unchanged() {
  if [[ $KEYS == $'\e' ]] && (( ! _aside_fresh )); then
    _aside_wish_dismiss
  elif [[ $_aside_shown == (note|offer) ]] && (( ! _aside_fresh )); then
    _aside_clear
  elif [[ $KEYMAP == vi(cmd|opp) && $_aside_shown == (sign|answer) ]] && (( ! _aside_wish_taking )); then
    _aside_wish_passed
    _aside_clear
  elif [[ -n $_aside_shown ]] && (( COLUMNS != _aside_width )); then
    _aside_wish_draw
  else
    _aside_repaint
  fi
  _aside_fresh=0
  return 0
}

# Esc: closes what was opened, and then nothing is shown until the line changes.
_aside_wish_dismiss() {
  if [[ $KEYMAP != vi(cmd|opp) && $_aside_shown == answer ]] && (( _aside_listed || $#_aside_explanation )); then
    _aside_listed=0 _aside_explanation=() _aside_explain_id=0 _aside_fresh=1
    _aside_wish_draw
    return 0
  fi
  if [[ $_aside_shown == (sign|answer|said) || -n $_aside_wish_state ]]; then
    _aside_wish_passed
    [[ -n $_aside_wish_state ]] && _aside_wish_cancel
    _aside_dismissed=1 _aside_hushed=$BUFFER
  fi
  _aside_wish_taking=0
  _aside_clear
  _aside_let_go
}

# A line begins or ends.
_aside_wish_reset() {
  _aside_wishing=0 _aside_wish= _aside_wish_id=0 _aside_wish_state= _aside_wish_taking=0 _aside_shown= _aside_proposals=()
  _aside_listed=0 _aside_explain_id=0 _aside_explanation=() _aside_took=() _aside_more_for=
  _aside_let_keys
}

# Ctrl-C.
_aside_wish_broken() {
  _aside_wish_passed
  _aside_clear
  _aside_wish_reset
}

# The line is about to run. Whichever key or widget it was, the words of a query are not run: they come back.
_aside_wish_end() {
  if [[ $BUFFER == "$_aside_wish_mark"* && $CONTEXT == start ]] && (( _aside_on && ! ${ZLE_RECURSIVE:-0} )); then
    _aside_rescued=$BUFFER BUFFER=
  elif (( $#_aside_took )) && [[ $BUFFER == *"${_aside_took[1]%% *}"* ]]; then
    # A line without even its program counts as another one.
    local action=edit
    [[ $BUFFER == "$_aside_took[1]" ]] && action=run
    _aside_outcome $action "$_aside_took[2]" "$_aside_took[1]" "$_aside_took[3]" "$_aside_took[4]" "$BUFFER"
  fi
  _aside_clear
  _aside_wish_reset
}

# Answers

# Number, verb, state, note, count, and six fields for each command.
_aside_wish_heard() {
  if (( _aside_more_id )) && [[ $1 == $_aside_more_id ]]; then
    _aside_more_heard "$@"
    return 0
  fi
  [[ $1 == $_aside_wish_id && $CONTEXT == start && $BUFFER == "$_aside_wish_mark"* ]] || return 0
  (( ! _aside_isearch && ! ${_aside_inside:-0} )) || return 0
  local REPLY before=$_aside_drawn
  _aside_words
  [[ $REPLY == "$_aside_wish" ]] || return 0
  _aside_wish_state=$3
  case $3 in
    waiting) return 0 ;;
    thinking) _aside_wish_wait ;;
    partial|done)
      local -i count=0
      [[ $5 == <-> ]] && (( 5 + 6 * $5 <= $# )) && count=$5
      [[ $3 == done ]] && _aside_wish_state= _aside_wish_id=0
      if (( count )); then
        _aside_proposals=("${(@)@[6,5+6*count]}") _aside_note=$4 _aside_pick=1
        _aside_wish_answered
      elif [[ $3 == done ]]; then
        _aside_clear
        if [[ -n $4 ]]; then _aside_wish_say "$4"; elif (( _aside_wish_taking )); then _aside_wish_say 'no answer'; fi
        _aside_wish_taking=0 _aside_fresh=0
      fi ;;
  esac
  [[ $_aside_drawn == "$before" ]] || zle -R
}

_aside_wish_answered() {
  # Not in vi command mode.
  [[ $KEYMAP != vi(cmd|opp) ]] || (( _aside_wish_taking )) || return 0
  _aside_shown=answer _aside_wish_line=$BUFFER
  # One that leaves out some of the words is shown before it is taken.
  if (( _aside_wish_taking )) && [[ -z $_aside_wish_state && $_aside_proposals[6] != closest ]]; then
    _aside_wish_apply
    _aside_left=$LBUFFER _aside_right=$RBUFFER _aside_wishing=0
    return 0
  fi
  [[ -n $_aside_wish_state ]] || _aside_wish_taking=0
  _aside_wish_draw
}

# ↓ asks for other ways, where there are fewer than a list shows.
_aside_more_ask() {
  local REPLY
  local -i at
  local -a shown
  (( $#_aside_proposals < 18 )) && [[ $_aside_more_for != "$_aside_wish" ]] || return 0
  (( _aside_fd )) || _aside_open || return 0
  for (( at = 1; at < $#_aside_proposals; at += 6 )); do shown+=("$_aside_proposals[at]"); done
  _aside_is_private
  _aside_send $(( ++_aside_seq )) translate "$_aside_session" "$PWD" "$_aside_wish" zsh 0 1 $REPLY '' '' "${(F)shown}" || return 0
  _aside_more_id=$_aside_seq _aside_more_for=$_aside_wish _aside_awaited[$_aside_seq]=1
}

# They follow those that are shown. The last row stays chosen, if it was.
_aside_more_heard() {
  [[ $3 == done ]] || return 0
  _aside_more_id=0
  [[ $_aside_shown == answer ]] && _aside_wish_stands || return 0
  local -i count=0 known=$(( $#_aside_proposals / 6 )) is_last=$(( _aside_listed > $#_aside_proposals / 6 ))
  [[ $5 == <-> ]] && (( 5 + 6 * $5 <= $# )) && count=$5
  (( count > 3 - known )) && count=$(( 3 - known ))
  _aside_proposals+=("${(@)@[6,5+6*count]}")
  (( is_last )) && _aside_listed=$(( known + count + 1 ))
  _aside_wish_draw
  zle -R
}

# The list is no longer on the screen: drops its reply.
_aside_more_drop() {
  (( _aside_more_id )) || return 0
  _aside_more_id=0 _aside_more_for=
  (( _aside_fd )) && _aside_send $(( ++_aside_seq )) complete "$_aside_session" "$PWD" '' ''
  return 0
}

# Shows an error only if the user waits.
_aside_wish_refused() {
  if [[ $1 == $_aside_explain_id ]]; then
    _aside_explain_id=0
  elif [[ $1 == $_aside_more_id ]]; then
    _aside_more_id=0
  elif [[ $1 == $_aside_wish_id ]]; then
    local -i taking=_aside_wish_taking
    _aside_wish_id=0 _aside_wish_state= _aside_wish_taking=0
    _aside_clear
    (( taking )) && _aside_wish_say "${4:-no answer}"
    _aside_fresh=0
    zle -R
  fi
}

# Number, verb, state, source, count, lines.
_aside_explain_heard() {
  [[ $1 == $_aside_explain_id ]] || return 0
  if (( _aside_each )); then
    [[ $_aside_shown == answer ]] && _aside_wish_stands && _aside_each_heard "$@"
    return 0
  elif [[ $_aside_shown == answer ]]; then
    _aside_wish_stands && [[ $_aside_proposals[_aside_pick*6-5] == "$_aside_explained" ]] || return 0
  else
    [[ $BUFFER == "$_aside_explained" ]] && (( ! _aside_isearch )) || return 0
    _aside_shown=taken _aside_wish_line=$BUFFER
  fi
  _aside_explanation=("${(@)@[6,-1]}") _aside_listed=0
  (( $#_aside_explanation )) || _aside_explanation=('nothing is known about this command')
  _aside_wish_draw
  zle -R
}

# Keys

# Whether what is shown belongs to the line.
_aside_wish_stands() { [[ -n $_aside_drawn && $BUFFER == "$_aside_wish_line" ]] }

# Whether the words of the line must not be run.
_aside_is_wish() {
  [[ $BUFFER == "$_aside_wish_mark"* && $CONTEXT == start ]] && (( _aside_on && ! ${ZLE_RECURSIVE:-0} ))
}

# Enter on a query. Fails if the line is to be accepted after all.
_aside_wished() {
  _aside_is_wish || return 1
  _aside_wish_enter && return 0
  local REPLY
  _aside_words
  _aside_dismissed=0 _aside_wish_taking=1 _aside_left=$LBUFFER _aside_right=$RBUFFER _aside_at=$HISTNO _aside_wishing=1
  if [[ -z $REPLY ]]; then
    _aside_wish_taking=0
    _aside_wish_say "say what you want, like this: ${_aside_wish_mark}find files larger than 100 MB"
  elif [[ $REPLY == "$_aside_wish" && $_aside_wish_state == (thinking|partial) ]]; then
    # The question is already pending.
    [[ -n $_aside_shown ]] || _aside_wish_wait
  else
    _aside_wish_ask 1
  fi
  return 0
}

# Takes what is shown, as it was chosen. Fails if there is nothing to take. Does not take a partial command: it may mean something else than
# the whole, so the line becomes the whole when it arrives.
_aside_wish_enter() {
  [[ $_aside_shown == answer ]] && _aside_wish_stands || return 1
  if [[ -n $_aside_wish_state ]]; then
    _aside_wish_taking=1
  elif (( _aside_listed > $#_aside_proposals / 6 )); then
    _aside_explain_each
  else
    _aside_wish_apply
  fi
  return 0
}

# Replaces the line with the command. One step for undo, apart from what was typed before and after.
_aside_wish_apply() {
  local -i at=_aside_pick*6-5
  local text=$_aside_proposals[at] warning=$_aside_proposals[at+4]
  local -i blind=_aside_wish_taking
  _aside_outcome accept "$_aside_wish" "$text" "$_aside_proposals[at+1]" "$_aside_proposals[at+2]"
  _aside_took=("$text" "$_aside_wish" "$_aside_proposals[at+1]" "$_aside_proposals[at+2]")
  _aside_wish_taking=0 _aside_wishing=0 _aside_wish=
  _aside_clear
  zle split-undo 2>/dev/null
  BUFFER=$text
  CURSOR=$#BUFFER
  zle split-undo 2>/dev/null
  # It is to be read, not to be completed.
  _aside_dismissed=1 _aside_hushed=$BUFFER _aside_asked=0
  _aside_hold_keys explain
  # If the command was not shown before, nor was its warning.
  if [[ -n $warning ]] || (( blind )); then
    _aside_shown=taken _aside_wish_line=$BUFFER _aside_explanation=() _aside_listed=0
    _aside_wish_draw
  fi
  if (( ! blind )); then
    _aside_discard
  elif ! _aside_unless_seen; then
    BUFFER=$_aside_wish_mark$_aside_took[2] _aside_took=()
    CURSOR=$#BUFFER
  fi
  return 0
}

# Keys that were typed before a command was on the screen are no approval of it. Draws one that nothing has shown so far, with the cursor
# hidden, and then discards keys until none arrives. Fails if they still arrive after two seconds.
_aside_unless_seen() {
  local key
  local -F until
  local -i code=0
  (( until = EPOCHREALTIME + 2 ))
  { syswrite -- $'\e[?25l' } 2>/dev/null >$TTY
  zle -R
  _aside_discard
  while builtin read -t 0.05 -s -k 1 key 2>/dev/null; do
    (( EPOCHREALTIME < until )) || { code=1; break }
  done
  { syswrite -- $'\e[?25h' } 2>/dev/null >$TTY
  return $code
}

# One that was shown is about to come into the line: discards the keys behind the one that takes it.
_aside_discard() {
  local key
  local -i most=4096
  while (( (PENDING || KEYS_QUEUED_COUNT) && most-- )); do builtin read -s -k 1 key 2>/dev/null || break; done
  return 0
}

# A motion that takes: to the right of the end of the line, or to its end.
_aside_wish_motion() { [[ -z $RBUFFER && $1 != *word ]] && { _aside_wish_enter || _aside_offer_take } }

# What a key that we hold for a while does. Fails if it has to do what it did before.
_aside_wish_key() {
  case $1 in
    down)
      [[ $_aside_shown == answer ]] && _aside_wish_stands || return 1
      # There is nothing to choose from yet.
      [[ -z $_aside_wish_state ]] || return 0
      if (( _aside_listed )); then
        _aside_choose $(( _aside_listed % ($#_aside_proposals / 6 + 1) + 1 ))
      else
        _aside_more_ask
        _aside_choose $_aside_pick
      fi ;;
    up)
      (( _aside_listed )) && _aside_wish_stands || return 1
      _aside_choose $(( _aside_listed - 1 )) ;;
    explain)
      if (( _aside_listed > $#_aside_proposals / 6 )); then _aside_explain_each; else _aside_wish_explain; fi ;;
  esac
}

# Goes to a row of the list. The last one is `explain`, about all of them.
_aside_choose() {
  _aside_listed=$1 _aside_explanation=() _aside_explain_id=0
  (( _aside_listed && _aside_listed <= $#_aside_proposals / 6 )) && _aside_pick=_aside_listed
  _aside_wish_draw
}

# Asks what the command that is shown does, or the one that the line was made of.
_aside_wish_explain() {
  local text
  if [[ $_aside_shown == answer ]] && _aside_wish_stands; then
    [[ -z $_aside_wish_state ]] || return 0
    if (( $#_aside_explanation )); then
      _aside_explanation=()
      _aside_wish_draw
      return 0
    fi
    text=$_aside_proposals[_aside_pick*6-5]
  elif (( $#_aside_took && ! $#_aside_explanation )) && [[ $BUFFER == "$_aside_took[1]" ]]; then
    text=$BUFFER
  else
    return 1
  fi
  (( _aside_fd )) || _aside_open || return 1
  _aside_each=0
  _aside_explain_ask "$text"
}

_aside_explain_ask() {
  local REPLY
  _aside_is_private
  _aside_send $(( ++_aside_seq )) explain "$_aside_session" "$PWD" "$1" zsh 0 $REPLY || return 0
  _aside_explain_id=$_aside_seq _aside_explained=$1 _aside_awaited[$_aside_seq]=1
  return 0
}

# Explains each command of the list.
_aside_explain_each() {
  if (( $#_aside_proposals < 12 )); then
    _aside_wish_explain
    return
  fi
  (( _aside_fd )) || _aside_open || return 1
  _aside_each=1 _aside_each_said=()
  _aside_explain_ask "$_aside_proposals[1]"
}

_aside_each_heard() {
  local -a lines=("${(@)@[6,-1]}")
  local -i most=$(( 72 / $#_aside_proposals - 1 ))
  (( $#lines )) || lines=('nothing is known about this command')
  _aside_explanation=("${(@)_aside_each_said}" "$_aside_explained" "${(@)lines[1,most]/#/  }") _aside_listed=0
  if [[ $3 == done ]]; then
    _aside_each_said=("${(@)_aside_explanation}")
    if (( _aside_each * 6 < $#_aside_proposals )); then
      (( ++_aside_each ))
      _aside_explain_ask "$_aside_proposals[_aside_each*6-5]"
    fi
  fi
  _aside_wish_draw
  zle -R
}

# The line that was taken has changed. An empty one ends it.
_aside_took_edit() {
  [[ $BUFFER == "$_aside_took[1]" ]] && return 0
  _aside_let_keys
  [[ -n $BUFFER ]] || _aside_took=()
  return 0
}

# Privacy

# 1 into REPLY if nothing of this shell may leave the machine.
_aside_is_private() {
  REPLY=0
  [[ ${ASIDE_PRIVATE:-0} == 0 ]] || REPLY=1
}

# Exported, so that it holds for `aside` itself too when it is run from here.
aside-private() {
  local REPLY say
  case ${1-} in
    on|off) ;;
    *) _aside_is_private; if (( REPLY )); then set -- off; else set -- on; fi ;;
  esac
  if [[ $1 == on ]]; then
    typeset -gx ASIDE_PRIVATE=1
    say='private: nothing of this shell leaves this machine'
  else
    unset ASIDE_PRIVATE
    say='no longer private: what the settings allow may leave this machine'
  fi
  if zle; then
    # Cancels the pending question with the connection.
    [[ -n $_aside_wish_state ]] && _aside_wish_cancel
    _aside_clear
    (( _aside_fd )) && _aside_hello
    _aside_wish_say $say
    zle -R
  else
    _aside_fit fg=242 none
    if [[ $REPLY == none ]]; then builtin print -r -- "aside: $say"; else builtin print -rP -- "%F{242}aside: ${say}%f"; fi
  fi
  return 0
}
