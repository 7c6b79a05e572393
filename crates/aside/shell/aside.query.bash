
# Requests: `? words` and Enter replaces the words with a command, with others and a warning above the prompt. It runs when Enter is pressed
# again, and ↑ brings the words back.

_aside_query() {
  _aside_text=$1
  _aside_hear _aside_tell_text translate --for-line -n 3 --shell bash
  (( ${#_aside_heard[@]} )) || return 0
  [[ ! -o history ]] || builtin history -s -- "$READLINE_LINE"
  # The words are no command; what runs next is one.
  _aside_count "$(HISTTIMEFORMAT='' builtin history 1)" && _aside_number=$_aside_counted
  _aside_offer
}

# Runs our program: the function named writes its input, on standard input, since every user can read arguments. Its standard output goes
# into _aside_heard, its notes stand above the prompt. Ctrl-C ends that and nothing else.
_aside_hear() {
  local file=$_aside_socket.$$.heard note
  (
    builtin trap '' TSTP
    builtin trap : INT
    "$1" | ASIDE_SOCKET=$_aside_socket "$_aside_bin" "${@:2}"
  ) >|"$file" 2>|"$file.notes" || :
  _aside_heard=()
  builtin mapfile -t _aside_heard <"$file"
  while IFS= builtin read -r note; do _aside_note "$note"; done <"$file.notes"
  command rm -f -- "$file" "$file.notes"
}

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
