# What Aside for zsh takes from the shell and from other plugins: keys, hooks, traps, functions of zsh-autosuggestions. Records here what it
# takes, and gives it back here. Read like aside.zsh, and after it.

typeset -gA _aside_keys_before               # The widget that a key had, by keymap and key.
typeset -gA _aside_replaced                  # What a widget was that we took the place of: builtin, or as in `widgets`.
typeset -gA _aside_trap_was                  # What a trap of ours replaced: none, function, or a text; ignored, which stays.
typeset -gA _aside_trap_calls                # 1 where that was a function, 2 if it says `return`: our trap calls it.
(( $+_aside_trap_calls[INT] )) || _aside_trap_calls=(INT 0 WINCH 0)
typeset -gi _aside_trap_skips=0              # Whether our trap, and no other, makes zsh skip a precmd function.
typeset -gi _aside_armed=${_aside_armed:-0}  # Our traps: 1 while they are on their way, 2 when they are in place.
typeset -gi _aside_hook_limit=20             # How often a hook is put back.
typeset -ga _aside_ignored                   # Widgets that we told zsh-autosuggestions to leave alone.
typeset -ga _aside_still_called              # Functions of ours that others go on calling after we are gone.
typeset -ga _aside_kept                      # Those that are needed a second longer.
# The hooks of the line editor and our function on each.
typeset -gA _aside_on_hook
_aside_on_hook=(line-init _aside_begin line-finish _aside_end line-pre-redraw _aside_edit
  isearch-update _aside_search isearch-exit _aside_found)

# Widgets

# Puts a function of ours in the place of a widget, under its own name: so the widgets of the user see the WIDGET and LASTWIDGET that they
# see without us, a key keeps the flags that zsh stores for its widget, and what knows the widget by its name (a menu, a search, a copy of
# a keymap) goes on knowing it. What was there gets a name with a dot, since other plugins wrap all widgets without one.
_aside_replace() {
  local now=${widgets[$1]-}
  local -a reply
  [[ -n $now && $now != user:_aside_* ]] || return 0
  (( $+_aside_replaced[$1] )) && _aside_widgets_with $2
  if (( ! $#reply )); then
    # What ours stands for where another plugin wraps it. It is another one when a new widget got the name, and ours was gone.
    _aside_alias $1 ._aside_first_$1
  elif [[ $now != user:_zsh_autosuggest_* ]]; then
    # Another plugin has wrapped it since, and goes on calling ours. But zsh-autosuggestions removes what we show first, so ours goes around
    # it.
    return 0
  fi
  [[ $now == builtin ]] || _aside_alias $1 ._aside_was_$1
  _aside_replaced[$1]=$now
  zle -N $1 $2
  # See _aside_pass.
  [[ $now == completion:* ]] && _aside_alias $1 ._aside_ours_$1
  return 0
}

# The same with a copy of _aside_at, which keeps the options of the user. Without `functions -c`, which zsh has since 5.8, there is no such
# copy, and the key is bound instead.
_aside_replace_at() {
  if (( ! $+functions[_aside_at_$1] )); then
    functions -c _aside_at _aside_at_$1 2>/dev/null || return 1
    # A function of ours is no reason to tell the daemon about all of them again.
    (( $+_aside_counted[function] )) && _aside_counted[function]=$(( _aside_counted[function] + 1 ))
  fi
  _aside_replace $1 _aside_at_$1
}

# Others may keep ours as what was there before them: they get what they would have found without us, which is what we found first. We may
# have wrapped them since.
_aside_put_back() {
  local ours entry was=._aside_was_$1
  local -a reply
  [[ $_aside_replaced[$1] == builtin ]] && was=.$1
  for ours in _aside_key_$1 _aside_at_$1; do
    _aside_widgets_with $ours
    for entry in $reply; do
      case $entry in
        _aside_key_*) ;;
        $1) zle -A $was $entry ;;
        *autosuggest-orig-<->-$1) _aside_found_by_autosuggestions $1 $entry ;;
        *) _aside_found_by_others $1 $entry ;;
      esac
    done
  done
  unset "_aside_replaced[$1]"
}

