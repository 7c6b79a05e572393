# Aside for bash 4.4 and later: tells the daemon which commands ran and how they ended.
#
# `aside init bash` prints settings (_aside_bin, _aside_socket, _aside_version, what [detect] says, where we are), then
# aside.output.bash, aside.talk.bash and this file. Nothing here may `return` or fail at the top level: it is part of an rc
# file, perhaps one with `set -e` or `set -u`.

# Takes the text of a command from `history`, so what the user keeps out of the history stays out of ours.
_aside_prompt() {
  local code=$? entry number line='' reported=''
  [[ $- != *x* ]] || { local -; set +x; } 2>/dev/null
  _aside_seen='' _aside_code=$code _aside_reader='' _aside_prompts=1
  # Our subprocesses have to see it, even if it was set without `export`.
  [[ -z ${ASIDE_PRIVATE-} ]] || export ASIDE_PRIVATE
  # A line that bash could not parse never began to run, and ends with 2.
  if [[ -n ${_aside_on-} && ( -n ${_aside_began-} || -z ${_aside_number-} || $code == 2 ) ]]; then
    _aside_last
    entry=$_aside_entry number=$_aside_counted
    # The number does not change when a line was not kept: then there is nothing to report.
    if [[ -n $entry && -n ${_aside_number-} && $number != "$_aside_number" ]]; then
      line=$entry
      (( ${_aside_runs:-0} < 2 || number - _aside_number != _aside_runs )) || _aside_report_paste "$number"
      [[ -z ${_aside_began-} ]] || { _aside_report "$code" "$entry" && reported=1; }
    fi
    _aside_number=$number
  fi
  # A suggestion is about the last command, or there is none.
  [[ -z ${_aside_began-} || -n $reported ]] || _aside_ended=()
  [[ -z ${_aside_mark-} ]] || _aside_mark_next "$reported" || :
  _aside_talk "$code" "$line" || :
  # `aside fix` is about the last line, also if that did not parse.
  [[ -z $line || -n ${_aside_began-}${_aside_answered-} || $code != 2 || ${PS0-} != *_aside_began=* ]] || _aside_unparsed "$line"
  _aside_began='' _aside_cwd=$PWD _aside_runs=0 _aside_reader='' _aside_prompts=''
  # Whatever runs next in the same text of PROMPT_COMMAND sees the status it would have seen; but under `set -e` that would end the shell
  # after a Ctrl-C, and where there is nothing, an ERR trap would hear of it once more.
  [[ $- != *e* && ${PROMPT_COMMAND[0]-} != _aside_prompt ]] || return 0
  return "$code"
}

