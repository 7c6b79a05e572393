# Aside for zsh 5.3 and later: tells the daemon what is typed and how commands end, and paints its replies.
#
# aside.first.zsh reads this when the first prompt has been drawn, inside `emulate zsh -c`. So every function below runs with the options of
# a plain zsh, whatever the user has set, and no alias of theirs gets into it; what needs their options is in aside.plain.zsh. What is taken
# from the shell and given back is in aside.borrow.zsh. What is shown is in aside.show.zsh, a list of it in aside.menu.zsh, the keys in
# aside.keys.zsh, what this shell tells about itself in aside.names.zsh, queries in aside.query.zsh and aside.below.zsh, prose in
# aside.talk.zsh and aside.said.zsh, and the next command in aside.next.zsh.
#
# A message is sent and forgotten; replies arrive in _aside_heard, between two keys. Where a line of this file waits for the daemon, that is
# a bug.

typeset -gi _aside_on=${_aside_on:-1}        # 0 after aside-off.
typeset -gi _aside_fd=${_aside_fd:-0}        # The connection; 0 when there is none.
typeset -gi _aside_number=${_aside_number:-65}  # The descriptor of the last connection.
typeset -gi _aside_seq=${_aside_seq:-0}      # Number of the last message.
typeset -gi _aside_asked=0                   # Number of the last question about the line; other replies are stale.
typeset -gi _aside_out=0 _aside_chars=0      # Messages and characters sent and not yet acknowledged.
typeset -gi _aside_missed=0                  # The line changed, and there was no room to send it.
typeset -gi _aside_redone=0                  # Questions asked again at this line, since the daemon hung up.
typeset -gi _aside_greeted=0                 # The daemon replied on this connection.
typeset -gi _aside_mute=0                    # Connections in a row that never got a reply;
typeset -gi _aside_hasty=0                   # and those that we closed before there could be one.
typeset -gF _aside_opened=0                  # When this one began.
typeset -gF _aside_retry_at=0                # No connection is tried before this time.
typeset -gi _aside_starting=${_aside_starting:-0}  # Tells when the daemon we started is there.
typeset -gi _aside_leaving=0                 # Aside was uninstalled.
typeset -gi _aside_tries=0                   # Daemons started since one last replied;
typeset -gF _aside_pause_until=0             # after too many, none before this time.
typeset -gi _aside_enabled=1                 # What the settings say about ghost text.
typeset -gi _aside_min=1                     # Characters of a line before it is asked about.
typeset -gi _aside_isearch=0 _aside_histno=0 # A search is going on; the number of the newest line.
typeset -gi _aside_seen=1 _aside_edited=1    # Whether we saw this line begin, and change.
typeset -gi _aside_changed=0                 # One of our keys changed the line.
typeset -gaU _aside_lost                     # Hooks that were not called.
typeset -gA _aside_hooked                    # Hooks that were put back.
# Keys and the trap are in place. 2 when the rc file was read again since, and with it perhaps a trap of its own.
typeset -gi _aside_ready=$(( ${_aside_ready:-0} ? 2 : 0 ))
typeset -gi _aside_rival=${_aside_rival:-0}  # We silenced zsh-autosuggestions.
typeset -gi _aside_finished=0                # The line was accepted, and not interrupted.
typeset -g _aside_answer=                    # Bytes of an incomplete reply.
typeset -g _aside_left= _aside_right=        # The line when we last looked,
typeset -gi _aside_at=0                      # and its number.
typeset -g _aside_autosuggestions=replace
typeset -g _aside_silent=                    # Why there is nothing to see, for `aside doctor`.
typeset -g _aside_facts=                     # What the daemon was told about this shell,
typeset -gi _aside_told=0                    # and how often.
typeset -g _aside_keymap= _aside_daemon= _aside_welcomed=
typeset -gi _aside_ran=1                     # A command ran since we last looked at the keys.
typeset -g _aside_last=                      # The last widget that was not ours.
typeset -g _aside_line= _aside_cwd=          # The command that runs now.
typeset -gF _aside_began=0
typeset -gi _aside_line_private=0            # Whether the shell was private when the line began.
typeset -gi _aside_pipe_in=${_aside_pipe_in:-0} _aside_pipe_out=${_aside_pipe_out:-0}
typeset -gA _aside_pending                   # Commands that ended and that the daemon has not acknowledged, by number.

# The connection

