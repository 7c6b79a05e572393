# Which keys Aside for zsh takes, what they did before, and the colours that a terminal has. Read like aside.zsh, and after it; runs at the
# first connection: the prompt is there already, and every other plugin is loaded.

typeset -g _aside_right_arrow=all _aside_tab=take _aside_settings=
typeset -gA _aside_was_key                   # The widgets on our keys: by our name for the key, and keymap.
typeset -gA _aside_slots                     # Our names for the keys, by what the terminal sends.
typeset -g _aside_known=                     # What our keys were like when we last looked.
typeset -g _aside_tab_widget= _aside_tab_left=  # The widget on Tab, and one that the user put there after us.

_aside_get_ready() {
  local REPLY
  _aside_bind
  if [[ $widgets[zle-line-pre-redraw] == user:_zsh_highlight* ]]; then
    _aside_alias zle-line-pre-redraw ._aside_theirs_redraw
    zle -N zle-line-pre-redraw _aside_redrawn
  fi
}

# Puts our widgets on their keys, around what is there.
_aside_bind() {
  local keymap key widget name REPLY
  local -i number=0
  zmodload zsh/terminfo 2>/dev/null
  local -a ends=('^[[F' end-of-line '^[OF' end-of-line '^[[4~' end-of-line
    '^[[1;3C' forward-word '^[[1;5C' forward-word '^[^[[C' forward-word)
  # A terminal may send other sequences for these.
  local -a ours=('^I' tab '^[[Z' back '^[[1;2C' next '^[[1;2D' previous
    "${terminfo[kRIT]:-^[[1;2C}" next "${terminfo[kLFT]:-^[[1;2D}" previous
    '^[[1;2B' menu "${terminfo[kind]:-^[[1;2B}" menu)
  local -a keys=('^[[C' '^[^[' '^[')
  for key widget in $ends $ours; do keys+=("$key"); done
  _aside_printed _aside_print_all $keys
  # Without the list, binds nothing: it might take keys of another program.
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
      # Where Esc has no binding of its own, zsh waits for the next key without end.
      key='^['
      [[ $REPLY == *'bindkey -A emacs main'* && $now[$key] == undefined-key ]] && _aside_escapes=1
    fi
    for key name in $ours; do
      [[ $name == (tab|back) && $_aside_tab == leave ]] && continue
      _aside_claim
    done
    for key widget in $ends; do
      [[ $now[$key] == undefined-key ]] && _aside_may_bind && _aside_rebind $keymap "$key" _aside_key_$widget undefined-key
    done
  done
  [[ $REPLY == *'bindkey -A vi'* ]] && _aside_keymap=vi
  _aside_bind_motions
  _aside_bind_waiting
}

# A widget of another plugin that goes through the history or inserts a paste draws the line before we can see it, and may wait then.
_aside_bind_waiting() {
  local keymap key widget REPLY
  local -a lines keys=('^[[A' '^[OA' '^P' '^[[B' '^[OB' '^N' '^[[200~')
  for keymap in emacs viins; do
    _aside_printed _aside_print_slots $keymap\ $^keys
    lines=("${(@f)REPLY}")
    for key widget in "${(@)keys:^lines}"; do
      widget=${widget##* }
      [[ ${widgets[$widget]-} == user:* && $widget != (_aside_*|self-insert) ]] || continue
      _aside_slots[${(g:c:)key}]=pause
      _aside_replace_at $widget
    done
  done
}

# Widgets at whose question, or list, Ctrl-C does not end the line, whichever keys they have.
typeset -gA _aside_questions
_aside_questions=(complete-word 1 menu-complete 1 reverse-menu-complete 1 accept-and-menu-complete 1 expand-or-complete 1
  expand-or-complete-prefix 1 menu-expand-or-complete 1 list-choices 1 delete-char-or-list 1)

# The widgets that end the line and those that move to its end, whichever keys they have; and one that completes without a key.
_aside_bind_motions() {
  local name
  for name in {,vi-}{forward-char,end-of-line} {,emacs-,vi-}forward-word vi-forward-blank-word; do
    # zsh-autosuggestions takes all that is painted; with both plugins in one chain it would be taken twice.
    [[ $widgets[$name] == user:_zsh_autosuggest_* ]] || _aside_replace $name _aside_key_$name
  done
  for name in accept-line accept-and-hold accept-line-and-down-history accept-and-infer-next-history send-break \
    .autocomplete:async:complete:callback; do
    _aside_replace $name _aside_key_$name
  done
  for name in ${(k)_aside_questions}; do
    [[ ${widgets[$name]-} == (builtin|completion:*) ]] && _aside_replace_at $name
  done
  return 0
}

_aside_print_all() {
  local keymap key
  bindkey -lL main
  for keymap in emacs viins; do
    for key; do bindkey -M $keymap "$key"; done
  done
}

# Runs a command that prints, and returns its output in REPLY. Uses a file: a subshell would not know about this process.
_aside_printed() {
  local file=${_aside_socket:h}/aside-$$.tmp
  REPLY=
  if ! { "$@" >| $file && REPLY=$(<$file) } 2>/dev/null; then
    # Nowhere to write. A subshell knows the keys at least.
    REPLY=$("$@" 2>/dev/null)
    return 0
  fi
  zmodload -F zsh/files b:zf_rm 2>/dev/null && zf_rm -f $file || command rm -f $file
}

# A key that is also the beginning of another has to wait for it. So nothing is bound behind Esc where nothing is, as in a vi mode that was
# cleared of arrows, and nothing behind Esc Esc where that does something.
_aside_may_bind() {
  local arrow='^[[C' twice='^[^['
  case $key in
    '^[^['*) [[ $now[$arrow] != undefined-key && $now[$twice] == undefined-key ]] ;;
    ('^['|$'\e')*) [[ $now[$arrow] != undefined-key ]] ;;
  esac
}

