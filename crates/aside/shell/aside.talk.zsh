# Prose: a line that was meant for the model, and not for the shell. Read like aside.zsh, and after it; aside.said.zsh shows the answer.
#
# The daemon decides which line is prose. This only decides which lines are not worth a question, so that a plain command costs nothing; and
# a question that is not answered at once is dropped. A line that is taken does not run: zsh reads an empty one, so that its status stays
# what it was and no preexec is called.
#
# command_not_found_handler is left alone: what it is called for has been looked at before it, and is again after it.

typeset -g _aside_reroute=off                # What becomes of prose: answer, offer or off. The daemon tells.
typeset -g _aside_agent_mark='@ '            # The prefix of a line that is prose without a question,
typeset -g _aside_shell_mark=$'\0'           # and of a line that is never asked about. Nothing begins with a NUL.
typeset -g _aside_wrong_key=
typeset -gi _aside_wrong_id=0                # The message that a line was no prose.
typeset -gi _aside_looked=0                  # Enter came by us at this line.
typeset -g _aside_enter_is=wrapped           # Or bypassed, as the last line was that did not.
typeset -gi _aside_untouched=0               # The user wants this line run, whatever it looks like.
typeset -gF _aside_patience=${_aside_patience:-0.03}  # Seconds that Enter may wait for a reply.
typeset -gi _aside_slow=0                    # A question timed out, and there was no reply since.
typeset -gi _aside_detect_id=0               # The question about the line that Enter was pressed on,
typeset -g _aside_verdict= _aside_why=       # its verdict, and the reason.
typeset -g _aside_first=                     # What its first word is.
typeset -g _aside_offered=                   # The line of which we said that it reads like prose.
typeset -g _aside_taken=                     # A line that does not run, until it has been left on the screen.
typeset -g _aside_entered= _aside_tried=     # The line as it was accepted, and as it ran unless the history leaves it out.
typeset -ga _aside_failed                    # The last line, if it failed: text, status, 1 if zsh could not parse it, directory.
typeset -gi _aside_after_id=0                # The question about that.

# The question that is being answered: its text, status and output where it was run, directory, why it was taken for prose.
typeset -g _aside_query= _aside_query_output= _aside_query_cwd= _aside_query_why=
typeset -gi _aside_query_status=0 _aside_query_number=${_aside_query_number:-0} _aside_query_width=0
typeset -gi _aside_unsent=0                  # There was no room to ask it.

# The names of things are looked up in tables that this module has.
typeset -gi _aside_tables=0
zmodload zsh/parameter 2>/dev/null && _aside_tables=1

# Which lines are worth a question, before `aside init` sets them: the words that no command begins with, and those that commands seldom
# have and prose nearly always. They only decide which lines are asked about: a missing one costs an error message, and one too many costs a
# question.
typeset -ga _aside_reserved _aside_markers
typeset -g _aside_beyond=$'*[^\t\x20-\x7e]*' # Matches text with letters that are not English.

# Before a line runs

# Enter, on a line that is no query. Fails if it is to run; what does not run is in _aside_taken, or still in the line.
_aside_talk_enter() {
  [[ -n $BUFFER && $CONTEXT == start ]] && (( _aside_on && ! ${ZLE_RECURSIVE:-0} )) || return 1
  _aside_looked=1
  if [[ $BUFFER == "$_aside_agent_mark"* ]]; then
    _aside_talk_called
    return 0
  fi
  [[ $BUFFER == aside\ (task|answer|translate)\ * ]] && _aside_quote_words
  _aside_judge || return 1
  if [[ $_aside_reroute == offer ]]; then
    local key=$_aside_sign[tab]
    [[ $_aside_tab == take ]] || key=$_aside_wish_sign[right]
    _aside_offered=$BUFFER
    _aside_wish_say "reads like a sentence: Enter runs it, [$key] asks"
  else
    _aside_take_line "${BUFFER%$'\n'}" "$_aside_why"
  fi
  return 0
}