# Connects for the time of one line: zsh cannot hide a descriptor from the programs it starts, so none may be open while a command runs.
# Takes about 60 µs.
_aside_open() {
  (( _aside_fd )) && return 0
  (( _aside_on && EPOCHREALTIME >= _aside_retry_at )) && [[ ! -o restricted ]] || return 1
  if [[ $_aside_transport == pipe ]]; then
    _aside_open_pipe || return 1
  else
    local REPLY
    # Without the module it could not be written to.
    (( $+builtins[syswrite] )) || return 1
    # A socket of another user would get to know what is typed.
    if ! { [[ -S $_aside_socket && -O $_aside_socket ]] && _aside_connect }; then
      (( _aside_retry_at = EPOCHREALTIME + 0.05 ))
      _aside_silent='no daemon'
      _aside_start_daemon
      return 1
    fi
    _aside_fd=$REPLY
  fi
  _aside_answer= _aside_out=0 _aside_chars=0 _aside_missed=0 _aside_greeted=0 _aside_awaited=() _aside_next_id=0
  (( _aside_opened = EPOCHREALTIME ))
  # A connection without a reply stays in the queue of a daemon that hangs, and a full queue would block us.
  if (( ++_aside_mute > 3 )); then
    _aside_silent='the daemon does not answer'
    (( _aside_retry_at = EPOCHREALTIME + (_aside_mute > 9 ? 3600 : 30 << (_aside_mute - 4)) ))
  fi
  zle -F $_aside_fd _aside_heard
  _aside_hello
}

# Takes any descriptor where the limit (`ulimit -n`) is below ours, which zsh treats as an error that ends all functions.
_aside_connect() {
  {
    _aside_free_number && zsocket -d $_aside_number $_aside_socket 2>/dev/null && return 0
  } always {
    TRY_BLOCK_ERROR=0
  }
  zsocket $_aside_socket 2>/dev/null
}

# A descriptor that no other code is given, since some plugins close descriptors that were theirs once; and another one each time, since the
# last one may still be watched.
_aside_free_number() {
  local -i tries=0
  while (( ++tries <= 30 )); do
    (( _aside_number = _aside_number >= 95 ? 66 : _aside_number + 1 ))
    [[ -e /dev/fd/$_aside_number ]] || return 0
  done
  return 1
}

_aside_close() {
  (( _aside_fd )) || return 0
  # A few lines that ended at once, such as pasted ones, say nothing about the daemon.
  if (( ! _aside_greeted && _aside_mute && EPOCHREALTIME - _aside_opened < 1 && _aside_hasty < 16 )); then
    _aside_hasty+=1 _aside_mute+=-1
  fi
  if [[ $_aside_transport == pipe ]]; then zle -F $_aside_fd 2>/dev/null; else _aside_forget $_aside_fd; fi
  _aside_fd=0
}

# The daemon hung up: it ended, or a new version took its place and listens already. Called again for the same descriptor if it could not be
# closed at once.
_aside_hangup() {
  if (( $1 == _aside_fd )); then
    _aside_fd=0 _aside_asked=0 _aside_untold=1
    [[ $_aside_transport == pipe ]] && _aside_pipe_in=0
    local -i before=_aside_fd+_aside_starting
    local wish=$_aside_wish_state
    _aside_wish_state=
    if (( ! _aside_greeted )); then
      # It was about to end when we connected. Connecting again at once might loop for ever.
      _aside_start_daemon
    elif _aside_open; then
      # Caps the retries: a question that makes the daemon hang up would do so for ever.
      [[ -n $_aside_drawn && -z $wish ]] || (( ++_aside_redone > 3 )) || _aside_ask
    fi
    [[ -n $wish && -z $_aside_wish_state ]] && _aside_wish_lost
    # zsh notices that it has other descriptors to watch only when their number changes. This one reports again at once.
    (( _aside_fd + _aside_starting == before )) || return 0
  fi
  _aside_forget $1
}

_aside_forget() {
  local -i fd=$1
  zle -F $fd 2>/dev/null
  # The braces take the redirection, so that `exec` does not make it last.
  { exec {fd}<&- } 2>/dev/null
  return 0
}

