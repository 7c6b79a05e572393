
# Prose: such a line is answered instead of run, before it runs or after it has failed. The daemon decides what is prose; this only keeps
# other lines from costing anything.
#
# bash runs nothing of ours at Enter but what `bind -x` binds, so Enter stands for two keys that no terminal sends: on one _aside_enter
# looks at the line, the other accepts it. For the first, readline wipes the line and draws it again.

# What is only needed once a line was accepted, or one of these keys pressed, is in a file of its own, which bash reads then: it would take as
# long as the rest before the first prompt. Until then these stand for the functions of the same name there.
_aside_next() { ! _aside_load || _aside_next "$@"; }
_aside_previous() { ! _aside_load || _aside_previous "$@"; }
_aside_explain() { ! _aside_load || _aside_explain "$@"; }
_aside_empty() { ! _aside_load || _aside_empty "$@"; }
_aside_default() { ! _aside_load || _aside_default "$@"; }

_aside_sought=''

# Fails where the file is not to be had, or is of another version: then nothing is asked in this shell. It begins with its digest.
_aside_load() {
  [[ -n ${_aside_late-} ]] || return 0
  [[ -z $_aside_sought ]] || return 1
  _aside_has_late || {
    # What `aside init` printed may have been kept for another day.
    _aside_sought=1
    "$_aside_bin" init bash &>/dev/null </dev/null
    _aside_has_late || return 1
    _aside_sought=''
  }
  local code=0 aliases=''
  # Those that an rc file defines after our line are not meant for us.
  ! shopt -q expand_aliases || { aliases=1; shopt -u expand_aliases; }
  builtin source -- "$_aside_late" 2>/dev/null || code=1
  [[ -z $aliases ]] || shopt -s expand_aliases
  (( code )) || _aside_late=''
  return "$code"
}

_aside_has_late() {
  local line=''
  [[ -f $_aside_late && -O $_aside_late && ! -L $_aside_late ]] && builtin read -r line <"$_aside_late" && [[ $line == "# $_aside_digest" ]]
}

