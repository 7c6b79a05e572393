# Which keys Aside for zsh takes, what they did before, and the colours that a terminal has. Read like aside.zsh, and
# after it; runs when we are connected for the first time: the prompt is there already, and every other plugin is loaded.

typeset -g _aside_right_arrow=all _aside_tab=take _aside_settings=
typeset -gA _aside_was_key _aside_first_key  # The widgets on our keys before us: as far as we know, and when we came.
typeset -gi _aside_known=0                   # How many widgets there were when we last looked at the keys.

_aside_get_ready() {
  local widget REPLY
  _aside_bind
  # First, since until then a Ctrl-C that meets us is forgotten. Better none than one in the place of somebody else's.
  [[ -z $REPLY || $REPLY == *trap\ --\ *\ INT$'\n'* ]] || _aside_set_trap
  for widget in forward-char end-of-line vi-forward-char vi-end-of-line \
    forward-word emacs-forward-word vi-forward-word vi-forward-blank-word; do
    # zsh-autosuggestions takes whatever is painted; with the two of us in one chain it would be taken twice.
    # And with ourselves it would never end.
    [[ $widgets[$widget] == user:(_zsh_autosuggest|_aside)_* ]] && continue
    zle -A $widget _aside_was_$widget
    zle -N $widget _aside_key_$widget
  done
  if [[ $widgets[zle-line-pre-redraw] == user:_zsh_highlight* ]]; then
    zle -A zle-line-pre-redraw _aside_was_redraw
    zle -N zle-line-pre-redraw _aside_redrawn
  fi
}

# Puts our widgets on their keys, around what is there. Leaves in REPLY what zsh told about keys and traps.
_aside_bind() {
  local keymap key widget name
  local -i number=0
  zmodload zsh/terminfo 2>/dev/null
  local -a ends=('^[[F' end-of-line '^[OF' end-of-line '^[[4~' end-of-line
    '^[[1;3C' forward-word '^[[1;5C' forward-word '^[^[[C' forward-word)
  # A terminal may have its own idea of these.
  local -a ours=('^I' tab '^[[Z' back '^[[1;2C' next '^[[1;2D' previous
    "${terminfo[kRIT]:-^[[1;2C}" next "${terminfo[kLFT]:-^[[1;2D}" previous
    '^[[1;2B' menu "${terminfo[kind]:-^[[1;2B}" menu)
  local -a keys=('^[[C' '^[^[' '^[')
  for key widget in $ends $ours; do keys+=("$key"); done
  _aside_printed _aside_print_all $keys
  # Better no keys than somebody else's.
  [[ -n $REPLY ]] || return 0
  local -a lines=("${(@f)REPLY}")
  lines=("${(@)lines[-2*$#keys,-1]}")
  local -A now
  for keymap in emacs viins; do
    now=()
    # `"^I" expand-or-complete`, and `"^I" "a string"`.
    for key in $keys; do now[$key]=${lines[++number]##*\" }; done
    if [[ $keymap == emacs ]] && (( _aside_escapes < 2 )); then
      _aside_escapes=0
      # Where Esc means nothing by itself, zsh waits for the next key without end.
      key='^['
      [[ $REPLY == *'bindkey -A emacs main'* && $now[$key] == undefined-key ]] && _aside_escapes=1
    fi
    for key name in $ours; do
      [[ $name == (tab|back) && $_aside_tab == leave ]] && continue
      _aside_claim
    done
    for key widget in $ends; do
      [[ $now[$key] == undefined-key ]] && _aside_may_bind && bindkey -M $keymap $key $widget
    done
  done
  [[ $REPLY == *'bindkey -A vi'* ]] && _aside_keymap=vi
  return 0
}

_aside_print_all() {
  local keymap key
  bindkey -lL main
  trap
  for keymap in emacs viins; do
    for key; do bindkey -M $keymap "$key"; done
  done
}

# Runs a command that prints, and gives what it printed in REPLY: without another process, which it would tell nothing
# about this one, so through a file.
_aside_printed() {
  local file=${_aside_socket:h}/aside-$$.tmp
  REPLY=
  { "$@" >| $file && REPLY=$(<$file) } 2>/dev/null
  zmodload -F zsh/files b:zf_rm 2>/dev/null && zf_rm -f $file || command rm -f $file
}

# A key that is also the beginning of another one has to wait for it. So nothing is bound behind Esc where nothing is, as
# in a vi mode that was cleared of arrows, and nothing behind Esc Esc where that does something.
_aside_may_bind() {
  local arrow='^[[C' twice='^[^['
  case $key in
    '^[^['*) [[ $now[$arrow] != undefined-key && $now[$twice] == undefined-key ]] ;;
    ('^['|$'\e')*) [[ $now[$arrow] != undefined-key ]] ;;
  esac
}

