# Aside for zsh 5.3 and later: tells the daemon what is typed and how commands end, and paints its answers.
#
# aside.first.zsh reads this when the first prompt has been drawn, inside `emulate zsh -o no_aliases -o no_xtrace -c`. So
# every function below runs with the options of a plain zsh, whatever the person has set, and no alias of theirs gets into
# it; what needs their options is in aside.plain.zsh.
#
# A message is sent and forgotten; answers arrive in _aside_heard, between two keys. Where a line of this file waits for
# the daemon, that is a bug.

typeset -gi _aside_on=${_aside_on:-1}        # 0 after aside-off.
typeset -gi _aside_fd=${_aside_fd:-0}        # The connection; 0 when there is none.
typeset -gi _aside_number=${_aside_number:-65}  # The number of the last connection.
typeset -gi _aside_seq=${_aside_seq:-0}      # Number of the last message.
typeset -gi _aside_asked=0                   # Number of the last question about the line; other answers are stale.
typeset -gi _aside_out=0 _aside_chars=0      # Messages and characters sent and not yet answered.
typeset -gi _aside_missed=0                  # The line changed, and there was no room to say so.
typeset -gi _aside_redone=0                  # Questions asked again at this line, since the daemon hung up.
typeset -gi _aside_greeted=0                 # The daemon answered on this connection.
typeset -gi _aside_mute=0                    # Connections in a row that were never answered.
typeset -gF _aside_retry_at=0                # No connection is tried before this time.
typeset -gi _aside_starting=${_aside_starting:-0}  # Tells when the daemon we started is there.
typeset -gi _aside_tries=0                   # Daemons started since one last answered;
typeset -gF _aside_pause_until=0             # after too many, none before this time.
typeset -gi _aside_enabled=1                 # What the settings say about ghost text.
typeset -gi _aside_isearch=0 _aside_histno=0
typeset -gi _aside_seen=1 _aside_edited=1    # This line began, and changed, with our knowledge.
typeset -gaU _aside_lost                     # Hooks that were not called.
typeset -gA _aside_hooked                    # Hooks that were put back.
# Keys and the trap are in place. 2 when the rc file was read again since, and with it perhaps a trap of its own.
typeset -gi _aside_ready=$(( ${_aside_ready:-0} ? 2 : 0 ))
typeset -gi _aside_rival=${_aside_rival:-0}  # We silenced zsh-autosuggestions.
typeset -g _aside_answer=                    # Bytes of an answer that is not whole yet.
typeset -g _aside_left= _aside_right=        # The line when we last looked.
typeset -g _aside_ghost= _aside_for=         # What is painted, and after which text,
typeset -g _aside_span=                      # and where region_highlight says so.
typeset -g _aside_style=fg=8 _aside_right_arrow=all _aside_autosuggestions=replace
typeset -g _aside_silent=                    # Why there is nothing to see, for `aside doctor`.
typeset -gi _aside_told=0                    # How often the daemon heard about this shell.
typeset -g _aside_keymap= _aside_daemon=
typeset -g _aside_last=                      # The last widget that was not ours.
typeset -g _aside_line= _aside_cwd=          # The command that runs now.
typeset -gF _aside_began=0
typeset -gi _aside_pipe_in=${_aside_pipe_in:-0} _aside_pipe_out=${_aside_pipe_out:-0}
typeset -gA _aside_pending                   # Commands that ended and that the daemon has not acknowledged, by number.

# How our own entry in region_highlight ends, to recognise it. Before 5.9 zsh knows no memo, and would take it for a part
# of the style that makes no sense; there the style has to do, as zsh spells it.
typeset -g _aside_memo=' memo=aside' _aside_mark='*memo=aside'
[[ $ZSH_VERSION == (5.<9->*|<6->.*) ]] || _aside_memo= _aside_mark=fg=8

# The connection

