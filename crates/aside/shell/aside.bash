# Aside for bash 4.4 and later: tells the daemon which commands ran and how they ended.
#
# `aside init bash` prints settings (_aside_bin, _aside_socket, _aside_version, what [detect] says, where we are), then
# aside.output.bash, this file and aside.talk.bash. Nothing here may `return` or fail at the top level: it is part of an rc
# file, perhaps one with `set -e` or `set -u`.

# The text of a command is what `history` says, so what the person keeps out of the history stays out of ours. It is
# sent from the background, on standard input: arguments can be read by everybody.
_aside_prompt() {
  local code=$? entry number line='' reported=''
  _aside_seen=''
  # What we start has to know it, also where it was only set.
  [[ -z ${ASIDE_PRIVATE-} ]] || export ASIDE_PRIVATE
  # What bash could not read it never began to run, and ends with 2.
  if [[ -n ${_aside_on-} && ( -n ${_aside_began-} || -z ${_aside_number-} || $code == 2 ) ]]; then
    _aside_count "$(HISTTIMEFORMAT='' builtin history 1)"
    entry=$_aside_entry number=$_aside_counted
    # The number does not move when a line was not kept: there is nothing to report then.
    if [[ -n $entry && -n ${_aside_number-} && $number != "$_aside_number" ]]; then
      line=$entry
      [[ -z ${_aside_began-} ]] || { _aside_report "$code" "$entry" && reported=1; }
    fi
    _aside_number=$number
  fi
  # What comes next is asked about the last command, or not at all.
  [[ -z ${_aside_began-} || -n $reported ]] || _aside_ended=()
  [[ -z ${_aside_mark-} ]] || _aside_mark_next "$reported" || :
  _aside_talk "$code" "$line" || :
  _aside_began='' _aside_cwd=$PWD
  # Whatever runs next in PROMPT_COMMAND sees the status it would have seen; but under `set -e` that would end the shell
  # after a Ctrl-C.
  [[ $- != *e* ]] || return 0
  return "$code"
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
  _aside_ended=(finished "$_aside_session" "$_aside_seq" "$_aside_cwd" "$1" "$_aside_began" "$(( now - _aside_began ))" bash "$2")
  _aside_send "$_aside_seq" "${_aside_ended[@]}"
}

# Milliseconds since the epoch, into the variable named.
_aside_now() {
  if [[ -n ${EPOCHREALTIME-} ]]; then
    # A comma stands for the point in some languages.
    builtin printf -v "$1" '%s' "$(( ${EPOCHREALTIME/[.,]/} / 1000 ))"
  else
    builtin printf -v "$1" '%(%s)T000' -1
  fi
}

# Names that a posix shell does not take; its error would end the rest as well.
[[ -o posix ]] || eval '
  aside-off() { _aside_on=; }
  aside-on() { _aside_on=1; }
  aside-next() { _aside_next; }
  aside-previous() { _aside_previous; }
  aside-explain() { _aside_explain; }
'

# With the trap that hears of failures, if there is one.
_aside_setup() {
  [[ $- == *i* && ${TERM:-dumb} != dumb && -z ${ASIDE_DISABLE-} ]] || return 0
  (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404 )) || return 0
  # One that was exported, by `set -a`, is that of the shell outside.
  if [[ ${_aside_session-} != "bash-$$-"* ]]; then
    local now
    _aside_now now
    _aside_session=bash-$$-$now
    _aside_on=1 _aside_seq=0 _aside_number='' _aside_began='' _aside_cwd=$PWD
    _aside_asked=0 _aside_rest=0 _aside_patience=30
    [[ -z ${_aside_mark-} ]] || _aside_send || :
    # PS0 is expanded when a command is about to run. The subscript is arithmetic, so the time is noted without a
    # process, and the element it names does not exist, so nothing is printed.
    if [[ ${PS0-} == *_aside_began=* ]] || ! shopt -q promptvars; then
      # Where it is not expanded, it would be shown.
      :
    elif [[ -n ${EPOCHREALTIME-} ]]; then
      PS0='${_aside_none[_aside_began=${EPOCHREALTIME/[.,]/}/1000,0]-}'${PS0-}'${_aside_begin[0]-}'
    else
      PS0='${_aside_none[_aside_began=\D{%s}000,0]-}'${PS0-}'${_aside_begin[0]-}'
    fi
  fi
  case " ${PROMPT_COMMAND[*]-} " in
    *_aside_prompt*) ;;
    *)
      # First, so that it sees $?. An array (bash 5.1) keeps its other elements.
      local item=_aside_prompt
      # What it returns is no failure of its own, of which that trap would hear.
      [[ -z $1 ]] || item='_aside_prompt && :'
      if [[ -n ${PROMPT_COMMAND[*]+set} && ${PROMPT_COMMAND@a} == *a* ]]; then
        PROMPT_COMMAND=("$item" "${PROMPT_COMMAND[@]}")
      else
        PROMPT_COMMAND="$item${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
      fi
      ;;
  esac
  _aside_frame_last
  return 0
}

# Inside of a function it cannot be seen.
_aside_setup "$(builtin trap -p ERR)"