# Everything that Enter costs a line that is plainly a command. Fails where a function of the user reads a line.
_aside_enter() {
  local code=$?
  # A trace is of what the user runs.
  [[ $- != *x* ]] || { local -; set +x; } 2>/dev/null
  [[ -z ${_aside_held-} ]] || _aside_let_go
  (( ${#FUNCNAME[@]} == 1 )) || return 1
  # The first line at a prompt only: none that continues it, and none that a command reads.
  [[ -z ${_aside_armed-} || -n ${_aside_began-} || -z ${_aside_on-} ]] || ! _aside_load || _aside_look "$code"
  [[ -z ${_aside_mark-} || -n ${_aside_began-} || -z ${READLINE_LINE-} ]] || _aside_foresee "$READLINE_LINE"
  return 0
}

_aside_let_go() {
  local map IFS=' '
  _aside_held=''
  for map in $_aside_maps; do builtin bind -m "$map" '"\e[77702~": accept-line'; done
}

# Before each prompt: how the line ended, and the line if it came into the history.
_aside_talk() {
  local new=''
  if [[ -z ${_aside_bound-} ]]; then
    _aside_bind
    new=1
  else
    _aside_bind_other
    [[ -z ${_aside_again-} ]] || _aside_be_last
  fi
  [[ -z ${_aside_tab_was-} ]] || _aside_return_tab
  [[ -z ${_aside_held-} ]] || _aside_let_go
  _aside_noted='' _aside_offers=()
  # Nothing was typed before the first prompt.
  [[ -n $new ]] || ! _aside_load || _aside_reply "$1" "$2"
  _aside_offered='' _aside_armed=1
}

# Simple commands only: inside a here-document bash would read no other. $_ is an argument, so it is what it was afterwards. A DEBUG trap of
# the user hears of each command here, so there is one, unless it fails.
#
# A key of the user may call a function that reads a line with `read -e`. bash then takes what was read for the line at the prompt once we
# have looked at it, and runs it; so the line at the prompt is made empty, behind a local one.
_aside_at_enter='_aside_enter "$_" || eval "$_aside_empties"'
_aside_empties='local READLINE_LINE="$READLINE_LINE"; declare -g READLINE_LINE='

# The keys that accept the line, of the keys that are in use.
_aside_enters_of() {
  local map maps=emacs IFS=' '
  [[ $_aside_keys == emacs ]] || maps='vi-insert vi-command'
  for map in $maps; do
    builtin printf '%s ' "$map"
    builtin bind -m "$map" -q accept-line 2>/dev/null || builtin printf '\n'
  done
}

# All that has to be known of keys and completions, between bytes 0x1E.
_aside_bindings() {
  _aside_enters_of
  builtin printf '\x1e'
  builtin bind -m "$_aside_keys" -psX 2>/dev/null
  builtin printf '\x1e'
  complete -p -D 2>/dev/null
  complete -p -E 2>/dev/null
  builtin printf '\x1e'
}

# What was read behind us, now or when the rc file was read again, may have set PROMPT_COMMAND and PS0 anew.
_aside_be_last() {
  _aside_again=''
  _aside_frame_last
  _aside_time_commands
}

# Where Enter accepts the line, it asks first. Where it does something of the user, that stays, and prose is noticed after it has failed. At
# the first prompt, when everything else has been read.
_aside_bind() {
  local -a lists=()
  _aside_keys=emacs
  [[ ! -o vi ]] || _aside_keys=vi-insert
  _aside_be_last
  _aside_bound=1 _aside_maps='' _aside_enters=theirs
  if [[ -n ${BLE_VERSION-} ]]; then
    _aside_enters=ble.sh
  elif [[ -o emacs || -o vi ]]; then
    # Only of the keys that are in use, which takes a millisecond. From a file bash reads blocks, and from a here-string single bytes.
    # Patterns such as ${found%%x*} take 60 ms for so long a text.
    if _aside_put _aside_bindings; then
      builtin mapfile -n 3 -d $'\x1e' -t lists <"$_aside_scratch"
      _aside_blank "$(( ${#lists[0]} + ${#lists[1]} + ${#lists[2]} + 8 ))"
    else
      builtin mapfile -n 3 -d $'\x1e' -t lists <<<"$(_aside_bindings)"
    fi
    _aside_bind_enter
    _aside_bind_keys
  fi
  _aside_facts="keys=${_aside_keys%-insert}"$'\n'"enter=$_aside_enters"
  # When the rc file has been read, HISTFILE is what it stays: the daemon reads it once, while it has no history.
  # A session that greets as a private one stays so.
  [[ -z ${_aside_on-} || ${ASIDE_PRIVATE:-0} != 0 ]] || _aside_send 1 hello 1 "$_aside_version" bash "$BASH_VERSION" "$_aside_session" "$$" "${HISTFILE-}" \
    "$_aside_facts" 0
}

# Those of ${lists[0]}.
_aside_bind_enter() {
  local - line map keys IFS=$'\n'
  set -f
  for line in ${lists[0]-}; do
    map=${line%% *} keys=()
    [[ $line != *'"\C-j"'* ]] || keys+=('"\C-j": "\e[77701~\e[77702~"')
    if [[ $line == *'"\C-m"'* ]]; then
      keys+=('"\C-m": "\e[77701~\e[77702~"')
      [[ $map != "$_aside_keys" ]] || _aside_enters=ours
    fi
    (( ${#keys[@]} )) || continue
    builtin bind -m "$map" -x "\"\\e[77701~\": $_aside_at_enter"
    builtin bind -m "$map" '"\e[77702~": accept-line' "${keys[@]}"
    _aside_maps+=" $map"
  done
}

# At the first prompt, when everything else has been read: the bindings of the keys that are in use, and the default completion. `lists` is
# what _aside_bind has read: copies of so long a text would take as long.
_aside_bind_keys() {
  local spec=${lists[2]-}
  _aside_bind_free
  [[ ${_aside_tab-} != leave ]] || return 0
  if [[ $spec != *' -E'* ]]; then complete -o nospace -o bashdefault -o default -F _aside_empty -E; fi
  spec=${spec%%$'\n'*}
  _aside_default_was=''
  if [[ $spec != *' -D' ]]; then
    complete -o bashdefault -o default -F _aside_default -D
  elif [[ $spec =~ ' -F '([^ ]+)' -D'$ && ${BASH_REMATCH[1]} != _aside_default ]]; then
    _aside_default_was=${BASH_REMATCH[1]}
    spec=${spec/ -F $_aside_default_was -D/ -F _aside_default -D}
    # Words of letters alone: it may have come through a file.
    if [[ $spec =~ ^complete(\ [-A-Za-z_]+)+$ ]]; then
      local - IFS=' '
      set -f
      $spec
    else
      _aside_default_was=''
    fi
  fi
}

# Keys that nothing is bound to, of those in use: ${lists[1]}.
_aside_bind_free() {
  local - pair keys='\e[1;2B:_aside_next \e[1;2A:_aside_previous' IFS=' '
  _aside_keys_bound+=" $_aside_keys "
  # In vi mode Escape and a letter are two keys.
  [[ $_aside_keys != emacs ]] || keys+=' \ei:_aside_explain'
  # For bash 5.0 a backslash makes a pattern, which nullglob removes.
  set -f
  for pair in $keys; do
    [[ ${lists[1]-} == *"\"${pair%:*}\""* ]] ||
      builtin bind -m "$_aside_keys" -x "\"${pair%:*}\": ${pair##*:} \"\$_\" || : \"\$_\""
  done
}

# The user has changed from emacs to vi or back.
_aside_bind_other() {
  local keys=emacs
  [[ ! -o vi ]] || keys=vi-insert
  [[ -z ${_aside_keys_bound-} || $_aside_keys_bound == *" $keys "* ]] || {
    _aside_keys=$keys
    local -a lists=("$(_aside_enters_of)" "$(builtin bind -m "$keys" -psX 2>/dev/null)")
    _aside_bind_enter
    _aside_bind_free
  }
}
