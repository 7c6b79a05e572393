# What only this shell knows, sent to the daemon: where it looks for programs, aliases, functions, builtins, named directories, and the
# names of variables, never their values. Read like aside.zsh, and after it.
#
# Sent where a line begins, as much as one write may hold, and the rest with the next lines: the prompt is drawn by then, and zsh does not
# forget a Ctrl-C there, as it does where it calls us with a reply. Nothing is sent where the first line begins: whatever is sent gets a
# reply, and users do press Ctrl-C at a first prompt. PATH, aliases and functions are sent before the first question, which waits for them.

typeset -ga _aside_kinds                     # Lists that are still to be sent.
typeset -ga _aside_list                      # What is left of the first of them; aliases and directories with their values.
typeset -gi _aside_piece=-1                  # The number of the next part; -1 when the list has to be collected first.
typeset -gi _aside_named=0                   # What a first word can name was sent to this daemon.
typeset -gi _aside_naming=0                  # The last message about it.
typeset -gi _aside_stale=1                   # A command ran since the names were counted.
typeset -gA _aside_counted                   # How many names there were when a list was last sent.

# Notes which lists have changed. The number of names is a sufficient and cheap sign.
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
    # One that is partly sent starts again from the beginning.
    [[ $kind == ${_aside_kinds[1]-} ]] && _aside_piece=-1
    if [[ $kind == path ]]; then
      # The first word of the line needs it.
      _aside_kinds=(path ${_aside_kinds:#path}) _aside_piece=-1
    elif (( ! $_aside_kinds[(I)$kind] )); then
      _aside_kinds+=($kind)
    fi
  done
}

# Before the first question: sends what a first word can name, as much as there is room for. Fails while some of it is left.
_aside_name_first() {
  if (( _aside_stale )); then _aside_count; fi
  while (( $#_aside_kinds && ! _aside_named )); do
    case $_aside_kinds[1] in
      path|alias|function) ;;
      *) break ;;
    esac
    _aside_name 1 || return 1
  done
  _aside_named=1
}

# Sends what there is room for, at most so many parts. Fails where there is no room.
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
        count=$(( count / 4 * 2 ))
        continue
      fi
      # The daemon accepts no longer ones.
      (( $#text > 2000 )) && text=
      [[ -n $text ]] && break
      builtin shift $count _aside_list
    done
    # An empty list is sent as well.
    if [[ -n $text ]] || (( ! _aside_piece )); then
      _aside_send $(( _aside_seq + 1 )) names "$_aside_session" $kind $_aside_piece "$text" || return 1
      (( _aside_naming = ++_aside_seq, ++_aside_piece ))
      (( $#_aside_list )) && builtin shift $count _aside_list
    fi
    (( $#_aside_list )) || _aside_kinds=("${(@)_aside_kinds[2,-1]}") _aside_piece=-1
    (( --most )) || return 0
  done
  return 0
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

# Filters the list into what is sent.
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
  # A terminal would interpret a control character.
  names=(${names:#*[[:cntrl:]]*})
}

# Tells the daemon what `aside doctor` is about to ask, as it is now: plugins and keys may have changed since the last hello.
_aside_report() {
  local REPLY now silent=${(M)${(f)_aside_facts}:#was silent=*}
  _aside_printed bindkey -lL main
  _aside_keymap=
  [[ $REPLY == *'-A vi'* ]] && _aside_keymap=vi
  _aside_look_around
  # It works again by now.
  [[ -z $_aside_silent && -n $silent ]] && _aside_facts+=$'\n'$silent
  # The first reply may be on its way still.
  (( _aside_told || _aside_prompts < 4 )) || _aside_facts+=$'\n'replies=none
  local facts=$_aside_facts
  if [[ $_aside_enter_is == bypassed ]]; then
    _aside_printed bindkey -M main '^M'
    now=${REPLY##*\" }
    if [[ $now != (_aside_*|aside-*|\"*) && ${widgets[$now]-} != (builtin|user:_aside_*) ]]; then
      _aside_owner "$now"
      facts+=$'\n'"enter by=$REPLY"
    fi
  fi
  _aside_find_taken
  _aside_tell "$facts$REPLY"
}

# A widget, with its function where that has another name, and the file that the function comes from, as far as zsh knows.
_aside_owner() {
  local widget=$1 body=${widgets[$1]-}
  local function=${body##*:}
  [[ $body == (user|completion):* ]] || function=
  REPLY=
  if [[ -n $function ]]; then
    _aside_source "$function"
    # A plugin that wraps widgets makes functions of no file; what is wrapped is often a function of the widget's name.
    [[ -z $REPLY ]] && (( $+functions[$widget] )) && function=$widget && _aside_source "$widget"
    [[ $function == $widget ]] || widget+="($function)"
  fi
  REPLY="$widget $REPLY"
}