# Takes one key, if there is no string on it, and remembers the widget that was there.
_aside_claim() {
  local what="$name $keymap" was=$now[$key]
  case $was in
    _aside_*|aside-menu|\"*) return 0 ;;
    undefined-key) was= ;;
    # reverse-menu-complete is the shell's own completion already, and in a menu it goes back. And the key for a list would
    # never do what it did before.
    *) [[ $name == (back|menu) ]] && return 0 ;;
  esac
  _aside_may_bind || return 0
  if [[ $name == menu ]]; then
    bindkey -M $keymap $key aside-menu
    return 0
  fi
  _aside_was_key[$what]=$was
  (( $+_aside_first_key[$what] )) || _aside_first_key[$what]=$was
  bindkey -M $keymap $key _aside_${name}_$keymap
}

# What Tab was before, where the settings leave it alone. They were not known yet when it was bound.
_aside_leave_tab() {
  local keymap key name what
  for keymap in emacs viins; do
    for key name in '^I' tab '^[[Z' back; do
      what="$name $keymap"
      (( $+_aside_was_key[$what] )) || continue
      if [[ -n $_aside_was_key[$what] ]]; then
        bindkey -M $keymap $key $_aside_was_key[$what]
      else
        bindkey -M $keymap -r $key
      fi
      unset "_aside_was_key[$what]" "_aside_first_key[$what]"
    done
  done
}

# A plugin that came late may have taken our keys. It has widgets of its own, so this is the time to look.
_aside_look_again() {
  _aside_ran=0
  local -i known=${#${(k)widgets}}
  (( known == _aside_known )) && return 0
  local -i first=$(( ! _aside_known ))
  _aside_known=known
  (( first )) || _aside_bind
}

# Ctrl-C ends a line without zle-line-finish, and would leave the ghost text on the screen.
_aside_set_trap() {
  if (( $+functions[TRAPINT] )) && [[ $functions[TRAPINT] != *_aside_wipe* ]]; then
    functions -c TRAPINT _aside_was_TRAPINT 2>/dev/null || functions[_aside_was_TRAPINT]=$functions[TRAPINT]
  fi
  # Copied, it keeps the options of the person; defined, it is a trap.
  functions[TRAPINT]=$functions[_aside_trapped]
  functions -c _aside_trapped TRAPINT 2>/dev/null || return 0
}

# Follows the settings that came with the daemon's answer to hello, in the order of docs/protocol.md.
_aside_configure() {
  [[ "$*" == "$_aside_settings" ]] && return 0
  _aside_settings="$*"
  local REPLY
  _aside_enabled=0 _aside_wants_bar=0 _aside_wants_hint=0
  [[ $1 == on ]] && _aside_enabled=1
  [[ ${6:-auto} == auto ]] && _aside_wants_bar=1
  [[ ${8:-on} == on ]] && _aside_wants_hint=1
  _aside_right_arrow=$3 _aside_autosuggestions=$4 _aside_min=1
  # zsh calculates what is assigned to an integer, and so would run what stands in it.
  [[ ${5-} == <1-9999> ]] && _aside_min=$5
  _aside_fit "$2" underline; _aside_style=$REPLY
  _aside_fit "${7:-none}" none; _aside_bar_style=$REPLY
  _aside_fit "${9:-fg=242}" none; _aside_hint_style=$REPLY
  _aside_configure_wish "${(@)@[11,16]}"
  _aside_configure_talk "${(@)@[17,20]}"
  _aside_configure_next "${(@)@[21,22]}"
  return 0
}

_aside_configure_wish() {
  _aside_let_keys
  _aside_held_at=-1
  if [[ ${1:-off} == on && -n ${2-} ]]; then _aside_wish_mark="$2 "; else _aside_wish_mark=$'\0'; fi
  _aside_fit "${3:-fg=cyan}" underline; _aside_wish_style=$REPLY
  _aside_fit fg=red bold; _aside_warn_style=$REPLY
  _aside_wish_min=5 _aside_explain_key=${5-}
  [[ ${4-} == <0-9999> ]] && _aside_wish_min=$4
  if [[ ${6-} != $_aside_private_key ]]; then
    _aside_bind_own private "$_aside_private_key" "${6-}"
    _aside_private_key=${6-}
  fi
}

# A style without the colours that are not wanted, or that this terminal does not have: zsh would leave them out without
# a word, and grey text would look like typed text.
_aside_fit() {
  REPLY=$1
  # Without the module nobody knows.
  zmodload zsh/terminfo 2>/dev/null || [[ -n ${NO_COLOR:-} ]] || return 0
  local -i colours=${terminfo[colors]:-0}
  (( colours >= 256 )) && [[ -z ${NO_COLOR:-} ]] && return 0
  local part
  local -a parts
  for part in ${(s:,:)1}; do
    if [[ $part == ?g=* ]]; then
      [[ -z ${NO_COLOR:-} ]] || continue
      case $part in
        *=<->) (( ${part#*=} < colours )) || continue ;;
        *=\#*) (( colours >= 16 )) || continue ;;
        *) (( colours >= 8 )) || continue ;;
      esac
    fi
    parts+=($part)
  done
  REPLY=${(j:,:)parts}
  [[ -n $REPLY ]] || REPLY=$2
  return 0
}
