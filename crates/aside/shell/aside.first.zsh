# The part of Aside for zsh that runs before the first prompt: as little as possible, since the user waits for the first prompt. The rest is
# read when it has been drawn.
#
# `aside init zsh` prints settings (_aside_bin, _aside_socket, _aside_version), where it left the other files (_aside_file, and how that
# begins and ends: _aside_mark) or their texts (_aside_rest, _aside_plain), and then this one, to be read with the options of a plain zsh;
# what it defines runs with any. Nothing here may `return` or fail at the top level: it is part of an rc file.

typeset -gi _aside_on=${_aside_on:-1} _aside_prompts=${_aside_prompts:-0} _aside_installed=${_aside_installed:-0}
typeset -gi _aside_waking=0                  # Calls us when the first keys have been handled.
typeset -gi _aside_ends=${_aside_ends:-0}    # The line-finish hook is already set.
typeset -gi _aside_gone=0                    # There is no rest to be found.
typeset -gaU _aside_new_lists
typeset -g _aside_session=${_aside_session:-} _aside_transport=${_aside_transport:-} _aside_before=${_aside_before:-}

# Reads the rest, once. Not inside of `emulate -c` itself: _aside_plain must keep the options of the user.
_aside_load() {
  emulate -L zsh -o no_aliases -o no_force_float
  (( ${#_aside_rest} + ${#_aside_file} )) || return 0
  (( ! _aside_gone )) && [[ ! -o restricted ]] || return 1
  # It takes a moment only, and there is no line yet that Ctrl-C could end.
  _aside_unbroken 20 '' _aside_read_rest
}

# Runs a command with the given trap for Ctrl-C, which must not end it. Otherwise zsh forgets a Ctrl-C that comes meanwhile, or takes the
# next key for it; it may go on reading a text of ours from the keyboard, or break out of every later loop, so that Enter is dead; and a
# trap that says `return` returns from one of our functions. The trap is set deeper in functions than others are, where zsh saves what was
# there.
_aside_unbroken() {
  # Not beyond what FUNCNEST allows.
  if (( $1 && ( ${FUNCNEST:--1} < 0 || $#funcstack + 20 < FUNCNEST ) )); then
    _aside_unbroken $(( $1 - 1 )) "${(@)@[2,-1]}"
    return
  fi
  setopt localoptions localtraps
  local -i _aside_guards=1
  trap "$2" INT
  builtin shift 2
  "$@"
}

# Makes sure that all of it is read. Ctrl-C may interrupt any line, so this is checked where a line begins or ends.
_aside_whole() {
  [[ ! -o restricted ]] && { (( ${#_aside_rest} + ${#_aside_file} == 0 )) || _aside_load }
}

_aside_read_rest() {
  local _aside_part
  if [[ -z $_aside_session ]]; then
    zmodload zsh/datetime zsh/system 2>/dev/null || return 1
    _aside_transport=pipe
    zmodload zsh/net/socket 2>/dev/null && _aside_transport=socket
    _aside_session=zsh-$$-${EPOCHREALTIME/./}
  fi
  if ! _aside_fetch; then
    # The file was removed, or this is a stored copy of what `aside init` printed once. Reads all of it anew, as when an rc file is read
    # twice.
    local -i _aside_was=$_aside_waking
    eval "$($_aside_bin init zsh </dev/null 2>/dev/null)"
    _aside_waking=$_aside_was
    _aside_fetch || { _aside_gone=1; return 1 }
  fi
  for _aside_part in "${(@)_aside_rest}"; do
    emulate zsh -o no_aliases -o no_xtrace -o no_force_float -c "$_aside_part"
  done
  eval "$_aside_plain"
  _aside_rest=() _aside_plain= _aside_file=
}

# Does not read a partial file, or one of another version. It begins with its mark and the length of each part, so that nothing has to be
# searched for.
_aside_fetch() {
  [[ -n $_aside_file ]] || return 0
  local head part
  local -i size
  _aside_rest=()
  {
    sysread -s 1024 head
    if [[ $head == "$_aside_mark "* ]]; then
      for size in ${(s: :)head#$_aside_mark }; do
        sysread -s $size part || break
        _aside_rest+=("$part")
      done
      sysread part
    fi
  } <$_aside_file
  if [[ $part != $_aside_mark ]]; then
    _aside_rest=()
    return 1
  fi
  _aside_plain=$_aside_rest[-1]
  _aside_rest[-1]=()
} 2>/dev/null

# Until the rest is read, these stand for those of the same name there.

# Called when the first prompt has been drawn. Ctrl-C at the moment in which a loop ends leaves zsh breaking out of loops for good; with
# local_loops that ends with the function that the loop is in.
_aside_begin() {
  emulate -L zsh -o local_loops -o no_force_float
  local -i _aside_within=1
  if (( PENDING )); then
    # Keys first. This descriptor is at its end at once, so _aside_first is called as soon as zsh is idle.
    exec {_aside_waking}</dev/null
    zle -F $_aside_waking _aside_first
    # The keys may contain a whole line.
    zle -N _aside_end
    _aside_hook line-finish _aside_end
    _aside_ends=1
  elif _aside_load; then
    _aside_start || return 0
  fi
  return 0
}

_aside_first() {
  emulate -L zsh -o local_loops -o no_force_float
  if _aside_load; then
    _aside_heard "$@"
  else
    # Otherwise zsh would call us for ever.
    zle -F $1
    exec {_aside_waking}<&-
  fi
  return 0
}

# Each runs their widget and ours for a hook, once, also where they wrap us and we wrap them. Removes what is drawn before others look at a
# line that ends, and paints after they have coloured it. Their widget is called from the function that zsh calls: in a function that this
# one called, zsh would not know what `%_` in a prompt stands for.
_aside_around_line-init() {
  _aside_runs line-init && return 0
  local _aside_hooks_running="${_aside_hooks_running:-} line-init"
  zle ._aside_theirs_line-init -- "$@" || :
  _aside_begin "$@"
  return 0
}
_aside_around_line-finish() {
  _aside_runs line-finish && return 0
  local _aside_hooks_running="${_aside_hooks_running:-} line-finish"
  _aside_end "$@"
  zle ._aside_theirs_line-finish -- "$@" || :
  return 0
}
_aside_around_line-pre-redraw() {
  _aside_runs line-pre-redraw && return 0
  local _aside_hooks_running="${_aside_hooks_running:-} line-pre-redraw"
  zle ._aside_theirs_line-pre-redraw -- "$@" || :
  _aside_edit "$@"
  return 0
}
_aside_around_isearch-update() {
  _aside_runs isearch-update && return 0
  local _aside_hooks_running="${_aside_hooks_running:-} isearch-update"
  zle ._aside_theirs_isearch-update -- "$@" || :
  _aside_search "$@"
  return 0
}
_aside_around_isearch-exit() {
  _aside_runs isearch-exit && return 0
  local _aside_hooks_running="${_aside_hooks_running:-} isearch-exit"
  zle ._aside_theirs_isearch-exit -- "$@" || :
  _aside_found "$@"
  return 0
}

_aside_runs() {
  case "${_aside_hooks_running:-} " in
    *" $1 "*) return 0 ;;
  esac
  return 1
}

# The words of a query are not run, nor those for the agent, however early they were typed.
_aside_end() {
  emulate -L zsh -o no_force_float
  if [[ $BUFFER == [?@]' '* ]] && _aside_load; then _aside_end; fi
  return 0
}

_aside_preexec() {
  emulate -L zsh -o no_force_float
  _aside_load && _aside_preexec "$@"
  return 0
}

# A second prompt without a call at the first: another plugin replaced our hook.
_aside_precmd() {
  local _aside_code=$?
  if (( ++_aside_prompts > 1 )); then
    if _aside_load; then
      _aside_seen=0
      _aside_precmd
    fi
  fi
  return $_aside_code
}

aside-off() {
  _aside_on=0
  if _aside_load; then aside-off; fi
}
aside-on() {
  _aside_on=1
  _aside_setup
}
aside-private() {
  if [[ ${1:-on} == off ]]; then unset ASIDE_PRIVATE; else typeset -gx ASIDE_PRIVATE=1; fi
}

# The names of known plugins that are loaded, into REPLY.
_aside_neighbours() {
  emulate -L zsh -o no_force_float
  local name mark
  REPLY=
  for name mark in zsh-autosuggestions _zsh_autosuggest_start zsh-syntax-highlighting _zsh_highlight_load_highlighters \
    fast-syntax-highlighting fast-theme powerlevel10k p10k starship starship_precmd oh-my-zsh omz \
    prezto pmodload zinit zinit fzf fzf-history-widget fzf-tab fzf-tab-complete atuin _atuin_search \
    zsh-vi-mode zvm_init zsh-autocomplete .autocomplete__main zsh-history-substring-search history-substring-search-up \
    bracketed-paste-magic bracketed-paste-magic zoxide __zoxide_hook direnv _direnv_hook \
    pure prompt_pure_precmd spaceship spaceship::precompile antidote antidote zsh-defer zsh-defer zsh-autopair autopair-init \
    zsh-you-should-use check_alias_usage; do
    (( $+functions[$mark] )) || continue
    # zinit has a function of that name, too.
    [[ $name == prezto && $functions[$mark] == *ZINIT* ]] && continue
    REPLY+=" $name"
  done
  REPLY=${REPLY# }
}

_aside_setup() {
  emulate -L zsh -o no_force_float
  # In a restricted shell nothing can be redirected, and so no descriptor closed.
  [[ -o interactive && -o zle && ! -o restricted && ${TERM:-dumb} != dumb && -z ${ASIDE_DISABLE:-} ]] && (( _aside_on )) || return 0
  # Those that aside-off removes again if they are empty.
  (( $+precmd_functions )) || _aside_new_lists+=(precmd_functions)
  (( $+preexec_functions )) || _aside_new_lists+=(preexec_functions)
  typeset -ga precmd_functions preexec_functions
  precmd_functions=(_aside_precmd ${precmd_functions:#_aside_precmd})
  preexec_functions=(${preexec_functions:#_aside_preexec} _aside_preexec)
  (( _aside_installed )) && return 0
  _aside_installed=1
  local REPLY
  _aside_neighbours
  _aside_before=$REPLY
  # What is scheduled runs after all precmd functions and before the prompt. By then the plugins are loaded, in any order, and each has
  # found the hook as it is without us.
  if zmodload zsh/sched 2>/dev/null; then
    sched +0 'case ${+functions[_aside_arrive]} in (1) _aside_arrive ;; esac'
  else
    _aside_arrive
  fi
}

_aside_arrive() {
  local _aside_code=$?
  zle -N _aside_begin
  _aside_hook line-init _aside_begin
  return $_aside_code
}

# Takes the hook directly while it is free: calling through add-zle-hook-widget costs 0.1 ms a key, and it adopts us when another plugin
# uses it. Joins its chain where there is one, and else wraps the widget that is there.
_aside_hook() {
  emulate -L zsh -o no_force_float
  if ! zle -l zle-$1; then
    zle -N zle-$1 $2
    return
  fi
  case $widgets[zle-$1] in
    user:_aside_*) ;;
    user:azhw:*)
      autoload -Uz add-zle-hook-widget
      add-zle-hook-widget $1 $2 2>/dev/null ;;
    *)
      # What is there now may call us: it gets what we have called until now, or the two would call each other without end after aside-off.
      local inner
      local -a reply
      (( $+widgets[._aside_theirs_$1] )) && _aside_widgets_with _aside_around_$1
      for inner in $reply; do zle -A ._aside_theirs_$1 $inner; done
      # With a dot, since other plugins wrap widgets without.
      _aside_alias zle-$1 ._aside_theirs_$1
      zle -N zle-$1 _aside_around_$1 ;;
  esac
}

# Gives a widget a second name. zsh counts one reference too many where that name has the widget already; once it is deleted, zsh keeps the
# name without a widget, and crashes when anything looks for a value in $widgets.
_aside_alias() {
  (( $+widgets[$2] )) && zle -D $2
  zle -A $1 $2
}

# The widgets of others that are this function, into reply. Not by `widgets[(R)…]`: other plugins may have left such a name behind.
_aside_widgets_with() {
  local name
  reply=()
  for name in "${(@k)widgets}"; do
    if [[ $name != ._aside_* && $widgets[$name] == "user:$1" ]]; then reply+=("$name"); fi
  done
}

_aside_setup
:
