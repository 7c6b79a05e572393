# Prose: what is looked at when a line is accepted, and the answer. Part of what is read at the first Enter.

_aside_look() {
  local code=$1 line words
  line=${READLINE_LINE-}
  line=${line#"${line%%[![:space:]]*}"}
  # A paste may end with a newline.
  line=${line%"${line##*[![:space:]]}"}
  [[ -n $line ]] || return 0
  _aside_armed=''
  [[ $line != "${_aside_offered-}" ]] || return 0
  if [[ -n ${_aside_query_prefix-} && $line == "$_aside_query_prefix"[[:space:]]*[![:space:]]* ]]; then
    words=${line#"$_aside_query_prefix"}
    _aside_query "${words#"${words%%[![:space:]]*}"}"
    _aside_armed=1
    _aside_hold end-of-line
  elif [[ -n $_aside_shell_prefix && $line == "$_aside_shell_prefix"* ]]; then
    READLINE_LINE=${line#"$_aside_shell_prefix"}
  elif [[ -n $_aside_agent_prefix && $line == "$_aside_agent_prefix"[[:space:]]*[![:space:]]* ]]; then
    words=${line#"$_aside_agent_prefix"}
    _aside_take "$code" "${words#"${words%%[![:space:]]*}"}" '' 0
  elif [[ -n ${_aside_noted-} && $line == "$_aside_agent_prefix" ]]; then
    # What was offered when it had failed, and nothing has run since.
    _aside_take "$code" "$_aside_noted" '' "$code"
  elif _aside_maybe "$line" && _aside_ask before "$line" 0 0 && [[ $_aside_verdict == agent ]]; then
    if [[ $_aside_reroute == offer ]]; then
      _aside_offered=$line _aside_armed=1
      _aside_hold
      _aside_note "reads like a sentence: Enter again runs it, $_aside_agent_prefix in front of it asks"
    else
      _aside_take "$code" "$line" "$_aside_reason" 0
    fi
  fi
  return 0
}

# Which lines are worth a question, as `aside init` sets them: the words that no command begins with, and those that commands seldom have
# and prose nearly always. They only decide which lines are asked about: a missing one costs an error message, and one too many costs a
# question.
_aside_reserved=${_aside_reserved:- } _aside_markers=${_aside_markers:- }

# Whether a line that is about to run is worth a question, and into _aside_first what its first word is if that is known.
_aside_maybe() {
  local word=${1%%[[:space:]]*}
  _aside_first=''
  _aside_begins "$word" || return 1
  [[ $_aside_reroute != off && $1 != *$'\n'* ]] && (( ${#1} <= 4096 )) || return 1
  # An alias may stand for any of them.
  if [[ $_aside_reserved == *" $word "* && -z ${BASH_ALIASES[$word]-} ]]; then
    _aside_first=reserved
    # A keyword that no command begins with.
    [[ $word != in ]] || _aside_first=none
    return 0
  fi
  word=${word%%[\;\&\|\<\>\(\)]*}
  if ! builtin type -t -- "$word" &>/dev/null; then
    _aside_first=none
    [[ ! -d $word ]] || _aside_first=directory
    return 0
  fi
  [[ $1 == *[[:space:]]*[![:space:]]*[[:space:]]*[![:space:]]* ]] && _aside_marked "$1"
}

# Whether prose may begin with a word: none does with a path, a variable, a quote, a comment, an assignment or a group.
_aside_begins() {
  case $1 in
    '{' | '}' | '!' | '[[' | [![:ascii:]]*) return 0 ;;
    [[:punct:]]* | *[/=\$\`\"\\\*~]*) return 1 ;;
  esac
  return 0
}

# Whether a line has one of those words, or a letter that is not English.
_aside_marked() {
  local - word IFS=$' \t\n'
  [[ $1 != *[![:ascii:]]* ]] || return 0
  set -f
  for word in ${1,,}; do
    [[ $_aside_markers != *" ${word%[,.;:?!]} "* ]] || return 0
  done
  return 1
}

# Whether a word behind the first is one of letters: a line with only flags, numbers and paths there is no prose.
_aside_worded() {
  local - word IFS=$' \t\n'
  [[ $1 != *[![:ascii:]]* ]] || return 0
  set -f
  for word in ${1#*[[:space:]]}; do
    word=${word#\(} word=${word%[\),.;:?!]}
    [[ $word == *[![:alpha:]\'-]* || $word == -* || -z $word ]] || return 0
  done
  return 1
}

# Asks the daemon about a line: when, the line, how it ended, whether bash could not parse it. The timeout is _aside_patience, or ten times
# that when the line has failed and the daemon may have to look up what its words name, or twenty-five when its output may still be on the
# way. A daemon that has not replied, or said that it is off, is left alone: for two seconds, and twice as long each time, up to a minute.
_aside_ask() {
  local now kind=$_aside_first answer fields patience=$_aside_patience
  [[ $1 != after ]] || patience=$(( (${_aside_seen:-0} ? 25 : 10) * patience ))
  _aside_verdict='' _aside_reason=''
  [[ -S $_aside_socket ]] || return 1
  builtin printf -v now '%(%s)T' -1
  (( now >= _aside_rest )) || return 1
  _aside_misses=$(( ${_aside_misses:-0} < 5 ? ${_aside_misses:-0} + 1 : 5 ))
  _aside_rest=$(( now + (_aside_misses < 5 ? 1 << _aside_misses : 60) ))
  answer=$(
    word=${2%%[[:space:]\;\&\|\<\>\(\)]*}
    [[ -n $kind ]] || kind=$(builtin type -t -- "$word")
    # bash 3.2 reads this file too before it is left alone, and takes a bare `)` here for the end of the substitution.
    case $kind in
      (keyword) kind=reserved ;;
      (file) kind=program ;;
      ('') kind=none ;;
    esac
    {
      builtin printf '%s\0' 11 1 hello 1 "$_aside_version" bash "$BASH_VERSION" "$_aside_session" "$$" '' "$_aside_facts" 0
      # Before the question: the output of a command is known by its number.
      [[ $1 != after || -z ${_aside_seen-} ]] || builtin printf '%s\0' 11 3 "${_aside_ended[@]}"
      builtin printf '%s\0' 11 2 detect "$_aside_session" "$PWD" "$2" bash "$1" "$3" "$kind" "$4" ''
    } |
      ASIDE_SOCKET=$_aside_socket "$_aside_bin" call --within-ms "$patience" 2>/dev/null
  ) || return 1
  IFS=$'\x1f' builtin read -r -a fields <<<"${answer%%$'\n'*}"
  [[ ${fields[1]-} == hello ]] || return 1
  _aside_reroute=${fields[20]-off} _aside_agent_prefix=${fields[21]-} _aside_shell_prefix=${fields[22]-}
  [[ $_aside_reroute != off ]] || return 1
  IFS=$'\x1f' builtin read -r -a fields <<<"${answer#*$'\n'}"
  [[ ${fields[1]-} == detect ]] || return 1
  _aside_rest=0 _aside_misses=0 _aside_verdict=${fields[2]-} _aside_reason=${fields[3]-}
}

# The line at the prompt is prose: it stays on the screen and in the history as it was typed, and an empty line is accepted in its place.
# The prompt comes next, with the answer before it. `bind -x` has wiped the last row of the prompt with the line; what is drawn here stands
# in for it, and readline will draw that row once more.
_aside_take() {
  local prompt
  # In a subshell, for what PS1 may count; and after setting the status that it may show.
  prompt=$(_aside_ended "$1"; builtin printf '%s.' "${PS1@P}")
  prompt=${prompt%.}
  prompt=${prompt##*$'\n'}
  builtin printf '%s%s\n' "${prompt//[$'\x01\x02']/}" "${READLINE_LINE//[[:cntrl:]]/ }" >&2
  while [[ $prompt == *$'\x01'*$'\x02'* ]]; do
    prompt=${prompt%%$'\x01'*}${prompt#*$'\x02'}
  done
  _aside_rows=$(( ${#prompt} / ${COLUMNS:-80} + 1 ))
  _aside_sentence=$2 _aside_why=$3 _aside_exit=$4
  # It obeys HISTCONTROL and HISTIGNORE. Run at a prompt it would replace the last entry; here it replaces nothing.
  [[ ! -o history ]] || builtin history -s -- "$READLINE_LINE"
  _aside_number=''
  READLINE_LINE='' READLINE_POINT=0
}

_aside_ended() { return "$1"; }

# One dim line above the prompt, in place of the row that `bind -x` has wiped.
_aside_note() { builtin printf '\e[2m%s\e[0m\n' "$1" >&2; }

# Enter accepts nothing, this once; it may do something else instead.
_aside_hold() {
  local map IFS=' '
  _aside_held=1
  for map in $_aside_maps; do builtin bind -m "$map" "\"\\e[77702~\": ${1:-\"\"}"; done
}

# What came of the line before this prompt: prose, or a command that failed and may have been prose.
_aside_reply() {
  _aside_answered=''
  if [[ -n ${_aside_sentence-} ]]; then
    # The row that readline has drawn below the line.
    builtin printf '\e[%dA\r\e[J' "$_aside_rows" >&2
    _aside_answer "$_aside_exit" "$_aside_why" "$_aside_sentence"
  elif [[ $2 != "${_aside_offered-}" ]] && _aside_failed "$1" "$2"; then
    if [[ $_aside_reroute == offer ]]; then
      _aside_note "reads like a sentence: $_aside_agent_prefix asks"
      _aside_noted=$2
    else
      _aside_answer "$1" "$_aside_reason" "$2"
    fi
  fi
  _aside_sentence=''
}

# Whether a line that ended like this was prose. What never began to run bash could not parse; but where PS0 is no longer ours, nothing is
# known to have begun.
_aside_failed() {
  local unreadable=0
  # Neither what Ctrl-C ended nor what Ctrl-Z stopped; the daemon judges the other statuses.
  (( $1 > 0 && $1 != 130 && $1 != 146 && $1 != 148 )) || return 1
  [[ $_aside_reroute != off && $2 == *[[:space:]]* && $2 != *$'\n'* ]] || return 1
  [[ -n ${_aside_began-} ]] || unreadable=1
  [[ $unreadable == 0 || ${PS0-} == *_aside_began=* ]] && _aside_begins "${2%%[[:space:]]*}" || return 1
  (( unreadable || $1 == 127 )) || _aside_worded "$2" || return 1
  _aside_first=''
  _aside_ask after "$2" "$1" "$unreadable" && [[ $_aside_verdict == agent ]]
}

# Prints the answer: how the line ended, why it is prose, and the prose, which goes to standard input, where no other user can read it.
# Ctrl-C ends only that; and it leaves no job behind that could be brought to the foreground.
_aside_answer() {
  local file=$_aside_socket.$$ hint=''
  _aside_answered=1
  _aside_has_place || return 0
  _aside_asked=$(( _aside_asked + 1 )) _aside_proposal=''
  ! _aside_find_tab || hint='Tab takes it'
  (
    builtin trap '' TSTP
    builtin trap : INT
    builtin printf '%s' "$3" |
      ASIDE_SOCKET=$_aside_socket "$_aside_bin" answer --exit "$1" --reason "$2" --session "$_aside_session" \
        --number "$_aside_asked" --shell bash --proposal-fd 3 --hint "$hint"
    # Removes the ^C that the terminal echoes.
    (( $? <= 128 )) || builtin printf '\r\e[K' >&2
  ) 3>|"$file"
  builtin read -r _aside_proposal <"$file"
  command rm -f -- "$file"
  _aside_proposal=${_aside_proposal//[[:cntrl:]]/}
  [[ -z $_aside_proposal || -z $hint ]] || ! _aside_drain --keep || _aside_lend_tab
}

# What Tab does now. A macro or a program of the user is not in that list, and stays.
_aside_find_tab() {
  _aside_tab_map=emacs
  [[ ! -o vi ]] || _aside_tab_map=vi-insert
  _aside_tab_does=$(builtin bind -m "$_aside_tab_map" -p 2>/dev/null)
  _aside_tab_does=${_aside_tab_does#*$'\n"\\C-i": '}
  _aside_tab_does=${_aside_tab_does%%$'\n'*}
  [[ $_aside_tab_does == [a-z]* && $_aside_tab_does != *[!-a-z]* ]]
}

# Tab takes the proposal, at the next prompt and on an empty line. On any other line it does at once what it did before.
_aside_lend_tab() {
  _aside_tab_was=$_aside_tab_does
  builtin bind -m "$_aside_tab_map" -x '"\e[77703~": _aside_tab "$_" || : "$_"'
  builtin bind -m "$_aside_tab_map" "\"\\e[77704~\": $_aside_tab_was"
  builtin bind -m "$_aside_tab_map" '"\C-i": "\e[77703~\e[77704~"'
}

_aside_return_tab() {
  builtin bind -m "$_aside_tab_map" "\"\\C-i\": $_aside_tab_was"
  _aside_tab_was=''
}

_aside_tab() {
  [[ -n ${_aside_tab_was-} ]] || return 0
  if [[ -z ${READLINE_LINE-} ]]; then
    builtin bind -m "$_aside_tab_map" '"\e[77704~": end-of-line'
    READLINE_LINE=$_aside_proposal
  fi
  _aside_return_tab
}

# Whether a command in the line takes over the terminal. A quick heuristic; the daemon parses the line properly.
_aside_takes_over() {
  local - word text=${1:0:1024} first=1 doubt='' bare='' IFS=$' \t\n'
  [[ -n $_aside_skip$_aside_skip_bare ]] || return 1
  set -f
  word=${text%%[[:space:]]*}
  [[ -z $word || -z ${BASH_ALIASES[$word]-} ]] || text=${BASH_ALIASES[$word]}${text#"$word"}
  text=${text//[;&|()$'\n']/ ; }
  for word in $text; do
    case $word in
      ';' | '{' | '!' | do | then | else | elif | if | while | until)
        [[ -z $bare ]] || return 0
        first=1 doubt=''
        continue
        ;;
    esac
    if [[ -z $first ]]; then
      [[ $word == [-\<\>]* ]] || bare=''
      continue
    fi
    case $word in
      [[:alpha:]_]*=*) continue ;;
      # An option of a program that runs another; what follows may be its value.
      -*)
        doubt=1
        continue
        ;;
    esac
    word=${word//[\"\'\\]/}
    word=${word##*/}
    case $word in
      sudo | doas | env | command | builtin | exec | time | nice | nohup | stdbuf | setsid) continue ;;
    esac
    [[ " $_aside_skip " != *" $word "* ]] || return 0
    [[ " $_aside_skip_bare " != *" $word "* ]] || bare=1
    if [[ -n $doubt && -z $bare ]]; then doubt=''; else first=''; fi
  done
  [[ -n $bare ]]
}