# Connects for the time of one line: zsh cannot hide a descriptor from the programs it starts, so none may be open while
# a command runs. About 60 µs.
_aside_open() {
  (( _aside_fd )) && return 0
  (( _aside_on && EPOCHREALTIME >= _aside_retry_at )) || return 1
  if [[ $_aside_transport == pipe ]]; then
    _aside_open_pipe || return 1
  else
    # A number that nobody else is given, since some plugins close numbers that were theirs once; and another one each
    # time, since the last one may still be watched.
    local REPLY
    local -i tries=0
    while (( ++tries )); do
      (( _aside_number = _aside_number >= 95 ? 66 : _aside_number + 1 ))
      [[ -e /dev/fd/$_aside_number ]] || break
      (( tries < 30 )) || return 1
    done
    # A socket that is not ours would get to know what is typed.
    if ! { [[ -S $_aside_socket && -O $_aside_socket ]] && zsocket -d $_aside_number $_aside_socket 2>/dev/null }; then
      (( _aside_retry_at = EPOCHREALTIME + 0.05 ))
      _aside_silent='no daemon'
      _aside_start_daemon
      return 1
    fi
    _aside_fd=$REPLY
  fi
  _aside_answer= _aside_out=0 _aside_chars=0 _aside_missed=0 _aside_greeted=0
  # A connection that is never answered stays in the queue of a daemon that hangs, and a full queue would block us.
  if (( ++_aside_mute > 3 )); then
    _aside_silent='the daemon does not answer'
    (( _aside_retry_at = EPOCHREALTIME + (_aside_mute > 9 ? 3600 : 30 << (_aside_mute - 4)) ))
  fi
  zle -F $_aside_fd _aside_heard
  _aside_hello
}

_aside_close() {
  (( _aside_fd )) || return 0
  if [[ $_aside_transport == pipe ]]; then zle -F $_aside_fd 2>/dev/null; else _aside_forget $_aside_fd; fi
  _aside_fd=0
}

# The daemon hung up: it ended, or a new version took its place and listens already. Called again for the same descriptor
# if it could not be closed at once.
_aside_hangup() {
  if (( $1 == _aside_fd )); then
    _aside_fd=0 _aside_asked=0
    [[ $_aside_transport == pipe ]] && _aside_pipe_in=0
    local -i before=_aside_fd+_aside_starting
    if (( ! _aside_greeted )); then
      # It was on its way out when we came. Connecting again at once might go on for ever.
      _aside_start_daemon
    elif _aside_open; then
      # A question that makes the daemon hang up would make it do so for ever.
      [[ -n $_aside_ghost ]] || (( ++_aside_redone > 3 )) || _aside_ask
    fi
    # zsh notices that it has other descriptors to watch only when their number changes. This one cries again at once.
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

# Seldom needed, since `aside init` starts it too. Does not wait for it: the program ends when the daemon answers, and
# _aside_started hears of it, at this line or a later one.
# Tries that come to nothing are further and further apart, and then end.
_aside_start_daemon() {
  (( ! _aside_starting && _aside_tries < 8 )) || return 0
  if [[ ! -x $_aside_bin ]]; then
    _aside_silent='the program is gone'
    return 0
  fi
  local -F after=$(( _aside_tries ? 0.05 * 2 ** _aside_tries : 0 ))
  (( ++_aside_tries == 8 )) && (( _aside_pause_until = EPOCHREALTIME + 60 ))
  # A child that ends while zsh draws makes zsh lose what it was drawing. So ours ends at once, which interrupts zselect.
  exec {_aside_starting}< <(ASIDE_SOCKET=$_aside_socket $_aside_bin daemon start --quiet --after $after \
    </dev/null 2>/dev/null &)
  zmodload zsh/zselect 2>/dev/null && zselect -t 2
  zle -F $_aside_starting _aside_heard
}

_aside_started() {
  _aside_starting=0 _aside_retry_at=0
  if (( ! _aside_fd )) && _aside_open; then
    [[ -n $_aside_ghost ]] || _aside_ask
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

# Sends one record: a field count, then the fields, each ended by NUL. Every argument must be quoted, or empty ones vanish.
# Without room it sends nothing: a write to a daemon that has stopped reading would block the shell.
_aside_send() {
  local record="$#"$'\0'${(pj:\0:)@}$'\0'
  (( _aside_out < 64 && (! _aside_out || _aside_chars + $#record < 4096) )) || return 1
  (( _aside_out++, _aside_chars += $#record ))
  # A connection that is gone is noticed when it is read.
  if [[ $_aside_transport == pipe ]]; then
    syswrite -o $_aside_pipe_out -- "$record"
  else
    syswrite -o $_aside_fd -- "$record"
  fi
}

_aside_hello() {
  local REPLY= number
  # Once before all is known and once after; later only when there is something new to tell.
  if (( _aside_told < 2 )) || [[ -n $_aside_silent ]]; then _aside_look_around; fi
  _aside_send $(( ++_aside_seq )) hello 1 "$_aside_version" zsh "$ZSH_VERSION" "$_aside_session" $$ \
    "${HISTFILE:-}" "$REPLY" || return 1
  for number in ${(kno)_aside_pending}; do
    _aside_send $number finished "$_aside_session" $number "${(@0)_aside_pending[$number]}" || break
  done
  (( _aside_fd ))
}

# Answers

# Answers arrive here, between two keys, which must not see that anybody was in between: two kills in a row are one, and
# yank-pop follows a yank. Since 5.9 zsh keeps LASTWIDGET for us; what the last key was like we have to say ourselves.
_aside_heard() {
  zle _aside_reply ${=_aside_memo:+-f nolast} -Nw -- "$@"
  return 0
}

_aside_reply() {
  # Keys first: we are called again.
  (( PENDING )) && return 0
  local chunk record
  local -a field
  [[ $LASTWIDGET == _aside_reply ]] || _aside_last=$LASTWIDGET
  case $_aside_last in
    *kill*) zle -f kill ;;
    vi-put-after) zle -f yank ;;
    *yank*|vi-put-before|bracketed-paste*) zle -f yankbefore ;;
  esac
  if (( $1 == _aside_waking )); then
    _aside_woken $1
    return 0
  elif (( $1 == _aside_starting )); then
    _aside_started $1
    return 0
  fi
  # Without waiting, whatever the reason for which we were called.
  (( $1 == _aside_fd )) && sysread -t 0 -i $1 chunk
  case $? in
    0) ;;
    4) return 0 ;;
    *) _aside_hangup $1; return 0 ;;
  esac
  _aside_answer+=$chunk
  while [[ $_aside_answer == *$'\0'* ]]; do
    record=${_aside_answer%%$'\0'*}
    _aside_answer=${_aside_answer#*$'\0'}
    field=("${(@ps:\x1f:)record}")
    (( _aside_out > 0 )) && (( --_aside_out == 0 )) && _aside_chars=0
    case $field[2] in
      complete) _aside_show "$field[1]" "$field[3]" "$field[4]" ;;
      hello) _aside_welcome "${(@)field[3,-1]}" ;;
      ok) unset "_aside_pending[$field[1]]" ;;
      # What the daemon could not store is sent again; what it could not read never will be.
      error) [[ $field[3] == unavailable ]] || unset "_aside_pending[$field[1]]" ;;
    esac
  done
  if (( _aside_missed )); then
    _aside_missed=0
    _aside_ask
  fi
  return 0
}