# The last entry of the history. Setting HISTTIMEFORMAT in this shell would make bash write times into the file of the user, so what it puts
# before the text is removed instead: the time at which the command began, or was typed just before.
_aside_last() {
  local second stamp=''
  if _aside_get_entry && _aside_count "$_aside_got"; then
    [[ -n ${HISTTIMEFORMAT-} ]] || return 0
    for second in "$(( ${_aside_began:-0} / 1000 ))" "$(( ${_aside_began:-0} / 1000 - 1 ))"; do
      builtin printf -v stamp "%($HISTTIMEFORMAT)T" "$second" 2>/dev/null || break
      stamp=${stamp#"${stamp%%[![:space:]]*}"}
      [[ -n ${_aside_began-} && $_aside_entry == "$stamp"?* ]] || continue
      _aside_entry=${_aside_entry#"$stamp"}
      _aside_entry=${_aside_entry#"${_aside_entry%%[![:space:]]*}"}
      return 0
    done
  fi
  _aside_count "$(HISTTIMEFORMAT='' builtin history 1)"
}

# The number and the text of an entry, as `history` prints it.
_aside_count() {
  _aside_entry=${1#"${1%%[![:space:]]*}"}
  _aside_counted=${_aside_entry%%[!0-9]*}
  _aside_entry=${_aside_entry#"$_aside_counted"}
  _aside_entry=${_aside_entry#\*}
  _aside_entry=${_aside_entry#"${_aside_entry%%[![:space:]]*}"}
  _aside_counted=${_aside_counted:-0}
}

_aside_report() {
  local now
  _aside_now now
  _aside_seq=$(( _aside_seq + 1 ))
  [[ -z ${_aside_mark-} ]] || _aside_mark_end "$1" "$2"
  _aside_ended=(finished "$_aside_session" "$_aside_seq" "$_aside_cwd" "$1" "$_aside_began" "$(( now - _aside_began ))" bash "$2" \
    "$(( _aside_hidden != 0 ))")
  _aside_send "$_aside_seq" "${_aside_ended[@]}"
}

# Of several lines that were pasted, bash runs each as a command, and tells PS0 alone: those before the last, where all of them are in the
# history. `$1` is the number of the last.
_aside_report_paste() {
  local at=0 text entry head cwd=$_aside_cwd
  # Marks have told of one command: its number is used up.
  [[ -z ${_aside_begin[0]-} ]] || _aside_seq=$(( _aside_seq + 1 ))
  _aside_begin=()
  text=$'\n'$(HISTTIMEFORMAT='' builtin history "$_aside_runs")
  (( _aside_runs <= 50 )) || at=$(( _aside_runs - 50 ))
  for (( ; at < _aside_runs - 1; at++ )); do
    builtin printf -v head '\n%5d' "$(( $1 - _aside_runs + at + 1 ))"
    entry=${text#*"$head"??}
    builtin printf -v head '\n%5d' "$(( $1 - _aside_runs + at + 2 ))"
    entry=${entry%%"$head"*}
    _aside_seq=$(( _aside_seq + 1 ))
    _aside_send "$_aside_seq" finished "$_aside_session" "$_aside_seq" "$cwd" "${_aside_codes[at + 1]}" "${_aside_times[at]}" \
      "$(( _aside_times[at + 1] - _aside_times[at] ))" bash "$entry" "$(( _aside_hid[at] != 0 ))"
    # One of them may have changed the directory.
    [[ $PWD == "$_aside_cwd" ]] || cwd=''
  done
  _aside_cwd=$cwd
}

_aside_unparsed() {
  local now
  _aside_now now
  _aside_seq=$(( _aside_seq + 1 ))
  _aside_ended=(finished "$_aside_session" "$_aside_seq" "$_aside_cwd" 2 "$now" 0 bash "$1" 0)
  _aside_send "$_aside_seq" "${_aside_ended[@]}"
  [[ -z ${_aside_mark-} ]] || _aside_ready
}

# Milliseconds since the epoch, into the variable named.
_aside_now() {
  if [[ -n ${EPOCHREALTIME-} ]]; then
    # Some locales have a comma for the point.
    builtin printf -v "$1" '%s' "$(( ${EPOCHREALTIME/[.,]/} / 1000 ))"
  else
    builtin printf -v "$1" '%(%s)T000' -1
  fi
}

# PS0 is expanded when a command is about to run. The subscript is arithmetic, so it records the time without a process, and the element it
# names does not exist, so nothing is printed. _aside_hidden: whether the shell is private; only digits of the value get there, since
# arithmetic would run code in it. The arrays have the same of each command since the last prompt, and the status of the one before it.
_aside_time_commands() {
  local hidden='_aside_hidden=0${ASIDE_PRIVATE:+${ASIDE_PRIVATE//[!0]/1}}'
  hidden+=',_aside_times[_aside_runs]=_aside_began,_aside_codes[_aside_runs]=$?,_aside_hid[_aside_runs]=_aside_hidden,_aside_runs++'
  # Without promptvars PS0 is not expanded, and would be printed.
  [[ ${PS0-} != *_aside_began=* ]] && shopt -q promptvars || return 0
  if [[ -n ${EPOCHREALTIME-} ]]; then
    PS0='${_aside_none[_aside_began=${EPOCHREALTIME/[.,]/}/1000,'$hidden',0]-}'${PS0-}'${_aside_begin[0]-}'
  else
    PS0='${_aside_none[_aside_began=\D{%s}000,'$hidden',0]-}'${PS0-}'${_aside_begin[0]-}'
  fi
}

# Tells the daemon, if there is one, which closes the pipe of a tmux pane, or opens it again.
_aside_switched() {
  local hidden=0
  [[ ${ASIDE_PRIVATE:-0} == 0 ]] || hidden=1
  builtin printf '%s\0' 11 1 hello 1 "$_aside_version" bash "$BASH_VERSION" "$_aside_session" "$$" '' \
    "switched=$1"$'\n'"${_aside_facts-}" "$hidden" |
    ASIDE_SOCKET=$_aside_socket "$_aside_bin" call --within-ms 300 &>/dev/null || :
  [[ $1 == off || -z ${_aside_mark-} ]] || _aside_send || :
}

# A posix shell does not accept these names, and its error would skip the rest as well.
[[ -o posix ]] || eval '
  aside-off() { _aside_on=; _aside_switched off; }
  aside-on() { _aside_on=1; _aside_switched on; }
  aside-next() { _aside_next; }
  aside-previous() { _aside_previous; }
  aside-explain() { _aside_explain; }
'

# `$1` is the ERR trap, if there is one.
_aside_setup() {
  [[ $- == *i* && ${TERM:-dumb} != dumb && -z ${ASIDE_DISABLE-} ]] || return 0
  (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404 )) || return 0
  # An exported value is that of an outer shell.
  if [[ ${_aside_session-} != "bash-$$-"* ]]; then
    local now
    _aside_now now
    _aside_session=bash-$$-$now
    _aside_on=1 _aside_seq=0 _aside_number='' _aside_began='' _aside_hidden=0 _aside_cwd=$PWD _aside_runs=0
    _aside_asked=0 _aside_rest=0 _aside_patience=30
    [[ -z ${_aside_mark-} ]] || _aside_send || :
  fi
  _aside_time_commands
  case " ${PROMPT_COMMAND[*]-} " in
    *_aside_prompt*) ;;
    *)
      # First, so that it sees $?. In an array (bash 5.1) as part of the first element, which a plain assignment replaces: as an element of its
      # own it would move that of the user, which an rc file that is read again would then not replace but add once more.
      local item=_aside_prompt
      # Keeps the ERR trap from firing on our return value.
      [[ -z $1 ]] || item='_aside_prompt && :'
      PROMPT_COMMAND="$item${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
      ;;
  esac
  _aside_frame_last
  _aside_again=1
  return 0
}

# Inside of a function the trap cannot be seen. Without a fork where there is an inbox, as in _aside_put, which bash 3.2 cannot run.
_aside_trap=''
if [[ $- == *i* ]] && (( BASH_VERSINFO[0] >= 4 )) && _aside_put builtin printf '\n' &&
  { { builtin trap -p ERR; builtin printf '\n'; } 1<>"$_aside_scratch"; } 2>/dev/null; then
  builtin read -r _aside_trap <"$_aside_scratch" || :
else
  _aside_trap=$(builtin trap -p ERR)
fi
_aside_setup "$_aside_trap"
