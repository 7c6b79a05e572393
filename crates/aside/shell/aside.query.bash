
# Requests: `? words` and Enter puts a command in the place of the words, with others and a warning above the prompt. It runs
# when Enter is pressed again, and ↑ brings the words back.

_aside_query() {
  local file=$_aside_socket.$$.query found note
  # On standard input: arguments can be read by everybody. Ctrl-C ends the question and nothing else.
  (
    builtin trap '' TSTP
    builtin trap : INT
    builtin printf '%s' "$1" | ASIDE_SOCKET=$_aside_socket "$_aside_bin" translate --for-line -n 3 --shell bash
  ) >|"$file" 2>|"$file.notes"
  found=$(<"$file")
  while IFS= builtin read -r note; do _aside_note "$note"; done <"$file.notes"
  command rm -f -- "$file" "$file.notes"
  _aside_armed=1
  _aside_hold end-of-line
  [[ -n $found ]] || return 0
  [[ ! -o history ]] || builtin history -s -- "$READLINE_LINE"
  _aside_number=''
  READLINE_LINE=$found _aside_offered=$found
}