# The daemon's answer to hello: version, pid, on or off, style, what → takes, what to do about zsh-autosuggestions.
_aside_welcome() {
  # Whoever we waited for is there; the descriptor that would tell is closed when it does.
  _aside_starting=0
  _aside_greeted=1 _aside_mute=0 _aside_retry_at=0 _aside_tries=0 _aside_silent=
  # A new daemon knows nothing about us.
  [[ $2 == $_aside_daemon ]] && (( ++_aside_told )) || _aside_daemon=$2 _aside_told=0
  _aside_enabled=0
  [[ $3 == on ]] && _aside_enabled=1
  _aside_style=$4 _aside_right_arrow=$5 _aside_autosuggestions=$6
  case $_aside_ready in
    0) _aside_get_ready ;;
    2) (( $+functions[TRAPINT] )) && _aside_set_trap ;;
  esac
  _aside_ready=1
  if [[ $_aside_enabled$_aside_autosuggestions == 1replace ]]; then _aside_quieten; else _aside_restore; fi
}

# Number, count and first candidate of an answer about the line.
_aside_show() {
  [[ $1 == $_aside_asked && $CONTEXT == start && $LBUFFER == "$_aside_left" && $RBUFFER == "$_aside_right" ]] || return 0
  (( $2 && _aside_enabled && ! _aside_isearch )) || return 0
  [[ -z $RBUFFER && $3 == "$LBUFFER"?* ]] || return 0
  # zsh-autosuggestions takes any text behind the line for its own, so there can only be one of us.
  (( $+functions[_zsh_autosuggest_fetch] && ! $+_ZSH_AUTOSUGGEST_DISABLED )) && return 0
  _aside_ghost=${3:$#LBUFFER} _aside_for=$LBUFFER
  _aside_paint
  zle -R
}

# Painting

_aside_paint() {
  if [[ -n $_aside_ghost ]]; then
    region_highlight=("${(@)region_highlight:#<-> <-> $~_aside_mark}")
    POSTDISPLAY=$_aside_ghost
    _aside_span="$#BUFFER $(( $#BUFFER + $#_aside_ghost ))"
    region_highlight+=("$_aside_span $_aside_style$_aside_memo")
    [[ -n $_aside_memo ]] || _aside_mark=${region_highlight[-1]#<-> <-> }
  elif [[ -n $_aside_for ]]; then
    region_highlight=("${(@)region_highlight:#<-> <-> $~_aside_mark}")
    POSTDISPLAY= _aside_for=
  fi
}

# Some highlighters start from an empty list at every key. And completion takes the word away and puts it back, which
# moves our entry.
_aside_repaint() {
  [[ -n $_aside_ghost && $POSTDISPLAY == "$_aside_ghost" && -z ${region_highlight[(r)$_aside_span $~_aside_mark]} ]] &&
    _aside_paint
  return 0
}

_aside_clear() {
  _aside_ghost=
  _aside_paint
}

# Where Ctrl-C breaks off a line. zsh leaves out the first precmd function after a TRAPINT, which is our doing unless the
# person had one: put one there that calls it all the same.
_aside_wipe() {
  _aside_clear
  _aside_close
  if (( ! $+functions[_aside_was_TRAPINT] )) && [[ $CONTEXT == (start|cont) ]]; then
    precmd_functions=(_aside_again $precmd_functions)
  fi
  zle -R
}

# The line

_aside_ask() {
  _aside_asked=0
  # Past commands are shown as they were; a pasted file is not worth a thought.
  (( $#BUFFER && $#BUFFER <= 4096 && HISTNO == _aside_histno && _aside_enabled )) || return 0
  # A NUL would end the field it is in, and the daemon would hang up.
  [[ $BUFFER != *$'\0'* ]] || return 0
  (( _aside_fd )) || _aside_open || return 0
  if _aside_send $(( ++_aside_seq )) complete "$_aside_session" "$PWD" "$LBUFFER" "$RBUFFER"; then
    _aside_asked=$_aside_seq
  else
    _aside_missed=1
  fi
  return 0
}

# Runs before every redraw, so nearly always nothing has changed.
_aside_edit() {
  if (( PENDING )) && [[ -z $_aside_for ]]; then
    # More keys are waiting: only the line they end in counts.
    _aside_left=$'\0' _aside_asked=0 _aside_edited=1
    return 0
  fi
  local left=$LBUFFER right=$RBUFFER
  if [[ $left == "$_aside_left" && $right == "$_aside_right" ]]; then
    [[ -n $_aside_ghost ]] && _aside_repaint
    return 0
  fi
  # Nor where a widget reads a text of its own.
  [[ $CONTEXT == start ]] && (( _aside_on && ! ${ZLE_RECURSIVE:-0} )) || return 0
  _aside_edited=1 _aside_left=$left _aside_right=$right
  if [[ -n $_aside_for ]]; then
    local whole=$_aside_for$_aside_ghost
    if [[ -n $_aside_ghost && -z $right && $left == "$_aside_for"* && $whole == "$left"?* ]]; then
      # Typed along: the rest is still right.
      _aside_ghost=${whole:$#left} _aside_for=$left
      _aside_paint
      return 0
    fi
    _aside_clear
  fi
  if (( PENDING || KEYS_QUEUED_COUNT )); then
    _aside_left=$'\0' _aside_asked=0
  else
    _aside_ask
  fi
}

_aside_begin() {
  _aside_seen=1 _aside_edited=0
  [[ $CONTEXT == start ]] && (( _aside_on )) || return 0
  _aside_left= _aside_right= _aside_ghost= _aside_for= _aside_isearch=0 _aside_asked=0 _aside_histno=$HISTCMD
  _aside_redone=0
  (( _aside_mute > 3 )) || _aside_retry_at=0
  (( _aside_tries >= 8 && EPOCHREALTIME >= _aside_pause_until )) && _aside_tries=7
  _aside_open || _aside_restore
  return 0
}

# The first prompt is drawn, and maybe something typed already.
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

_aside_end() {
  _aside_clear
  _aside_close
  return 0
}

# The search line below the prompt would be wiped by painting.
_aside_search() { _aside_isearch=1; return 0 }
_aside_found() { _aside_isearch=0; return 0 }

# Commands

_aside_preexec() {
  _aside_line=
  (( _aside_edited || ! _aside_seen )) || _aside_lost+=(line-pre-redraw)
  if (( _aside_fd )) && [[ $_aside_transport == socket ]]; then
    # The end of the line was kept from us, and no program may inherit the connection.
    _aside_lost+=(line-finish)
    _aside_close
  fi
  (( _aside_on )) && [[ -n $1 && $1 != ([[:space:]]*|*$'\0'*) ]] || return 0
  if [[ -n ${HISTORY_IGNORE:-} ]]; then
    setopt localoptions extendedglob
    [[ $1 == ${~HISTORY_IGNORE} ]] 2>/dev/null && return 0
  fi
  _aside_line=$1 _aside_cwd=$PWD _aside_began=$EPOCHREALTIME
}

# Runs first of all precmd functions: they take time that is not the command's, and may start programs.
_aside_precmd() {
  local -i code=$?
  # A line that was broken off had no zle-line-finish.
  _aside_close
  (( $precmd_functions[(I)_aside_again] )) && precmd_functions=(${precmd_functions:#_aside_again})
  if [[ -n $_aside_line ]]; then
    local -i began=$(( _aside_began * 1000 )) took=$(( (EPOCHREALTIME - _aside_began) * 1000 ))
    (( ++_aside_seq ))
    local -a record=("$_aside_cwd" $code $began $took zsh "${_aside_line%$'\n'}")
    _aside_pending[$_aside_seq]=${(pj:\0:)record}
    _aside_line=
    (( $#_aside_pending > 64 )) && unset "_aside_pending[${${(kno)_aside_pending}[1]}]"
  fi
  if (( _aside_prompts++ && _aside_on )); then
    (( _aside_seen )) || _aside_lost+=(line-init)
    (( $#_aside_lost )) && _aside_hook_again
  fi
  _aside_seen=0
  return code
}

# Keys

# Takes all of the ghost text, or fails, and then the widget named in _aside_widget has to run. If a word is to be taken,
# that is over the whole: the person's own idea of a word decides where to cut.
_aside_take() {
  local name=$_aside_widget
  (( $+widgets[_aside_was_$name] )) && _aside_widget=_aside_was_$name
  [[ -n $_aside_ghost && $POSTDISPLAY == "$_aside_ghost" && $BUFFER == "$_aside_for" && -z $RBUFFER ]] || return 1
  if [[ $name == (vi-|)forward-char && $_aside_right_arrow == word ]]; then
    name=forward-word _aside_widget=_aside_was_forward-word
  fi
  if [[ $name == *word ]]; then
    _aside_typed=$BUFFER POSTDISPLAY=
    BUFFER+=$_aside_ghost
    return 1
  fi
  BUFFER+=$_aside_ghost
  CURSOR=$#BUFFER
  _aside_clear
}

_aside_taken() {
  if (( CURSOR > $#_aside_typed )); then
    _aside_for=${BUFFER[1,CURSOR]} _aside_ghost=${BUFFER[CURSOR+1,-1]}
    BUFFER=$_aside_for
  else
    BUFFER=$_aside_typed
  fi
  CURSOR=$#BUFFER
  _aside_left=$LBUFFER _aside_right=$RBUFFER
  if [[ -n $_aside_ghost ]]; then _aside_paint; else _aside_clear; fi
  return 0
}

# Done when the daemon has answered for the first time: the prompt is there already, and every other plugin is loaded.
_aside_get_ready() {
  setopt localoptions extendedglob
  local widget
  for widget in forward-char end-of-line vi-forward-char vi-end-of-line \
    forward-word emacs-forward-word vi-forward-word vi-forward-blank-word; do
    # zsh-autosuggestions takes whatever is painted; with the two of us in one chain it would be taken twice.
    [[ $widgets[$widget] == user:_zsh_autosuggest_* ]] && continue
    zle -A $widget _aside_was_$widget
    zle -N $widget _aside_key_$widget
  done
  if [[ $widgets[zle-line-pre-redraw] == user:_zsh_highlight* ]]; then
    zle -A zle-line-pre-redraw _aside_was_redraw
    zle -N zle-line-pre-redraw _aside_redrawn
  fi
  # What must not be replaced: these keys, if they mean something already, and a trap on Ctrl-C. zsh tells only by
  # printing, and in this process only into a file.
  local file=${_aside_socket:h}/aside-$$.tmp keymap key had=
  local -a keys=('^[[F' end-of-line '^[OF' end-of-line '^[[4~' end-of-line
    '^[[1;3C' forward-word '^[[1;5C' forward-word '^[^[[C' forward-word)
  {
    {
      bindkey -lL main
      trap
      for keymap in emacs viins; do
        for key widget in '^[[C' - '^[^[' - $keys; do print -rn -- "$keymap $key "; bindkey -M $keymap $key; done
      done
    } >| $file && had=$(<$file)
  } 2>/dev/null
  zmodload -F zsh/files b:zf_rm 2>/dev/null && zf_rm -f $file || command rm -f $file
  # Better no keys and no trap than somebody else's.
  [[ -n $had ]] || return 0
  local free="[^"$'\n'"]# undefined-key"
  for keymap in emacs viins; do
    # A key that is also the beginning of another one has to wait for it. So nothing is bound behind Esc where nothing is,
    # as in a vi mode that was cleared of arrows, and nothing behind Esc Esc where that does something.
    [[ $had == *$'\n'"$keymap ^[[C "$~free* ]] && continue
    for key widget in $keys; do
      [[ $key == '^[^['* && $had != *$'\n'"$keymap ^[^[ "$~free* ]] && continue
      [[ $had == *$'\n'"$keymap $key "$~free* ]] && bindkey -M $keymap $key $widget
    done
  done
  [[ $had == *'bindkey -A vi'* ]] && _aside_keymap=vi
  [[ $had == *trap\ --\ *\ INT$'\n'* ]] || _aside_set_trap
}

# Ctrl-C ends a line without zle-line-finish, and would leave the ghost text on the screen.
_aside_set_trap() {
  if (( $+functions[TRAPINT] )) && [[ $functions[TRAPINT] != *_aside_wipe* ]]; then
    functions -c TRAPINT _aside_was_TRAPINT 2>/dev/null || functions[_aside_was_TRAPINT]=$functions[TRAPINT]
  fi
  # Copied, it keeps the options of the person; defined, it is a trap.
  functions[TRAPINT]=$functions[_aside_trapped]
  functions -c _aside_trapped TRAPINT 2>/dev/null || return 0
}

# Neighbours

# While we answer, zsh-autosuggestions rests, and its keys take our text; when we cannot, it works as before.
_aside_quieten() {
  (( $+functions[_zsh_autosuggest_fetch] && ! $+_ZSH_AUTOSUGGEST_DISABLED )) || return 0
  typeset -g _ZSH_AUTOSUGGEST_DISABLED=
  _aside_rival=1
}

_aside_restore() {
  (( _aside_rival )) || return 0
  unset _ZSH_AUTOSUGGEST_DISABLED
  _aside_rival=0
}

_aside_look_around() {
  _aside_neighbours
  local -a before=(${=_aside_before}) after=(${=REPLY})
  REPLY="transport=$_aside_transport
term=$TERM${TMUX:+ in tmux}
keys=${_aside_keymap:-emacs}
loaded before=$before
loaded after=${(j: :)${(@)after:|before}}"
  [[ -n $_aside_silent ]] && REPLY+=$'\n'"was silent=$_aside_silent"
  return 0
}

# Switches

aside-off() {
  _aside_on=0
  zle && { _aside_clear; _aside_close }
  _aside_restore
}

aside-on() {
  _aside_on=1 _aside_mute=0 _aside_retry_at=0 _aside_tries=0
}

# Somebody's rc file put a widget of its own in the place of the one that calls us: go around it. Or one that is called
# before us fails, which ends the chain: go first. Not around a plugin that wraps every widget, since that one still calls
# us; and once, since twice would be a fight.
_aside_hook_again() {
  local hook
  local -A ours=(line-init _aside_begin line-finish _aside_end line-pre-redraw _aside_edit)
  local -a chain
  for hook in $_aside_lost; do
    [[ -n ${_aside_hooked[$hook]-} || $widgets[zle-$hook] == user:(_zsh_|_aside_)* ]] && continue
    _aside_hooked[$hook]=1
    if [[ $widgets[zle-$hook] == user:azhw:* ]] && zstyle -g chain zle-$hook widgets; then
      zstyle zle-$hook widgets 0:$ours[$hook] "${(@)chain:#<->:$ours[$hook]}"
    else
      _aside_hook $hook $ours[$hook]
    fi
  done 2>/dev/null
  _aside_lost=()
}

_aside_widgets() {
  local name
  for name in _aside_reply _aside_edit _aside_begin _aside_end _aside_wipe _aside_search _aside_found \
    aside-accept aside-accept-word aside-off aside-on; do
    zle -N $name
  done
}

_aside_widgets
