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
    entry=$(HISTTIMEFORMAT='' builtin history 1)
    entry=${entry#"${entry%%[![:space:]]*}"}
    number=${entry%%[!0-9]*}
    entry=${entry#"$number"}
    entry=${entry#\*}
    entry=${entry#"${entry%%[![:space:]]*}"}
    # The number does not move when a line was not kept: there is nothing to report then.
    if [[ -n $entry && -n ${_aside_number-} && $number != "$_aside_number" ]]; then
      line=$entry
      [[ -z ${_aside_began-} ]] || { _aside_report "$code" "$entry" && reported=1; }
    fi
    _aside_number=${number:-0}
  fi
  [[ -z ${_aside_mark-} ]] || _aside_mark_next "$reported" || :
  _aside_talk "$code" "$line" || :
  _aside_began='' _aside_cwd=$PWD
  # Whatever runs next in PROMPT_COMMAND sees the status it would have seen; but under `set -e` that would end the shell
  # after a Ctrl-C.
  [[ $- != *e* ]] || return 0
  return "$code"
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

aside-off() { _aside_on=; }
aside-on() { _aside_on=1; }

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
    if [[ ${PS0-} == *_aside_began=* ]]; then
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
      if [[ $(declare -p PROMPT_COMMAND 2>/dev/null) == 'declare -a'* ]]; then
        PROMPT_COMMAND=(_aside_prompt "${PROMPT_COMMAND[@]}")
      else
        PROMPT_COMMAND="_aside_prompt${PROMPT_COMMAND:+; $PROMPT_COMMAND}"
      fi
      ;;
  esac
  return 0
}

_aside_setup