# Takes one key, unless it is bound to a string: where it has a widget, by wrapping that.
_aside_claim() {
  local what="$name $keymap" was=$now[$key]
  case $was in
    _aside_*|aside-menu|\"*) return 0 ;;
    undefined-key) was= ;;
    # reverse-menu-complete is already the completion of the shell, and in a menu it goes back. And the key for the list would never do what
    # it did before.
    *) [[ $name == (back|menu) || $name$was == tab$_aside_tab_left ]] && return 0 ;;
  esac
  _aside_may_bind || return 0
  if [[ $name == menu ]]; then
    _aside_rebind $keymap "$key" aside-menu undefined-key
    return 0
  fi
  _aside_was_key[$what]=$was
  if [[ -z $was ]]; then
    _aside_rebind $keymap "$key" _aside_${name}_$keymap undefined-key
  else
    _aside_slots[${(g:c:)key}]=$name
    _aside_replace_at $was || _aside_rebind $keymap "$key" _aside_${name}_$keymap $was
  fi
}

# Restores Tab where the settings leave it alone. They were not known yet when it was bound.
_aside_leave_tab() {
  local keymap was key=$'\t'
  unset "_aside_slots[$key]"
  for keymap in emacs viins; do
    was=${_aside_was_key[tab $keymap]-}
    (( $#was && $+_aside_replaced[$was] )) && _aside_put_back $was
    _aside_unbind $keymap '^I'
    _aside_unbind $keymap '^[[Z'
    unset "_aside_was_key[tab $keymap]" "_aside_was_key[back $keymap]"
  done
}

# Looks once for each line whether our keys are as we left them: a plugin that came late, or the user, may have bound them anew. After
# the prompt, so that nothing waits for it.
_aside_look_again() {
  _aside_ran=0
  local REPLY
  _aside_state_of_keys
  [[ $REPLY == "$_aside_known" ]] && return 0
  if [[ -n $_aside_known ]]; then
    # With no new widget, it was the user who bound Tab.
    [[ $_aside_tab == take && ${REPLY%% *} == ${_aside_known%% *} ]] && (( ! $+_aside_replaced[$_aside_tab_widget] )) &&
      _aside_tab_left=$_aside_tab_widget
    _aside_bind
    _aside_state_of_keys
  fi
  _aside_known=$REPLY
}

# What shows that keys have changed, into REPLY.
_aside_state_of_keys() {
  _aside_printed _aside_print_slots main\ {^I,^M,'^[[Z','^[[1;2C','^[[F','^['}
  local tab=${${${(f)REPLY}[1]}##*\" }
  _aside_tab_widget=$tab
  REPLY="${#${(k)widgets}} $REPLY ${widgets[$tab]-} ${widgets[accept-line]-} ${widgets[forward-char]-}"
}

# Whether Tab is ours. A completion system that starts after us defines its widgets anew.
_aside_has_tab() {
  [[ $_aside_tab == take ]] || return 1
  [[ -z $_aside_tab_widget || $_aside_tab_widget == _aside_tab_* ]] && return 0
  (( $+_aside_replaced[$_aside_tab_widget] )) || return 1
  case ${widgets[$_aside_tab_widget]-} in
    builtin|completion:*) _aside_replace_at $_aside_tab_widget ;;
  esac
}

# Applies the settings from the reply of the daemon to hello, in the order of docs/protocol.md.
_aside_configure() {
  [[ "$*" == "$_aside_settings" ]] && return 0
  _aside_settings="$*"
  local REPLY
  _aside_enabled=0 _aside_wants_bar=0 _aside_wants_hint=0
  [[ $1 == on ]] && _aside_enabled=1
  [[ ${6:-auto} == auto ]] && _aside_wants_bar=1
  [[ ${8:-on} == on ]] && _aside_wants_hint=1
  _aside_right_arrow=$3 _aside_autosuggestions=$4 _aside_min=1
  # zsh evaluates what is assigned to an integer, and so would run what stands in it.
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

# A style without the colours that are not wanted, or that this terminal does not have: zsh would silently leave them out, and grey text
# would look like typed text.
_aside_fit() {
  REPLY=$1
  # Without the module the number of colours is unknown.
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