# Seldom needed, since `aside init` starts it too. Does not wait for it: the program ends when the daemon replies, and _aside_started is
# called, at this line or a later one. Failed tries back off, and then end.
_aside_start_daemon() {
  (( ! _aside_starting && _aside_tries < 8 )) || return 0
  if [[ ! -x $_aside_bin ]]; then
    _aside_silent='the program is gone'
    return 0
  fi
  local -F after=$(( _aside_tries ? 0.05 * 2 ** _aside_tries : 0 ))
  (( ++_aside_tries == 8 )) && (( _aside_pause_until = EPOCHREALTIME + 60 ))
  # A trap of the user that returns would return from here, and Ctrl-C would do nothing else.
  _aside_unbroken 20 "$_aside_remember" _aside_launch $after
  if (( _aside_broken && ! ${_aside_guards:-0} )); then _aside_break_again; fi
}

_aside_launch() {
  # A child that ends while zsh draws makes zsh lose what it was drawing. So ours ends at once, which interrupts zselect.
  local -a start=(daemon start --quiet --after $1)
  exec {_aside_starting}< <(ASIDE_SOCKET=$_aside_socket $_aside_bin $start </dev/null 2>/dev/null &)
  zmodload zsh/zselect 2>/dev/null && zselect -t 2
  zle -F $_aside_starting _aside_heard
}

_aside_started() {
  local word=
  _aside_starting=0 _aside_retry_at=0
  sysread -t 0 -i $1 word 2>/dev/null
  if [[ $word == uninstalled* ]]; then
    # Everything is removed where the next line begins: now one of our widgets runs.
    _aside_on=0 _aside_leaving=1 _aside_silent=uninstalled
    _aside_clear
    _aside_restore
  elif (( ! _aside_fd )) && _aside_open; then
    [[ -n $_aside_drawn ]] && (( ! _aside_wish_taking )) || _aside_ask
  fi
  # As in _aside_hangup: we are called again.
  (( _aside_fd + _aside_starting )) || _aside_forget $1
}

# For a zsh without zsh/net/socket: one process of ours for the life of this shell, and two pipes.
_aside_open_pipe() {
  if (( ! _aside_pipe_in )); then
    [[ -x $_aside_bin ]] || return 1
    (( _aside_pipe_out )) && exec {_aside_pipe_out}>&-
    _aside_pipe_out=0
    local fifo=${TMPDIR:-/tmp}/aside-$$-$RANDOM$RANDOM
    command mkfifo -m 600 $fifo 2>/dev/null || return 1
    exec {_aside_pipe_in}< <(ASIDE_SOCKET=$_aside_socket exec $_aside_bin pipe <$fifo 2>/dev/null)
    exec {_aside_pipe_out}>$fifo
    command rm -f $fifo
  fi
  _aside_fd=$_aside_pipe_in
}

