
# Requests: `? words` and Enter replaces the words with a command, with others and a warning above the prompt. It runs when Enter is pressed
# again, and ↑ brings the words back.

_aside_query() {
  local code=0 _aside_hides=1
  _aside_text=$1
  _aside_draw "$READLINE_LINE"
  _aside_hear _aside_tell_text translate --for-line -n 3 --shell bash || code=$?
  (( code > 128 || ${#_aside_heard[@]} )) || return 0
  [[ ! -o history ]] || builtin history -s -- "$READLINE_LINE"
  # The words are no command; what runs next is one.
  _aside_count "$(HISTTIMEFORMAT='' builtin history 1)" && _aside_number=$_aside_counted
  if (( code > 128 )); then
    _aside_offers=() READLINE_LINE='' READLINE_POINT=0
  else
    _aside_offer
    _aside_unless_seen || _aside_show 0
  fi
}

# Draws a line behind the last row of the prompt, where `bind -x` has wiped both.
_aside_draw() {
  local prompt text=${1//[[:cntrl:]]/ } mark=${ASIDE_PROXY_MARK-}.${_aside_session-}
  # In a subshell, for what PS1 may count; after setting the status that it may show; and without the marks for the proxy.
  prompt=$(
    PS1=${PS1//"\[\e]7133;A;aside=$mark\a\]"} PS1=${PS1//"\[\e]7133;B;aside=$mark\a\]"}
    _aside_ended "${_aside_code:-0}"
    builtin printf '%s.' "${PS1@P}"
  ) || :
  prompt=${prompt%.}
  prompt=${prompt##*$'\n'}
  builtin printf '%s' "${prompt//[$'\x01\x02']/}" >&2
  while [[ $prompt == *$'\x01'*$'\x02'* ]]; do
    prompt=${prompt%%$'\x01'*}${prompt#*$'\x02'}
  done
  if [[ $prompt$text == *[![:ascii:]]* ]]; then
    # Their width is not known here: the row is cut instead of wrapped.
    builtin printf '\e[?7l%s\e[?7h' "$text" >&2
    _aside_below=0
  else
    builtin printf '%s' "$text" >&2
    _aside_below=$(( (${#prompt} + ${#text} - 1) / ${COLUMNS:-80} ))
  fi
  _aside_drawn=1
}

_aside_erase() {
  [[ -n ${_aside_drawn-} ]] || return 0
  _aside_drawn=''
  (( _aside_below <= 0 )) || builtin printf '\e[%dA' "$_aside_below" >&2
  builtin printf '\r\e[J' >&2
}

# Keys that were typed before a command was on the screen are no approval of it: draws the line, then discards what was typed until then.
# The cursor is hidden meanwhile. Fails if keys still arrive.
_aside_unless_seen() {
  local code=0
  builtin printf '\e[?25l' >&2
  _aside_draw "$READLINE_LINE"
  _aside_drain || code=$?
  _aside_erase
  builtin printf '\e[?25h' >&2
  return "$code"
}

_aside_drain() {
  (
    builtin trap '' TSTP INT
    "$_aside_bin" drain "$@"
  ) 2>/dev/null
}

# Runs our program: the function named writes its input, on standard input, since every user can read arguments. Its standard output goes
# into _aside_heard, its notes stand above the prompt. Ctrl-C ends that, and leaves the line above the prompt if it was drawn.
_aside_hear() {
  local file=$_aside_socket.$$.heard note code=0
  _aside_heard=()
  _aside_has_place || { _aside_erase; return 0; }
  (
    builtin trap '' TSTP
    builtin trap : INT
    "$1" | ASIDE_SOCKET=$_aside_socket "$_aside_bin" "${@:2}"
  ) >|"$file" 2>|"$file.notes" || code=$?
  if (( code > 128 )) && [[ -n ${_aside_drawn-} ]]; then
    _aside_drawn=''
    builtin printf '\e[K\n' >&2
  else
    _aside_erase
    builtin mapfile -t _aside_heard <"$file"
    # _aside_unless_seen shows the cursor again.
    [[ -z ${_aside_hides-} ]] || (( ${#_aside_heard[@]} == 0 )) || builtin printf '\e[?25l' >&2
    while IFS= builtin read -r note; do _aside_note "$note"; done <"$file.notes"
  fi
  command rm -f -- "$file" "$file.notes"
  return "$code"
}

# Whether our files can be written: they stand beside the socket.
_aside_has_place() { [[ -d ${_aside_socket%/*} && -w ${_aside_socket%/*} ]]; }

_aside_tell_text() { builtin printf '%s' "$_aside_text"; }

# The line, and the command that ran before it.
_aside_tell_line() {
  builtin printf '%s\0' "$_aside_left" "$_aside_right" "${_aside_ended[8]-}" "${_aside_ended[4]-}" "${_aside_ended[2]-}"
}

# Puts the received lines into the line, one for each press; after the last comes what was typed.
_aside_offer() {
  _aside_offers=("${READLINE_LINE-}" "${_aside_heard[@]}")
  _aside_show 1
}

_aside_show() {
  local text=${_aside_offers[$1]} cursor=''
  if (( $1 > 0 )); then
    [[ $text != *$'\x1f'* ]] || cursor=${text#*$'\x1f'}
    text=${text%%$'\x1f'*}
    _aside_offered=$text
  fi
  # Beyond the end is the end. Some versions of bash count bytes instead of letters.
  [[ $cursor =~ ^[0-9]+$ && $text != *[![:ascii:]]* ]] || cursor=2000000000
  _aside_at=$1 _aside_shown=$text READLINE_LINE=$text READLINE_POINT=$cursor
}