# A highlighter calls a builtin by its name, and keeps nothing. An alias of it would be taken for a builtin of that name when it wraps all
# widgets again.
_aside_found_by_others() {
  local wrapper=_zsh_highlight_widget_$2
  if [[ $widgets[._aside_first_$1] == builtin ]] && (( $+functions[$wrapper] )); then
    functions[$wrapper]=${functions[$wrapper]//$2/.$1}
    zle -D $2
  else
    zle -A ._aside_first_$1 $2
  fi
}

# As zsh-autosuggestions keeps a widget that it wraps, which a highlighter may keep again under a longer name.
_aside_found_by_autosuggestions() {
  if [[ $widgets[._aside_first_$1] == builtin ]]; then
    functions[_zsh_autosuggest_orig_$1]="zle .$1"
    zle -N $2 _zsh_autosuggest_orig_$1
  else
    zle -A ._aside_first_$1 $2
  fi
}

# Keys

# Keymap, key, our widget, and what is there.
_aside_rebind() {
  local slot="$1 ${(V)2}"
  [[ $4 == (_aside_*|aside-*) ]] || _aside_keys_before[$slot]=$4
  bindkey -M $1 "$2" $3
}

_aside_unbind() {
  local slot="$1 ${(V)2}"
  local before=${_aside_keys_before[$slot]-}
  _aside_keys_before[$slot]=
  case $before in
    '') ;;
    undefined-key) bindkey -M $1 -r "$2" ;;
    \"*) bindkey -M $1 -s "$2" "${${before#\"}%\"}" ;;
    *) bindkey -M $1 "$2" $before ;;
  esac
}

_aside_print_slots() {
  local slot
  for slot; do bindkey -M ${slot%% *} "${slot#* }"; done
}

# Unbinds what is still ours, also in a keymap that is a copy of one of these.
_aside_unbind_all() {
  local keymap line key slot before REPLY
  local -A keys=("${(@kv)_aside_keys_before}")
  _aside_printed bindkey -l
  for keymap in ${(f)REPLY}; do
    _aside_printed bindkey -M $keymap
    for line in ${(M)${(f)REPLY}:#\"*\" (_aside_*|aside-*)}; do
      key=${${line#\"}%\" *}
      # The user may bind the switches.
      [[ $line == *' aside-o'(n|ff) ]] && continue
      for before in "${keys[$keymap $key]-}" "${keys[emacs $key]-}" "${keys[viins $key]-}" "${_aside_held[${(g:c:)key}]-}" ''; do
        [[ -n $before ]] && break
      done
      # Bound by the user, as `aside-accept`.
      [[ -n $before || $line == *' _aside_'* ]] || continue
      slot="$keymap $key"
      _aside_keys_before[$slot]=${before:-undefined-key}
      _aside_unbind $keymap "$key"
    done
  done
  _aside_keys_before=()
}

# Traps

# Ctrl-C ends a line without zle-line-finish, and would leave what is drawn on the screen; a resize has no hook either. So there are traps,
# from the first drawing to the end of the line, but not while the shell completes: a trap also ends the line where Ctrl-C only answers a
# question (whether to list all completions). zsh remembers how deep in functions a trap was set, and a function with local traps that is
# called less deep overwrites it for good: so ours are set outside of all functions, where zsh runs what is scheduled.
_aside_arm() {
  _aside_armed=1
  if ! _aside_schedule 0 _aside_arming; then eval "$_aside_arming"; fi
}

# What is scheduled must not change $?, $_ and $pipestatus of the user. zsh sets $_ to the last argument of a command, and $pipestatus after
# each one but these: a `case`, which leaves $? at 0, and a condition, which leaves it at 1. After a pipeline that ended otherwise
# $pipestatus is lost. What is left of `&&` may fail: it is no error for err_exit, err_return and ZERR.
typeset -g _aside_code=0 _aside_last_word= _aside_pipes=   # $?, $_ and $pipestatus at this prompt.
typeset -g _aside_status_first=$'_aside_code=$?\n' _aside_status_last=$'\n() { return $1 } $_aside_code "$_aside_last_word"'
_aside_schedule() {
  zmodload zsh/sched 2>/dev/null || return 1
  local pipes='"${(A)pipestatus::=${(s: :)_aside_pipes}}"' ends=' && case 0 in esac' last=
  case "$_aside_code $_aside_pipes" in
    '0 '*' '*) last="case $pipes in esac" ends= ;;
    '1 '*' '*) last="[[ -z $pipes ]]$ends" ;;
    '0 '*) ends= ;;
  esac
  # As short as possible: a Ctrl-C that comes while zsh parses it takes the next key.
  sched +$1 "{ 'emulate' 'zsh' '-o' 'no_aliases' '-o' 'no_force_float' '-c' \"\$_aside_status_first\$$2\$_aside_status_last\"; } 2>/dev/null$ends
$last"
}