# Sends one record: a field count, then the fields, each ended by NUL. Every argument must be quoted, or empty ones vanish. Without room it
# sends nothing: a write to a daemon that has stopped reading would block the shell.
_aside_send() {
  local record="$#"$'\0'${(pj:\0:)@}$'\0'
  (( _aside_out < 64 && (! _aside_out || _aside_chars + $#record < 4096) )) || return 1
  (( _aside_out++, _aside_chars += $#record ))
  # A lost connection is noticed when it is read.
  if [[ $_aside_transport == pipe ]]; then
    syswrite -o $_aside_pipe_out -- "$record"
  else
    syswrite -o $_aside_fd -- "$record"
  fi
}

_aside_hello() {
  local REPLY= number facts
  # Once before all is known and once after; later only when there is something new to tell.
  if (( _aside_told < 2 )) || [[ -n $_aside_silent ]]; then _aside_look_around; fi
  facts=$REPLY
  _aside_is_private
  _aside_send $(( ++_aside_seq )) hello 1 "$_aside_version" zsh "$ZSH_VERSION" "$_aside_session" $$ \
    "${HISTFILE:-}" "$facts" $REPLY || return 1
  for number in ${(kno)_aside_pending}; do
    _aside_send $number finished "$_aside_session" $number "${(@0)_aside_pending[$number]}" || break
  done
  [[ -n $_aside_query ]] && _aside_talk_send
  # Where a line begins there may be something to send first.
  (( $#_aside_ended && ! ${_aside_within:-0} )) && _aside_next_send
  (( _aside_fd ))
}

# Answers

# Replies arrive here, between two keys, which must not notice it: two kills in a row are one, and yank-pop follows a yank. Since 5.9 zsh
# keeps LASTWIDGET for us; we have to restore what the last key was like.
#
# A Ctrl-C in between is remembered, and sent again from outside when we have returned; where the trap stays all the same, it does what
# Ctrl-C does. There is no pattern in it: zsh crashes on one that is matched while it matches another. Before the trap is in place and after
# it has gone, Ctrl-C interrupts us, or the trap of the user returns from one of our functions: both are seen here, too.
typeset -gi _aside_broken=0
typeset -g _aside_remember='if (( ${_aside_guards:-0} )); then _aside_broken=1; else return 130; fi'
_aside_heard() {
  # While keys are bound, which takes a moment and happens once, a Ctrl-C is better lost: any trap may crash zsh then.
  {
    local trap=
    local -a keeps
    (( _aside_ready == 1 )) && trap=$_aside_remember
    [[ -n $_aside_memo ]] && keeps=(-f nolast)
    _aside_unbroken 20 "$trap" zle _aside_reply $keeps -Nw -- "$@" || _aside_broken=1
  } always {
    (( TRY_BLOCK_INTERRUPT )) && TRY_BLOCK_INTERRUPT=0 _aside_broken=1
    (( _aside_broken )) && _aside_break_again
    return 0
  }
}

# Sends the Ctrl-C that came while a function of ours ran, when that has returned. zsh forgets one that comes where it calls us, takes the
# next key for it, or leaves the status as it was. What is sent may again come together with a reply.
_aside_break_again() {
  setopt localoptions no_bg_nice
  _aside_broken=0
  ( zmodload zsh/zselect && zselect -t 2; builtin kill -INT $$; for wait in 3 10 30; do zselect -t $wait; builtin kill -CHLD $$; done ) &>/dev/null &!
}

# A Ctrl-C that zsh sees together with a reply, or with what is scheduled, takes effect when it next waits and is interrupted: otherwise at
# the next key, which is lost. So it gets signals that mean nothing, late enough that it waits again.
_aside_nudge() {
  setopt localoptions no_bg_nice
  ( zmodload zsh/zselect && for wait in 3 10 30; do zselect -t $wait; builtin kill -CHLD $$; done ) &>/dev/null &!
}

# zsh knows of a builtin that it kills or yanks, and of a function that says so.
_aside_keep_kind() {
  local now=${_aside_replaced[$_aside_last]-${widgets[$_aside_last]-}}
  [[ $now == builtin || ${functions[${now#user:}]-} == *'zle -f'* ]] || return 0
  case $_aside_last in
    *kill*) zle -f kill ;;
    vi-put-after) zle -f yank ;;
    *yank*|vi-put-before|*bracketed-paste*) zle -f yankbefore ;;
  esac
}

# For code with the options of the user, who may want to be warned of what a function assigns.
_aside_note_change() {
  _aside_changed=1
}

_aside_reply() {
  # Keys first: we are called again.
  (( PENDING )) && return 0
  local chunk
  [[ $LASTWIDGET == _aside_reply ]] || _aside_last=$LASTWIDGET
  _aside_keep_kind
  if (( $1 == _aside_waking )); then
    _aside_woken $1
    return 0
  elif (( $1 == _aside_starting )); then
    _aside_started $1
    return 0
  elif (( $1 == _aside_due_fd )); then
    _aside_due_fd=0
    _aside_forget $1
    (( _aside_due )) && _aside_said_show
    return 0
  fi
  # Without waiting, whatever the reason for which we were called.
  (( $1 == _aside_fd )) && sysread -t 0 -i $1 chunk
  case $? in
    0) ;;
    4) return 0 ;;
    *) _aside_hangup $1; return 0 ;;
  esac
  _aside_hear "$chunk"
  if (( _aside_missed )); then
    _aside_missed=0
    _aside_ask
  fi
  return 0
}

# Parses what was read, and acts on it.
_aside_hear() {
  local record
  local -a field
  _aside_slow=0
  _aside_answer+=$1
  while [[ $_aside_answer == *$'\0'* ]]; do
    record=${_aside_answer%%$'\0'*}
    _aside_answer=${_aside_answer#*$'\0'}
    field=("${(@ps:\x1f:)record}")
    # The number of the question: accepts digits only, since zsh evaluates what stands in an expression.
    [[ $field[1] == <-> ]] || continue
    # An update is the second reply to a question, and so is what follows the first reply to a query or to prose.
    if [[ $field[2] != (update|translate|explain|said|next) || -n ${_aside_awaited[$field[1]]-} ]]; then
      (( _aside_out > 0 )) && (( --_aside_out == 0 )) && _aside_chars=0
      (( $#_aside_awaited )) && unset "_aside_awaited[$field[1]]"
    fi
    case $field[2] in
      complete|update) _aside_show "${(@)field}" ;;
      translate) _aside_wish_heard "${(@)field}" ;;
      explain) _aside_explain_heard "${(@)field}" ;;
      detect) _aside_detected "${(@)field}" ;;
      said) _aside_said "${(@)field}" ;;
      next) _aside_next_heard "${(@)field}" ;;
      capture) _aside_placed "${(@)field}" ;;
      hello) _aside_welcome "${(@)field[3,-1]}" ;;
      ok)
        unset "_aside_pending[$field[1]]"
        [[ $field[1] == $_aside_wrong_id ]] && _aside_wrong_noted ;;
      # What the daemon could not store is sent again; what it could not parse never will be.
      error)
        # An older daemon that does not know the message.
        (( field[1] && field[1] == _aside_naming )) && _aside_kinds=() _aside_piece=-1
        _aside_wish_refused "${(@)field}"
        _aside_talk_refused "${(@)field}"
        [[ $field[3] == unavailable ]] || unset "_aside_pending[$field[1]]" ;;
    esac
  done
  (( _aside_unsent )) && _aside_talk_send
  (( _aside_next_unsent )) && _aside_next_send
  return 0
}