# `aside task what's here?`: zsh would look for files, and for the end of a quote. Quotes the words with such letters, where there is
# nothing else that zsh interprets.
_aside_quote_words() {
  setopt localoptions extendedglob
  local head=${(M)BUFFER#aside [a-z]## } words MATCH
  words=${BUFFER#"$head"}
  [[ $words == [[:alpha:]]* && $words != *[$'\n\t"\`$\\|&;<>(){}[]*#~!=']* && $words != *\ \'* ]] || return 0
  BUFFER=$head${words//(#m)[^ ]#[?\'][^ ]#/\"$MATCH\"}
  CURSOR=$#BUFFER
}

# Whether the line is prose, and not run on purpose although it looks like prose.
_aside_judge() {
  if [[ $BUFFER == "$_aside_shell_mark"?* ]]; then
    BUFFER=${BUFFER#"$_aside_shell_mark"}
    _aside_untouched=1
    return 1
  fi
  [[ $_aside_reroute != off ]] || return 1
  (( _aside_fd && ! _aside_slow && _aside_tables )) || return 1
  if [[ -n $_aside_offered && $_aside_offered == "$BUFFER" ]]; then
    _aside_untouched=1
    return 1
  fi
  # A paste may end with a newline.
  local line=${BUFFER%$'\n'}
  _aside_doubtful "$line" && _aside_ask_whether "$line"
}

# `@ words`: for the agent, whatever they are.
_aside_talk_called() {
  local words=${BUFFER#"$_aside_agent_mark"}
  words=${words#"${words%%[^[:space:]]*}"}
  if [[ -z $words ]]; then
    _aside_wish_say "say what you want, like this: ${_aside_agent_mark}why does it not compile?"
  elif [[ $words == *$'\0'* ]] || (( $#words > 4096 )); then
    _aside_wish_say 'that is too long, or no text'
  elif (( ! _aside_fd )) && ! _aside_open; then
    _aside_wish_say 'aside is not running'
  elif [[ $words == "${_aside_failed[1]-}" ]]; then
    # The offered line, taken.
    _aside_take_line "$words" '' $_aside_failed[2] "$_aside_failed[4]"
  else
    _aside_take_line "$words" ''
  fi
}

# Whether a line is worth a question. Nearly all are not: an existing command, with nothing behind it that looks like words. Leaves in
# _aside_first what its first word is.
_aside_doubtful() {
  local IFS=$' \t' word REPLY
  local -a words
  [[ $1 != *[$'\n\0']* ]] && (( $#1 <= 4096 )) || return 1
  words=(${=1})
  word=${words[1]-}
  if (( $_aside_reserved[(Ie)$word] )); then
    # An alias may stand for any of them, and not all are reserved in zsh.
    _aside_look_up "$word" $#words
    _aside_first=$REPLY
    [[ $REPLY == (reserved|none) ]] && return 0
  fi
  word=${word%%[;&|<>()\`]*}
  [[ $word == ([[:alnum:]]*|$~_aside_beyond) && $word != *[=/\$\\~\"\*]* ]] || return 1
  _aside_look_up "$word" $#words
  _aside_first=$REPLY
  [[ $REPLY == none ]] && return 0
  (( $#words > 2 )) || return 1
  [[ $1 == $~_aside_beyond ]] && return 0
  words=("${(@L)words[2,-1]%[,.\;:?!]}")
  (( ${#words:*_aside_markers} ))
}

# What the shell would take a word for, into REPLY. Searches PATH as zsh would do it, since $commands may be outdated, and filling it takes
# longer than Enter may.
_aside_look_up() {
  setopt localoptions no_hash_list_all
  local dir
  REPLY=none
  if (( $+aliases[$1] || $+galiases[$1] )); then
    REPLY=alias
  elif (( $+functions[$1] )); then
    REPLY=function
  elif (( $+builtins[$1] )); then
    REPLY=builtin
  elif (( $+commands[$1] )); then
    REPLY=program
  elif (( $reswords[(Ie)$1] )); then
    REPLY=reserved
  elif [[ $1 == *.?* ]] && (( $+saliases[${1##*.}] )); then
    REPLY=alias
  else
    for dir in $path; do
      [[ -x $dir/$1 && ! -d $dir/$1 ]] || continue
      REPLY=program
      return 0
    done
    (( $2 == 1 && ${_aside_cds:-1} )) || return 0
    for dir in . $cdpath; do
      [[ -d $dir/$1 ]] && REPLY=directory
    done
  fi
  return 0
}

# Asks about the line, and waits: no longer than the user would notice, and not again for a daemon that has not replied since. Handles other
# replies meanwhile as usual, which may also make room for the question.
_aside_ask_whether() {
  local chunk
  local -i _aside_waits=1
  local -F left until
  # A reply for the line as it was would be painted on one that is gone.
  _aside_asked=0 _aside_verdict= _aside_detect_id=0
  (( until = EPOCHREALTIME + _aside_patience ))
  while [[ -z $_aside_verdict ]]; do
    if (( ! _aside_detect_id )) && _aside_send $(( _aside_seq + 1 )) detect "$_aside_session" "$PWD" "$1" zsh before \
      0 $_aside_first 0 ''; then
      (( _aside_detect_id = ++_aside_seq ))
    fi
    if (( (left = until - EPOCHREALTIME) <= 0 )); then
      _aside_slow=1
      break
    fi
    sysread -t $left -i $_aside_fd chunk
    case $? in
      0) _aside_hear "$chunk" ;;
      4) ;;
      # The usual place notices that the connection is gone.
      *) break ;;
    esac
  done
  _aside_detect_id=0
  [[ $_aside_verdict == agent ]]
}

# Turns the line into a question: text, why, and if it was run before, its status and the directory.
_aside_take_line() {
  _aside_taken=$BUFFER _aside_offered=
  _aside_question "$@"
}

_aside_question() {
  (( ++_aside_query_number ))
  _aside_query=$1 _aside_query_why=$2 _aside_query_status=${3:-0} _aside_query_cwd=${4:-$PWD} _aside_query_output=
  _aside_query_width=$COLUMNS
  _aside_said_reset
}

# Asks it, or goes on listening to the answer on a new connection.
_aside_talk_send() {
  local REPLY
  _aside_unsent=0
  # One that is answered, and only not shown yet, is not asked again.
  [[ -n $_aside_query && $_aside_said_state != done ]] && (( _aside_fd )) || return 0
  _aside_is_private
  if _aside_send $(( _aside_seq + 1 )) ask "$_aside_session" "$_aside_query_cwd" "$_aside_query" zsh $_aside_query_number \
    $_aside_query_width 0 $REPLY $_aside_query_status "$_aside_query_output" "$_aside_query_why"; then
    (( _aside_said_id = ++_aside_seq ))
    _aside_awaited[$_aside_seq]=1
  else
    _aside_unsent=1
  fi
  return 0
}

# A line ends. One that was accepted without our Enter is looked at here, as far as possible: it cannot be taken back.
_aside_talk_end() {
  if [[ $CONTEXT == cont ]]; then
    _aside_entered+=$'\n'$BUFFER
    return 0
  fi
  _aside_entered=
  [[ $CONTEXT == start ]] && (( _aside_on && ! ${ZLE_RECURSIVE:-0} )) || return 0
  if (( ! _aside_looked && $#BUFFER )); then
    (( _aside_ready )) && _aside_enter_now bypassed
    if [[ $BUFFER == "$_aside_agent_mark"* ]]; then
      _aside_talk_called
      if [[ -z $_aside_taken ]]; then
        _aside_rescued=$BUFFER BUFFER=
      fi
    elif [[ $_aside_reroute == answer ]] && _aside_judge; then
      _aside_take_line "${BUFFER%$'\n'}" "$_aside_why"
    fi
    [[ -n $_aside_taken ]] && _aside_kept=$_aside_taken BUFFER=
  elif (( _aside_looked )); then
    _aside_enter_now wrapped
  fi
  _aside_entered=$BUFFER
}

# Stored for `aside doctor`; the next hello tells the daemon.
_aside_enter_now() {
  [[ $_aside_enter_is == $1 ]] && return 0
  _aside_enter_is=$1
  (( _aside_told > 1 )) && _aside_told=1
  return 0
}

# Leaves the words on the screen, as if they had been entered.
_aside_leave_line() {
  [[ -n $BUFFER ]] || POSTDISPLAY=$_aside_taken region_highlight=()
  _aside_taken=
}

# What is written into the history for a line, into REPLY: as zsh would, where that can be told without parsing it.
_aside_as_history() {
  local IFS=$' \t'
  REPLY=$1
  (( $2 )) && [[ $1 != *[\\\'\"\`]* ]] && REPLY=${(j: :)${=1}}
  return 0
}

# After a line has failed

# Notes a line that failed. Asks nothing: there is no connection where a prompt is being made.
_aside_talk_precmd() {
  setopt localoptions extendedglob
  local line=$_aside_tried
  local -i code=$1 unreadable=0
  _aside_failed=()
  # Accepted, and nothing ran.
  [[ -n $line ]] || { line=$_aside_entered; unreadable=1 }
  line=${line%$'\n'}
  # Neither what Ctrl-C ended nor what Ctrl-Z stopped; the daemon judges the other statuses.
  if (( code > 0 && (code != 130 && code != 146 && code != 148 || unreadable) && _aside_on && ! _aside_untouched && $#line <= 4096 )) && [[ $_aside_reroute != off &&
    $line == *[^[:blank:]][[:blank:]]##[^[:blank:]]* && $line != *[$'\n\0']* && $line != [[:blank:]]#\#* ]]; then
    # zsh leaves the status as it was.
    (( unreadable )) && code=1
    _aside_failed=("$line" $code $unreadable "${_aside_cwd:-$PWD}")
  fi
  return 0
}

# A line begins: asks about the one before.
_aside_talk_failed() {
  local REPLY IFS=$' \t'
  local -a words
  (( $#_aside_failed && _aside_tables )) || return 0
  words=(${=_aside_failed[1]})
  _aside_look_up "${words[1]%%[;&|<>()\`]*}" $#words
  # Where its output is known it comes last.
  _aside_send $(( _aside_seq + 1 )) detect "$_aside_session" "$_aside_failed[4]" "$_aside_failed[1]" zsh after \
    $_aside_failed[2] $REPLY $_aside_failed[3] '' || return 0
  (( _aside_after_id = ++_aside_seq ))
}

# Number, verb, verdict, reason.
_aside_detected() {
  if [[ $1 == $_aside_detect_id ]]; then
    _aside_verdict=${3:-shell} _aside_why=${4-}
  elif [[ $1 == $_aside_after_id ]]; then
    _aside_after_id=0
    if [[ $3 != agent || $_aside_reroute == off ]] || (( ! $#_aside_failed )); then
      _aside_next_show
      return 0
    fi
    _aside_next_drop
    if [[ $_aside_reroute == answer ]]; then
      _aside_question "$_aside_failed[1]" "${4-}" $_aside_failed[2] "$_aside_failed[4]"
      _aside_talk_send
    elif [[ $_aside_reroute == offer ]]; then
      _aside_propose "$_aside_agent_mark$_aside_failed[1]" ''
    fi
  fi
}

# Handles an error reply.
_aside_talk_refused() {
  if [[ $1 == $_aside_detect_id ]]; then
    _aside_verdict=none
  elif [[ $1 == $_aside_after_id ]]; then
    _aside_after_id=0
    _aside_next_show
  elif [[ $1 == $_aside_said_id ]]; then
    _aside_said "$1" said done "${4:-no answer}" '' '' 0 0
  elif [[ $1 == $_aside_wrong_id ]]; then
    _aside_wrong_id=0
    _aside_wish_say "${4:-that could not be noted}"
    _aside_fresh=0
    zle -R
  fi
}

# Ctrl-C.
_aside_talk_broken() {
  _aside_propose '' ''
  [[ -n $_aside_query ]] || return 0
  (( _aside_fd )) &&
    _aside_send $(( ++_aside_seq )) ask "$_aside_session" "$PWD" '' zsh $_aside_query_number 0 0 0 0 '' ''
  _aside_query=
  _aside_said_reset
}

# Settings

_aside_configure_talk() {
  _aside_reroute=${1:-off}
  if [[ -n ${2-} ]]; then _aside_agent_mark="$2 "; else _aside_agent_mark=$'\0'; fi
  _aside_shell_mark=${3:-$'\0'}
  if [[ ${4-} != $_aside_wrong_key ]]; then
    _aside_bind_own wrong "$_aside_wrong_key" "${4-}"
    _aside_wrong_key=${4-}
  fi
}

# Marks the last line that was taken for prose as wrong.
aside-wrong() {
  zle || return 1
  if (( ! _aside_fd )) && ! _aside_open; then
    _aside_wish_say 'aside is not running'
  elif _aside_send $(( _aside_seq + 1 )) wrong "$_aside_session" ''; then
    (( _aside_wrong_id = ++_aside_seq ))
  fi
  return 0
}

_aside_wrong_noted() {
  _aside_wrong_id=0
  _aside_wish_say 'noted: that line will not be taken for a sentence again'
  _aside_fresh=0
  zle -R
}
