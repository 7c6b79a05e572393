# What only this shell knows, told to the daemon: where it looks for programs, aliases, functions, builtins, named
# directories, and the names of variables, never their values. Read like aside.zsh, and after it.
#
# Told where a line begins, as much as one write may hold, and the rest with the next lines: the prompt is drawn by then,
# and zsh does not forget a Ctrl-C there, as it does where it calls us with an answer. Where the first line begins nothing
# is told, and PATH before the first question: whatever is told is answered, and people do press Ctrl-C at a first prompt.

typeset -ga _aside_kinds                     # Lists that are still to be told.
typeset -ga _aside_list                      # What is left of the first of them; aliases and directories with their values.
typeset -gi _aside_piece=-1                  # The number of the part that comes next; -1 when it has to be collected first.
typeset -gi _aside_naming=0                  # The last message about it.
typeset -gi _aside_stale=1                   # A command ran since the names were counted.
typeset -gA _aside_counted                   # How many names there were when a list was last told.

# Notes which lists have changed. How many names there are says enough, and costs little.
_aside_count() {
  _aside_stale=0
  zmodload zsh/parameter 2>/dev/null || return 0
  local -A counts=(
    path "$PATH" alias $(( $#aliases * 10000 + $#galiases )) function ${#${(k)functions}} builtin 1
    variable ${#${(k)parameters}} directory $#nameddirs
  )
  local kind
  for kind in path alias function builtin variable directory; do
    [[ $counts[$kind] == "${_aside_counted[$kind]-none}" ]] && continue
    _aside_counted[$kind]=$counts[$kind]
    # One that is under way is told from the beginning.
    [[ $kind == ${_aside_kinds[1]-} ]] && _aside_piece=-1
    if [[ $kind == path ]]; then
      # The first word of the line needs it.
      _aside_kinds=(path ${_aside_kinds:#path}) _aside_piece=-1
    elif (( ! $_aside_kinds[(I)$kind] )); then
      _aside_kinds+=($kind)
    fi
  done
}

# Tells what there is room for, and at most so many parts.
_aside_name() {
  local text kind name value
  local -a names
  local -i count most=$1
  while (( $#_aside_kinds )); do
    kind=$_aside_kinds[1]
    (( _aside_piece >= 0 )) || _aside_collect
    text= count=128
    while (( $#_aside_list )); do
      (( count > $#_aside_list )) && count=$#_aside_list
      names=("${(@)_aside_list[1,count]}")
      _aside_sift
      text=${(F)names}
      if (( $#text > 1200 && count > 2 )); then
        # Pairs stay together.
        (( count = count / 4 * 2 ))
        continue
      fi
      # The daemon takes no longer ones.
      (( $#text > 2000 )) && text=
      [[ -n $text ]] && break
      shift $count _aside_list
    done
    # An empty list is told as well.
    if [[ -n $text ]] || (( ! _aside_piece )); then
      _aside_send $(( _aside_seq + 1 )) names "$_aside_session" $kind $_aside_piece "$text" || return 0
      (( _aside_naming = ++_aside_seq, ++_aside_piece ))
      (( $#_aside_list )) && shift $count _aside_list
    fi
    (( $#_aside_list )) || _aside_kinds=("${(@)_aside_kinds[2,-1]}") _aside_piece=-1
    (( --most )) || return 0
  done
}

_aside_collect() {
  setopt localoptions extendedglob
  _aside_list=() _aside_piece=0
  zmodload zsh/parameter 2>/dev/null || return 0
  case $kind in
    path) _aside_list=(${(s.:.)PATH}) ;;
    alias) _aside_list=("${(@kv)aliases}" "${(@kv)galiases}") ;;
    directory) _aside_list=("${(@kv)nameddirs}") ;;
    function) _aside_list=(${(k)functions}) ;;
    builtin) _aside_list=(${(k)builtins}) ;;
    # Not our own, which are local here.
    variable) _aside_list=(${(k)parameters[(R)^*local*]}) ;;
  esac
}

# Makes what is to be told of what is in the list.
_aside_sift() {
  case $kind in
    alias|directory)
      local -a pairs=("${(@)names}")
      names=()
      for name value in "${(@)pairs}"; do names+=("$name=${value//$'\n'/; }"); done ;;
    function)
      # Not those that only zsh or a plugin calls.
      names=(${names:#([_.+-]*|azhw:*|TRAP*|zle-*|aside-[^o]*|precmd|preexec|chpwd|periodic|zsh(addhistory|exit))})
      names=(${names:#(command_not_found_handler|zsh_directory_name)}) ;;
    variable) names=(${names:#_*}) ;;
  esac
  # A control character would be one of the terminal's.
  names=(${names:#*[[:cntrl:]]*})
}