# The reply to hello: version, pid, and the settings to follow. Mostly unchanged.
_aside_welcome() {
  # The daemon that we waited for is there; the descriptor that would tell is closed when it does.
  _aside_starting=0
  _aside_greeted=1 _aside_mute=0 _aside_hasty=0 _aside_retry_at=0 _aside_tries=0 _aside_silent=
  (( ++_aside_told ))
  if (( _aside_ready != 1 )) || [[ "$*" != "$_aside_welcomed" ]]; then _aside_settle "$@"; fi
  if [[ $_aside_enabled$_aside_autosuggestions == 1replace ]]; then _aside_quieten; else _aside_restore; fi
  (( _aside_ran )) && _aside_look_again
  (( _aside_untold )) && _aside_tell_place
  return 0
}

_aside_settle() {
  # A new daemon knows nothing about us, and new settings may change the capture.
  _aside_untold=1
  if [[ $2 != $_aside_daemon ]]; then
    [[ -z $_aside_daemon ]] || _aside_told=0 _aside_stale=1 _aside_kinds=() _aside_piece=-1 _aside_counted=() _aside_named=0
    _aside_daemon=$2
  fi
  local tab=${12:-take}
  if [[ $tab != $_aside_tab ]]; then
    _aside_tab=$tab _aside_tab_left=
    # Bound in the meantime; later than that, the user may count on it being ours.
    if (( _aside_ready && ! $#_aside_welcomed )); then _aside_leave_tab; elif (( _aside_ready )); then _aside_ready=2; fi
  fi
  _aside_welcomed="$*"
  case $_aside_ready in
    0) _aside_get_ready ;;
    2)
      (( _aside_rival )) && _aside_share
      _aside_bind ;;
  esac
  _aside_ready=1
  _aside_configure "${(@)@[3,-1]}"
}

