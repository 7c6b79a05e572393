
# Keys: Shift-↓ puts replacements for the line into it, one after the other, and Shift-↑ goes back to what was typed. On the empty line that
# is the next command. Alt-I explains the line. Tab completes names of commands that nothing else completes. Runs nothing, and keeps the key
# bindings of the user. bash cannot draw below the line: notes stand above it.

_aside_next() {
  local line words _aside_hides=''
  _aside_may || return 0
  line=${READLINE_LINE-}
  words=${line#"${line%%[![:space:]]*}"}
  if (( ${#_aside_offers[@]} )) && [[ $line == "$_aside_shown" ]]; then
    _aside_show $(( (_aside_at + 1) % ${#_aside_offers[@]} ))
  elif [[ -n ${_aside_query_prefix-} && $words == "$_aside_query_prefix"[[:space:]]*[![:space:]]* ]]; then
    words=${words#"$_aside_query_prefix"}
    _aside_query "${words#"${words%%[![:space:]]*}"}"
  elif [[ -S $_aside_socket ]] && _aside_split "$line"; then
    # The next command is new; a candidate goes on with what was typed, and keys behind it belong to it.
    [[ -n $words ]] || _aside_hides=1
    _aside_hear _aside_tell_line line --shell bash --session "$_aside_session" --width "${COLUMNS:-80}" || :
    (( ${#_aside_heard[@]} )) || return 0
    _aside_offer
    [[ -z $_aside_hides ]] || _aside_unless_seen || _aside_show 0
  fi
}

_aside_previous() {
  _aside_may && (( ${#_aside_offers[@]} )) && [[ ${READLINE_LINE-} == "$_aside_shown" ]] || return 0
  _aside_show $(( (_aside_at + ${#_aside_offers[@]} - 1) % ${#_aside_offers[@]} ))
}

_aside_explain() {
  local row
  _aside_may && [[ ${READLINE_LINE-} == *[![:space:]]* ]] || return 0
  _aside_text=$READLINE_LINE
  _aside_hear _aside_tell_text explain --short --shell bash || :
  for row in "${_aside_heard[@]}"; do _aside_note "$row"; done
}

# Whether it is the line at the prompt: not one that a command reads, nor one inside a function of another key.
_aside_may() {
  [[ -n ${_aside_on-} && -z ${_aside_began-} ]] || return 1
  local callers=("${FUNCNAME[@]:1}")
  # At the first press that function has read this file, and called its new self.
  [[ ${callers[1]-} != "${callers[0]}" ]] || callers=("${callers[@]:1}")
  (( ${#callers[@]} == 1 )) || [[ ${#callers[@]} == 2 && ${callers[1]} == aside-* ]]
}

# Both sides of the cursor. Where letters and bytes differ, only the end of the line is certain.
_aside_split() {
  local point=${READLINE_POINT:-0} letters=${#1} LC_ALL=C
  if (( letters == ${#1} )); then
    _aside_left=${1:0:point} _aside_right=${1:point}
  elif (( point == letters || point == ${#1} )); then
    _aside_left=$1 _aside_right=''
  else
    return 1
  fi
}

# Completions of the word at the cursor: names that the command has. bash completes files itself.
_aside_words() {
  local row _aside_left=${COMP_LINE:0:COMP_POINT} _aside_right=''
  [[ -n ${_aside_on-} && -S $_aside_socket && $_aside_left == *"$2" && $2 != *[!-[:alnum:]_.:=@,+%]* ]] || return 0
  while IFS= builtin read -r row; do
    [[ $row == *$'\t'* ]] || continue
    row=$2${row%%$'\t'*}
    COMPREPLY+=("$row")
    [[ $row != *= ]] || compopt -o nospace
  done <<<"$(_aside_tell_line | ASIDE_SOCKET=$_aside_socket "$_aside_bin" line --words --shell bash \
    --session "$_aside_session" 2>/dev/null)"
}

# The next command, on the empty line.
_aside_empty() {
  local row _aside_left='' _aside_right=''
  [[ -n ${_aside_on-} && -S $_aside_socket ]] || return 0
  row=$(_aside_tell_line | ASIDE_SOCKET=$_aside_socket "$_aside_bin" line --words --shell bash \
    --session "$_aside_session" 2>/dev/null)
  [[ -n $row ]] || return 0
  # It is shown, and only then into the line: an Enter that was typed before is no approval.
  builtin printf '\e[?25l\e7\e[?7l%s\e[?7h\e8' "${row//[[:cntrl:]]/ }" >&2
  ! _aside_drain || COMPREPLY=("$row")
  builtin printf '\e[J\e[?25h' >&2
}

# A command that nothing completes. A completion loader comes first, and returns 124 if it has loaded something.
_aside_default() {
  local code=0
  if [[ -n $_aside_default_was ]]; then
    "$_aside_default_was" "$@" || code=$?
    [[ $code != 124 ]] || _aside_replace_minimal "$1"
    (( code != 124 && ${#COMPREPLY[@]} == 0 )) || return "$code"
  fi
  _aside_words "$@"
}

# For an unknown command, bash-completion completes files only.
_aside_replace_minimal() {
  local spec name
  spec=$(complete -p -- "$1" 2>/dev/null) || return 0
  for name in _minimal _comp_complete_minimal; do
    [[ $spec != *" -F $name "* ]] || { _aside_minimal_is=$name; complete -F _aside_minimal -- "$1"; }
  done
}

_aside_minimal() {
  _aside_words "$@"
  (( ${#COMPREPLY[@]} )) || "$_aside_minimal_is" "$@"
}