# Ctrl-C meanwhile would take the next key, and a trap that returns would return from here.
typeset -gi _aside_arrived=0
typeset -g _aside_arming='
_aside_arrived=0
{
if (( _aside_armed != 1 )); then
_aside_arrived=1
elif _aside_look_at_traps; then
[[ $_aside_trap_was[INT] == none ]] && functions[TRAPINT]=$functions[_aside_on_INT]
[[ $_aside_trap_was[WINCH] == none ]] && functions[TRAPWINCH]=$functions[_aside_on_WINCH]
[[ $_aside_trap_was[INT] == text:* ]] && trap -- "_aside_before_INT; ${_aside_trap_was[INT]#text:}" INT
[[ $_aside_trap_was[WINCH] == text:* ]] && trap -- "_aside_before_WINCH; ${_aside_trap_was[WINCH]#text:}" WINCH
_aside_arrived=1
elif (( ! _aside_armed )); then
_aside_arrived=1
fi
} always { if (( TRY_BLOCK_INTERRUPT || ! _aside_arrived )); then TRY_BLOCK_INTERRUPT=0; _aside_break_again; fi }'

# Records the existing traps, and wraps those that are functions: a copy leaves the trap as deep as it was.
_aside_look_at_traps() {
  local REPLY signal line
  local -a lines words
  if ! zle || [[ -z $_aside_drawn ]]; then
    _aside_armed=0
    return 1
  fi
  _aside_armed=2
  _aside_printed trap
  for signal in INT WINCH; do
    lines=(${(M)${(f)REPLY}:#trap -- * $signal})
    line=${lines[1]-}
    if (( $+functions[TRAP$signal] )); then
      if [[ $functions[TRAP$signal] == *_aside_was_TRAP* ]]; then
        # Still there: we have not seen how its line ended.
        _aside_trap_was[$signal]=none
        (( $+functions[_aside_was_TRAP$signal] )) && _aside_trap_was[$signal]=function
        continue
      fi
      _aside_trap_was[$signal]=function
      _aside_trap_calls[$signal]=1
      [[ $functions[TRAP$signal] == *(return|autoload -X)* ]] && _aside_trap_calls[$signal]=2
      functions -c TRAP$signal _aside_was_TRAP$signal 2>/dev/null || functions[_aside_was_TRAP$signal]=$functions[TRAP$signal]
      functions -c _aside_on_$signal TRAP$signal 2>/dev/null || functions[TRAP$signal]=$functions[_aside_on_$signal]
    elif [[ -z $line ]]; then
      _aside_trap_was[$signal]=none
    elif [[ $line == *_aside_before_* ]]; then
      _aside_trap_was[$signal]=ours
    elif [[ $signal == INT && -n ${__p9k_trapint-} ]]; then
      # powerlevel10k sets its trap anew whenever it is called, from this variable.
      _aside_trap_was[INT]=text:$__p9k_trapint
      __p9k_trapint="_aside_before_INT; $__p9k_trapint"
    else
      words=(${(z)line})
      # A signal that is ignored stays so: it cannot end the line.
      _aside_trap_was[$signal]=ignored
      [[ -n ${(Q)words[3]} ]] && _aside_trap_was[$signal]=text:${(Q)words[3]}
    fi
  done
  # The parameter is loaded where it is first used, which must not be in the trap.
  (( _aside_trap_skips = 0 * $#funcstack ))
  [[ $_aside_trap_was[INT] == none ]] && (( _aside_trap_skips = $precmd_functions[(I)_aside_precmd] ))
  return 0
}

# A trap that is a text stays until `aside-off`: there is no way to set it as deep as it was.
_aside_disarm() {
  (( _aside_armed )) || return 0
  _aside_armed=0
  local signal
  for signal in INT WINCH; do
    case ${_aside_trap_was[$signal]-} in
      none) [[ ${functions[TRAP$signal]-} == *_aside_was_TRAP* ]] && unfunction TRAP$signal ;;
      function)
        (( $+functions[_aside_was_TRAP$signal] )) || continue
        if [[ ${functions[TRAP$signal]-} == *_aside_was_TRAP* ]]; then
          functions -c _aside_was_TRAP$signal TRAP$signal 2>/dev/null ||
            functions[TRAP$signal]=$functions[_aside_was_TRAP$signal]
        fi
        _aside_trap_calls[$signal]=0
        unfunction _aside_was_TRAP$signal ;;
    esac
  done
}

_aside_untrap() {
  local REPLY signal text
  local -a lines words
  _aside_disarm
  [[ ${__p9k_trapint-} == _aside_before_* ]] && __p9k_trapint=${__p9k_trapint#*; }
  _aside_printed trap
  for signal in INT WINCH; do
    lines=(${(M)${(f)REPLY}:#trap -- *_aside_before_* $signal})
    (( $#lines )) || continue
    words=(${(z)lines[1]})
    text=${(Q)words[3]}
    trap -- "${text#_aside_before_${signal}[$'\n';]}" $signal
  done
}

# Hooks

# The rc file of the user replaced the widget that calls us: wraps the new one. Or a widget that is called before us fails, which ends the
# chain: goes first. Has a limit, so that two plugins do not fight for ever.
_aside_hook_again() {
  local hook
  local -a chain
  for hook in $_aside_lost; do
    (( ${_aside_hooked[$hook]:-0} < _aside_hook_limit )) || continue
    _aside_hooked[$hook]=$(( ${_aside_hooked[$hook]:-0} + 1 ))
    if [[ $widgets[zle-$hook] == user:azhw:* ]] && zstyle -g chain zle-$hook widgets; then
      zstyle zle-$hook widgets 0:$_aside_on_hook[$hook] "${(@)chain:#<->:$_aside_on_hook[$hook]}"
    else
      _aside_hook $hook $_aside_on_hook[$hook]
    fi
  done 2>/dev/null
  _aside_lost=()
}

_aside_unhook() {
  local hook=$1 ours=$_aside_on_hook[$1] theirs=${${widgets[._aside_theirs_$1]-}#user:} entry
  local -a chain rest reply
  [[ ${widgets[zle-$hook]-} == user:_aside_redrawn ]] && zle -A ._aside_theirs_redraw zle-$hook
  _aside_unwrap_highlighter $hook $ours
  case ${widgets[zle-$hook]-} in
    user:_aside_end) _aside_depart ;;
    user:$ours) zle -D zle-$hook ;;
    user:_aside_around_$hook) zle -A ._aside_theirs_$hook zle-$hook ;;
    user:azhw:*)
      zstyle -g chain zle-$hook widgets
      for entry in "${(@)chain}"; do
        case $entry in
          *:user:_aside_around_$hook)
            _aside_alias ._aside_theirs_$hook user:$theirs
            rest+=("${entry%%:*}:user:$theirs") ;;
          *:$ours) ;;
          *) rest+=("$entry") ;;
        esac
      done
      if (( $#rest )); then
        zstyle zle-$hook widgets "${(@)rest}"
      else
        zstyle -d zle-$hook widgets
        zle -D zle-$hook
      fi ;;
  esac
  # Others keep it as what was there before them.
  _aside_widgets_with _aside_around_$hook
  for entry in $reply; do zle -A ._aside_theirs_$hook $entry; done
  # We may have wrapped a highlighter that had wrapped us.
  _aside_unwrap_highlighter $hook $ours
}

# A highlighter that came after us has wrapped our hook like any other widget. Leaves what it makes of a hook that does not exist.
_aside_unwrap_highlighter() {
  local hook=$1 wrapper=${${widgets[zle-$1]-}#user:}
  local inner=${wrapper#_zsh_highlight_widget_} alone=_zsh_highlight_widget_zle-$hook
  [[ $wrapper != $inner && ${widgets[$inner]-} == user:$2 ]] || return 0
  if [[ $hook == (line-finish|isearch-update) ]]; then
    functions[$alone]=$': \n_zsh_highlight'
    zle -N zle-$hook $alone
  else
    zle -D zle-$hook
  fi
  zle -D $inner
  unfunction $wrapper
}

# zsh-autosuggestions

# While we answer, zsh-autosuggestions pauses, and its keys take our text; when we cannot, it works as before.
_aside_quieten() {
  (( $+functions[_zsh_autosuggest_fetch] && ! $+_ZSH_AUTOSUGGEST_DISABLED )) || return 0
  typeset -g _ZSH_AUTOSUGGEST_DISABLED=
  _aside_rival=1
  _aside_share
}

# Around our widgets, and around those that we stand for, zsh-autosuggestions would find something behind the line to remove.
_aside_stay_unwrapped() {
  (( $+ZSH_AUTOSUGGEST_IGNORE_WIDGETS )) || return 0
  local name
  # A hook of ours has the second name where another plugin has added its own with add-zle-hook-widget.
  for name in 'aside-*' 'user:_aside_*' ${(k)_aside_replaced[(R)user:_zsh_autosuggest_*]}; do
    (( $ZSH_AUTOSUGGEST_IGNORE_WIDGETS[(Ie)$name] )) && continue
    ZSH_AUTOSUGGEST_IGNORE_WIDGETS+=($name)
    _aside_ignored+=($name)
  done
}

# Wraps the functions with which it takes what is shown. Copied, they keep the options of the user.
_aside_share() {
  local name
  for name in accept partial_accept execute; do
    [[ ${functions[_zsh_autosuggest_$name]-_aside_} == *_aside_* ]] && continue
    unset "functions[_aside_was_$name]"
    if ! functions -c _zsh_autosuggest_$name _aside_was_$name 2>/dev/null; then
      functions[_aside_was_$name]=$functions[_zsh_autosuggest_$name]
      functions[_zsh_autosuggest_$name]=$functions[_aside_around_$name]
      continue
    fi
    unset "functions[_zsh_autosuggest_$name]"
    functions -c _aside_around_$name _zsh_autosuggest_$name
  done
}

_aside_unshare() {
  local name
  for name in accept partial_accept execute; do
    (( $+functions[_aside_was_$name] )) && [[ ${functions[_zsh_autosuggest_$name]-} == *_aside_* ]] || continue
    functions -c _aside_was_$name _zsh_autosuggest_$name 2>/dev/null ||
      functions[_zsh_autosuggest_$name]=$functions[_aside_was_$name]
  done
  (( $+ZSH_AUTOSUGGEST_IGNORE_WIDGETS )) &&
    ZSH_AUTOSUGGEST_IGNORE_WIDGETS=("${(@)ZSH_AUTOSUGGEST_IGNORE_WIDGETS:|_aside_ignored}")
  _aside_ignored=()
  return 0
}

_aside_restore() {
  (( _aside_rival )) || return 0
  unset _ZSH_AUTOSUGGEST_DISABLED
  _aside_rival=0
}

# Switches

# Gives everything back and removes itself, so that the shell is as without us. What is known about this session stays, for `aside-on`; so
# do the two switches, since zsh crashes when a running function is removed under a trap.
aside-off() {
  (( $+functions[_aside_give_back] )) || return 0
  _aside_give_back
  # Not the functions that complete arguments of `aside`.
  unfunction ${${${(k)functions[(I)_aside_*]}:#_aside_(commands|_*)}:|_aside_kept} aside-{accept,accept-word,apply,next,previous,menu,dismiss,private,wrong}
  # A plugin that wrapped one of our hooks goes on calling it.
  local name
  for name in $_aside_still_called; do functions[$name]=:; done
  return 0
}

# Tells the daemon about this shell, for `aside doctor`. Does not wait for the reply.
_aside_tell() {
  [[ -S $_aside_socket && -O $_aside_socket ]] || return 0
  local REPLY text
  local -i fd
  local -a record
  _aside_is_private
  record=($(( ++_aside_seq )) hello 1 "$_aside_version" zsh "$ZSH_VERSION" "$_aside_session" $$ "${HISTFILE:-}" "$1" $REPLY)
  text="$#record"$'\0'${(pj:\0:)record}$'\0'
  if [[ $_aside_transport == pipe ]]; then
    builtin print -rn -- "$text" | ASIDE_SOCKET=$_aside_socket $_aside_bin call --within-ms 300 &>/dev/null
    return 0
  fi
  zsocket $_aside_socket 2>/dev/null || return 0
  fd=$REPLY
  syswrite -o $fd -- "$text" 2>/dev/null
  { exec {fd}<&- } 2>/dev/null
  return 0
}

# Which of our keys and hooks another plugin has taken, one a line, with its function and that file, into REPLY.
_aside_find_taken() {
  local slot now hook taken= keymap=${${_aside_keymap/vi/viins}:-emacs}
  local -a slots lines
  slots=(${(Mk)_aside_keys_before:#($keymap|main) *})
  [[ $_aside_tab == take ]] && slots+=("$keymap ^I")
  _aside_printed _aside_print_slots "${(@)slots}"
  lines=("${(@f)REPLY}")
  for slot now in "${(@)slots:^lines}"; do
    now=${now##*\" }
    [[ $now == (_aside_*|aside-*|undefined-key|\"*) ]] || (( $+_aside_replaced[$now] )) && continue
    _aside_owner "$now"
    taken+=$'\n'"taken key ${slot#* }=$REPLY"
  done
  for hook in line-init line-finish line-pre-redraw; do
    # Only after we have reached the limit.
    (( ${_aside_hooked[$hook]:-0} >= _aside_hook_limit )) || continue
    now=${${widgets[zle-$hook]-}#user:}
    _aside_source "$now"
    taken+=$'\n'"taken hook zle-$hook=$now $REPLY"
  done
  REPLY=$taken
}

# The file that a function comes from, as far as zsh knows; for one that is still to be loaded, the file that will be.
_aside_source() {
  local -a files
  REPLY=
  zmodload -F zsh/parameter p:functions_source 2>/dev/null && REPLY=${functions_source[$1]-}
  if [[ -z $REPLY && ${functions[$1]-} == *'autoload -X'* ]]; then
    files=(${^fpath}/$1(N))
    REPLY=${files[1]-}
  fi
}

_aside_give_back() {
  local name wrapped REPLY
  _aside_on=0 _aside_still_called=() _aside_kept=()
  (( _aside_greeted )) && _aside_tell switched=off
  if zle; then
    _aside_clear
    _aside_let_go
    _aside_let_keys
  fi
  _aside_close
  for name in $_aside_starting $_aside_due_fd $_aside_waking; do
    if (( name )); then _aside_forget $name; fi
  done
  # Those that we wait to be called for once more: without its function zsh would call without end.
  _aside_printed zle -FL
  for name in ${(M)${(f)REPLY}:#zle -F <-> _aside_*}; do _aside_forget ${${name#zle -F }%% *}; done
  _aside_starting=0 _aside_due_fd=0 _aside_waking=0
  _aside_restore
  _aside_unshare
  _aside_untrap
  _aside_unbind_all
  for name in ${(k)_aside_replaced}; do _aside_put_back $name; done
  for name in ${(k)_aside_on_hook}; do _aside_unhook $name; done
  _aside_note_called
  for name in ${${(k)widgets[(I)(user:|.|)(_aside_*|aside-*)]}:#aside-o(n|ff)}; do zle -D $name; done
  # Wrappers that others made around our widgets.
  wrapped='(autosuggest-|orig-|_zsh_)*[-_](aside-|_aside_)*'
  for name in ${(k)widgets[(I)$~wrapped]}; do zle -D $name; done
  for name in ${(k)functions[(I)$~wrapped]}; do unfunction $name; done
  precmd_functions=(${precmd_functions:#_aside_*})
  preexec_functions=(${preexec_functions:#_aside_*})
  for name in $_aside_new_lists; do (( ${(P)#name} )) || unset $name; done
  return 0
}

# zsh crashes when this hook is deleted at the line that it was called for and the table of widgets is searched then. So it does nothing for
# a second, and is removed at another line.
_aside_depart() {
  _aside_last_word= _aside_pipes=
  _aside_still_called+=(_aside_end)
  _aside_kept+=(_aside_schedule)
  _aside_schedule 1 _aside_departing
}

typeset -g _aside_departing='
if (( _aside_on )); then
:
elif zle; then
[[ ${widgets[zle-line-finish]-} == user:_aside_end ]] && zle -D zle-line-finish
unfunction _aside_end _aside_schedule
else
_aside_schedule 1 _aside_departing
fi'

# Which of our functions are still called: by a function of another plugin, or by a foreign widget.
_aside_note_called() {
  local name REPLY=
  local -a theirs calling
  for name in ${${(k)widgets}:#((user:|.|)_aside_|aside-)*}; do theirs+=($widgets[$name]); done
  calling=(${${(k)functions}:#(_|)aside[-_]*})
  # Without a name it would print all.
  (( $#calling )) && _aside_printed functions $calling
  for name in ${(v)_aside_on_hook} _aside_around_${(k)^_aside_on_hook} _aside_redrawn; do
    if [[ $REPLY == *$name* ]] || (( $theirs[(I)user:$name] )); then _aside_still_called+=($name); fi
  done
}

aside-on() {
  if (( _aside_on )); then
    _aside_mute=0 _aside_hasty=0 _aside_retry_at=0 _aside_tries=0
  else
    _aside_on=1 _aside_installed=0 _aside_hooked_all=0 _aside_ready=0 _aside_ends=0 _aside_hooked=()
    eval "$($_aside_bin init zsh 2>/dev/null)"
  fi
  return 0
}