# Where Ctrl-C interrupts a line: takes what is drawn off the screen. zsh runs a trap in the middle of anything, and crashes if that was a
# pattern and the trap matches another; or the text of a function (`$+functions[…]` of any plugin), and the trap asks for one or forks. So
# there are only conditions of numbers here, and the rest is left to _aside_interrupted.
typeset -gi _aside_stopped=0                 # Ctrl-C came, and the rest is to be done.
_aside_wipe() {
  (( $#_aside_drawn && $#POSTDISPLAY <= $#_aside_drawn )) && POSTDISPLAY=
  # What arrives late is not for the next line. The connection stays until then: zsh that is interrupted while it is about to read from it
  # goes on watching the closed one, without end and deaf to Ctrl-C.
  _aside_asked=0
  if (( ! _aside_stopped )); then
    _aside_stopped=1
    # zsh skips the first precmd function after a TRAPINT, which is our doing unless there was a trap before: puts one there that calls it
    # all the same, and that _aside_precmd removes. Not where zsh calls us at the beginning of a line, and not for `vared` and `select`.
    # Nor where another function is interrupted: then zsh skips the rest of that one.
    (( _aside_trap_skips && ! ${_aside_within:-0} && $#funcstack <= 2 && $#CONTEXT < 6 && #CONTEXT != ##v )) &&
      precmd_functions=(_aside_again $precmd_functions)
  fi
  (( _aside_arrived && $#funcstack <= 2 )) && _aside_nudge
  zle -R
}

_aside_drop_again() {
  if (( $precmd_functions[(I)_aside_again] )); then precmd_functions=(${precmd_functions:#_aside_again}); fi
}

# What is left to do after Ctrl-C, at the next prompt, or before the next drawing of a line that goes on.
_aside_interrupted() {
  _aside_stopped=0
  if zle; then
    _aside_drop_again
    _aside_cut_short
  else
    local BUFFER=$_aside_left$_aside_right POSTDISPLAY=
    local -a region_highlight
    _aside_cut_short
  fi
}

_aside_cut_short() {
  _aside_wish_broken
  # Ctrl-C ends a search first.
  (( _aside_isearch )) || _aside_talk_broken
  _aside_clear
  _aside_next_end
  _aside_let_go
  _aside_asked=0
  if zle; then zle -R; fi
}

# The line

_aside_ask() {
  _aside_asked=0
  # A list that was asked for and has not arrived is not wanted any more.
  (( _aside_menu == 1 )) && _aside_menu=0
  if [[ $BUFFER == "$_aside_wish_mark"* && $CONTEXT == start ]]; then
    _aside_wish_ask $_aside_wish_taking
    return 0
  fi
  # Past commands are shown as they were; a pasted file is not asked about. Nothing can be drawn where no width is known.
  (( ${COLUMNS:-0} > 0 && $#BUFFER >= _aside_min && $#PREBUFFER + $#BUFFER <= 4096 && _aside_enabled )) && ! _aside_is_recalled || return 0
  # Nor is a line in vi command mode.
  (( ! _aside_dismissed )) && [[ $KEYMAP != vi(cmd|opp) ]] || return 0
  _aside_ask_for 0
  return 0
}

# Asks for candidates with their descriptions; for a list of all, if its argument is 1.
_aside_ask_for() {
  # A NUL would end the field it is in, and the daemon would hang up.
  [[ $PREBUFFER$BUFFER != *$'\0'* ]] || return 1
  (( _aside_fd )) || _aside_open || return 1
  # `gs` may be an alias, and must not be taken for the beginning of another name: the question waits until the names are sent.
  if (( ! _aside_named )) && ! _aside_name_first && (( ! $1 )); then
    _aside_missed=1
    return 0
  fi
  if _aside_send $(( ++_aside_seq )) complete "$_aside_session" "$PWD" "$PREBUFFER$LBUFFER" "$RBUFFER" '' 0 1 $1 0 1; then
    _aside_asked=$_aside_seq
  elif (( $1 )); then
    return 1
  else
    _aside_missed=1
  fi
}

# Runs before every redraw, so nearly always nothing has changed. Called as a condition, here and where a line begins: what fails in a
# function that zsh calls, such as a connection, is otherwise a failure for ZERR.
_aside_edit() { _aside_edit_line || return 0; }
_aside_edit_line() {
  if (( _aside_stopped )); then _aside_interrupted; fi
  if (( ${ZLE_RECURSIVE:-0} && _aside_armed )); then
    # Ctrl-C ends what the widget reads, which goes on; a trap would end the widget.
    _aside_clear
    _aside_disarm
  fi
  if (( PENDING )) && [[ -z $_aside_drawn ]]; then
    (( _aside_wishing )) && _aside_unpaint_words
    # More keys are waiting: only the line they end in counts.
    _aside_left=$'\0' _aside_asked=0 _aside_edited=1
    return 0
  fi
  local left=$LBUFFER right=$RBUFFER
  if [[ $left == "$_aside_left" && $right == "$_aside_right" && $HISTNO == $_aside_at ]]; then
    [[ -n $_aside_drawn ]] && _aside_unchanged
    (( _aside_wishing )) && _aside_unpaint_words
    return 0
  fi
  # Nor where a widget reads a text of its own.
  if [[ $CONTEXT != (start|cont) ]] || (( ! _aside_on || ${ZLE_RECURSIVE:-0} )); then
    [[ -n $_aside_drawn ]] && _aside_clear
    return 0
  fi
  # A search that Ctrl-C ended calls no hook; but in a search no letter is added to the line.
  (( _aside_isearch && ! ${ISEARCHMATCH_ACTIVE:-0} )) && [[ $left == "$_aside_left"? ]] && _aside_isearch=0
  _aside_edited=1 _aside_left=$left _aside_right=$right _aside_at=$HISTNO
  # A highlighter that wraps widgets has not seen one of ours change the line.
  if (( _aside_changed )) || [[ $LASTWIDGET == (_aside_|aside-)* ]]; then
    _aside_changed=0
    _aside_recolour
  fi
  (( _aside_completing )) && _aside_completes && return 0
  (( _aside_due )) && _aside_wake_later
  if [[ $CONTEXT == start && ( $BUFFER == "$_aside_wish_mark"* || -n $_aside_shown ) ]] || (( _aside_wishing || $#_aside_took )); then
    _aside_wish_edit && return 0
  fi
  [[ -n $_aside_drawn ]] && _aside_follow && return 0
  (( _aside_dismissed )) && [[ $BUFFER != "$_aside_hushed" ]] && _aside_dismissed=0
  if (( PENDING || KEYS_QUEUED_COUNT )); then
    _aside_left=$'\0' _aside_asked=0
  else
    _aside_ask
  fi
}

_aside_begin() { _aside_begin_line || return 0; }
_aside_begin_line() {
  local -i _aside_within=1
  _aside_whole || return 0
  _aside_seen=1 _aside_edited=0
  [[ $CONTEXT == (start|cont) ]] && (( _aside_on )) || return 0
  _aside_left= _aside_right= _aside_isearch=0 _aside_asked=0 _aside_stopped=0 _aside_histno=$HISTCMD _aside_at=$HISTNO
  _aside_candidates=() _aside_drawn= _aside_ghost= _aside_bar= _aside_browsing=0 _aside_dismissed=0 _aside_completing=0
  _aside_menu=0
  if [[ $CONTEXT == cont ]]; then
    _aside_open
    return 0
  fi
  _aside_wish_reset
  _aside_next=() _aside_next_id=0 _aside_next_text=
  _aside_looked=0 _aside_offered= _aside_taken= _aside_after_id=0
  if [[ -n $_aside_rescued ]]; then
    [[ -n $BUFFER ]] || { BUFFER=$_aside_rescued; CURSOR=$#BUFFER }
    _aside_rescued=
  fi
  (( _aside_escapes == 2 )) && _aside_let_go
  _aside_redone=0
  (( _aside_mute > 3 )) || _aside_retry_at=0
  (( _aside_tries >= 8 && EPOCHREALTIME >= _aside_pause_until )) && _aside_tries=7
  if _aside_open; then
    (( $#_aside_failed )) && _aside_talk_failed
    [[ $PATH == "${_aside_counted[path]-}" ]] || _aside_stale=1
    if (( ! PENDING )); then
      if (( _aside_stale )); then _aside_count; fi
      (( $#_aside_ended )) && _aside_next_send
      if (( $#_aside_kinds && $#_aside_daemon )); then _aside_name 8; fi
    fi
  else
    _aside_restore
  fi
  (( _aside_due )) && _aside_wake_later
  [[ -n $_aside_proposal ]] && _aside_propose "$_aside_proposal" "$_aside_proposal_warning"
  return 0
}

# The first line, after its prompt has been drawn. zsh does not forget a Ctrl-C here, as it does where it calls us with a reply: so what
# takes longest is done here, and while the daemon works on its reply.
_aside_start() {
  _aside_begin
  if (( _aside_fd && ! _aside_ready && ! PENDING )); then
    _aside_get_ready
    _aside_ready=1
    _aside_look_again
  fi
  return 0
}

# The first prompt is drawn, and keys were typed already.
_aside_woken() {
  _aside_waking=0
  _aside_begin
  if [[ -n $BUFFER ]]; then
    _aside_left=$LBUFFER _aside_right=$RBUFFER
    _aside_ask
  fi
  # As in _aside_hangup: we are called again.
  (( _aside_fd + _aside_starting )) || _aside_forget $1
}

_aside_finish() {
  _aside_finished=1
  _aside_wish_end
  _aside_talk_end
  _aside_clear
  _aside_next_end
  (( _aside_escapes == 2 )) && _aside_let_go
  _aside_disarm
  _aside_close
  return 0
}

# Painting would wipe the search line below the prompt; and Ctrl-C ends the search, where a trap would end the line.
_aside_search() { _aside_isearch=1; _aside_clear; _aside_disarm }
_aside_found() {
  _aside_isearch=0
  (( _aside_due )) && _aside_wake_later
  return 0
}

# Commands

_aside_preexec() {
  local REPLY
  _aside_whole || return 0
  _aside_line= _aside_marked=0 _aside_ran=1 _aside_stale=1 _aside_tried= _aside_entered=
  (( _aside_edited || ! _aside_seen )) || _aside_lost+=(line-pre-redraw)
  if (( _aside_fd )) && [[ $_aside_transport == socket ]]; then
    # line-finish was not called, and no program may inherit the connection.
    _aside_lost+=(line-finish)
    _aside_close
  fi
  (( _aside_on )) && [[ -n $1 && $1 != ([[:space:]]*|*$'\0'*) ]] || return 0
  if [[ -n ${HISTORY_IGNORE:-} ]]; then
    setopt localoptions extendedglob
    [[ $1 == ${~HISTORY_IGNORE} ]] 2>/dev/null && return 0
  fi
  [[ ${3-} == *aside\ doctor* ]] && _aside_report
  _aside_line=$1 _aside_tried=$1 _aside_cwd=$PWD
  (( _aside_line_number = ++_aside_seq ))
  [[ -n $_aside_osc ]] && _aside_mark_begin "${3-}"
  # A line that makes the shell public again is still private itself.
  _aside_is_private
  _aside_line_private=$REPLY
  _aside_began=$EPOCHREALTIME
}

# Runs before all other precmd functions: they take time that does not belong to the command, and may start programs.
_aside_precmd() {
  # In one command: each sets them anew.
  _aside_code=$? _aside_last_word=$_ _aside_pipes="${(j: :)pipestatus}"
  local -i code=$_aside_code
  _aside_whole || return 0
  # First, since the next Ctrl-C ends this function.
  _aside_drop_again
  _aside_disarm
  (( _aside_marked )) && _aside_mark_end $code
  # An interrupted line had no zle-line-finish, and where nothing was drawn no trap either; an answer may be on its way.
  if (( _aside_stopped )); then
    _aside_interrupted
  elif (( code && ! _aside_finished )) && [[ -z $_aside_line ]]; then
    _aside_talk_broken
  fi
  _aside_finished=0
  _aside_close
  _aside_ended=()
  if (( code )); then _aside_talk_precmd $code; else _aside_failed=(); fi
  _aside_tried= _aside_entered= _aside_untouched=0
  if [[ -n $_aside_line ]]; then
    local -i began=$(( _aside_began * 1000 )) took=$(( (EPOCHREALTIME - _aside_began) * 1000 ))
    local REPLY
    # As the shell was when the line began, or is now: the record may be sent when that has changed.
    _aside_is_private
    REPLY=$(( REPLY || _aside_line_private ))
    local -a record=("$_aside_cwd" $code $began $took zsh "${_aside_line%$'\n'}" $REPLY)
    _aside_pending[$_aside_line_number]=${(pj:\0:)record}
    _aside_ended=($_aside_line_number "${_aside_line%$'\n'}" $code $REPLY)
    _aside_line=
    _aside_next_fetch
    (( $#_aside_pending > 64 )) && unset "_aside_pending[${${(kno)_aside_pending}[1]}]"
  fi
  _aside_stay_unwrapped
  if (( _aside_prompts++ && _aside_on )); then
    (( _aside_seen )) || _aside_lost+=(line-init)
    (( $#_aside_lost )) && _aside_hook_again
  fi
  _aside_seen=0
  (( _aside_leaving )) && zmodload zsh/sched 2>/dev/null && sched +0 "'aside-off'"
  # zsh gives each hook the status of the command. Another one would be an error for ZERR.
  return 0
}

# Where we are

_aside_look_around() {
  _aside_neighbours
  local -a before=(${(s: :)_aside_before}) after=(${(s: :)REPLY})
  REPLY="transport=$_aside_transport
term=$TERM${TMUX:+ in tmux}
keys=${_aside_keymap:-emacs}
enter=$_aside_enter_is
loaded before=${(j: :)before}
loaded after=${(j: :)${(@)after:|before}}"
  [[ -n $_aside_silent ]] && REPLY+=$'\n'"was silent=$_aside_silent"
  _aside_facts=$REPLY
  return 0
}

_aside_widgets() {
  local name
  for name in _aside_reply _aside_edit _aside_begin _aside_end _aside_wipe _aside_resized _aside_search _aside_found _aside_escape \
    _aside_key_{end-of-line,forward-word} \
    _aside_{tab,back,next,previous}_{emacs,viins} _aside_held_{down,up,explain} \
    aside-accept aside-accept-word aside-apply aside-next aside-previous aside-menu aside-dismiss aside-off aside-on aside-private \
    aside-wrong; do
    zle -N $name
  done
}

_aside_widgets
