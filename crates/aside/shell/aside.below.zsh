# What of a query is on the screen: its command behind the words, and below them what it may do, the other commands, or an explanation; and
# the keys that have a meaning only while it is there. Read like aside.zsh, and after it.

typeset -ga _aside_parts                     # What is painted: texts, each followed by its style.
typeset -g _aside_wish_style=fg=cyan _aside_warn_style=fg=red _aside_chosen_style=bold
typeset -g _aside_explain_key=ctrl-e _aside_private_key=
# Keys that we hold for a while: what they meant, in which keymap, and which of them we hold.
typeset -gA _aside_held
typeset -g _aside_held_map=
typeset -ga _aside_holding
typeset -gi _aside_held_at=-1                # The number of the prompt at which we looked.

typeset -gA _aside_wish_sign=(arrow '→' rule '─' dot '·' down '↓' right '→')
(( ${#${:-…}} == 1 )) || _aside_wish_sign=(arrow '->' rule '-' dot '-' down Down right Right)

# Shows one line, which is gone at the next key.
_aside_wish_say() {
  [[ -n $_aside_drawn ]] && _aside_clear
  _aside_note=$1 _aside_shown=note _aside_wish_line=$BUFFER _aside_fresh=1
  _aside_wish_draw
}

# Shows that the model is thinking.
_aside_wish_wait() {
  [[ $_aside_shown == (sign|answer) ]] && return 0
  # Not in vi command mode.
  [[ $KEYMAP != vi(cmd|opp) ]] || (( _aside_wish_taking )) || return 0
  [[ -n $_aside_drawn ]] && _aside_clear
  _aside_shown=sign _aside_wish_line=$BUFFER
  _aside_wish_draw
}

# Laying out

_aside_wish_draw() {
  local -i rows
  # Ignores a reply to an earlier question: one without candidates would clear what is shown now.
  _aside_asked=0
  _aside_parts=() _aside_width=$COLUMNS
  case $_aside_shown in
    sign) _aside_parts=("  $_aside_sign[cut]" $_aside_hint_style) ;;
    note) _aside_lay_note ;;
    said) _aside_lay_said ;;
    offer) _aside_lay_offer ;;
    answer|taken)
      [[ $_aside_shown == answer ]] && _aside_lay_command
      _aside_rows_left
      if (( $#_aside_explanation )); then
        _aside_lay_explanation
      elif (( _aside_listed )); then
        _aside_lay_list
      elif (( rows > 0 )); then
        _aside_lay_info
        [[ -n $_aside_note ]] && _aside_lay_note
      fi ;;
  esac
  _aside_wish_paint
}

# A note is prose, and may take a few rows.
_aside_lay_note() {
  local line
  local -a reply
  _aside_rows_left
  _aside_wrap "${${_aside_note//$'\n'/ }//$'\t'/ }" $(( COLUMNS - 1 ))
  (( rows > 0 )) || return 0
  (( rows < 4 )) || rows=4
  for line in "${(@)reply[1,rows]}"; do _aside_parts+=($'\n'"$line" $_aside_hint_style); done
}

# Cuts a text to so many columns, into REPLY.
_aside_cut_to() {
  local -i room=$1
  REPLY=${${2//$'\n'/$_aside_sign[line]}//$'\t'/ }
  (( ${(m)#REPLY} > room )) || return 0
  local sign=$_aside_sign[cut]
  (( (room -= $#sign) > 0 )) || { REPLY=; return 0 }
  REPLY=${(mr:room:)REPLY}
  # Drops a wide letter that would be cut in half.
  (( ${(m)#REPLY} > room )) && REPLY=${REPLY[1,-2]}
  REPLY+=$sign
}

# How many rows are left below the line, a prompt of a few lines and what is laid out so far.
_aside_rows_left() {
  local line text= style
  for line style in "${(@)_aside_parts}"; do text+=$line; done
  rows=LINES-3
  for line in "${(@f)${:-$BUFFER$text}}"; do (( rows -= ${(m)#line} / COLUMNS + 1 )); done
}

# The command, behind the words. Cuts one that is longer than the screen; in the line it will be whole.
_aside_lay_command() {
  local REPLY text=${_aside_proposals[_aside_pick*6-5]}
  local -i most=$(( (LINES - 4) * COLUMNS - ${(m)#BUFFER} ))
  (( most > COLUMNS )) || most=COLUMNS
  _aside_cut_to $most "$text"
  _aside_parts=("  $_aside_wish_sign[arrow] " $_aside_hint_style "$REPLY" $_aside_wish_style)
}

# `! deletes files · closest I know · what it does          [↹] take | [↓] more | [ctrl-e] explain`
_aside_lay_info() {
  local REPLY hint dot=" $_aside_wish_sign[dot] "
  local -i at=_aside_pick*6-5 room=COLUMNS-1
  local -a texts
  local warning=$_aside_proposals[at+4]
  [[ $_aside_proposals[at+5] == closest ]] && texts+=('closest I know')
  [[ -n $_aside_proposals[at+3] ]] && texts+=("$_aside_proposals[at+3]")
  local rest=${(pj:$dot:)texts}
  local -a row
  if [[ -n $warning ]]; then
    _aside_cut_to $room "! $warning"
    row=("$REPLY" $_aside_warn_style)
    room=room-${(m)#REPLY}
    [[ -n $rest ]] && rest=$dot$rest
  fi
  if [[ -n $rest ]] && (( room > 4 )); then
    _aside_cut_to $room "$rest"
    row+=("$REPLY" $_aside_hint_style)
    room=room-${(m)#REPLY}
  fi
  if (( _aside_wants_hint )) && [[ $_aside_shown == answer && -z $_aside_wish_state ]]; then
    local take="[$_aside_sign[tab]]"
    _aside_has_tab || take="[$_aside_wish_sign[right]]"
    for hint in "$take take | [$_aside_wish_sign[down]] more | [$_aside_explain_key] explain" \
      "$take | [$_aside_wish_sign[down]] | [$_aside_explain_key]"; do
      (( ${(m)#hint} + 2 * ($#row > 0) <= room )) || continue
      row+=("${(l:room-${(m)#hint}:)}$hint" $_aside_hint_style)
      break
    done
  fi
  (( $#row )) && _aside_parts+=($'\n' none "${(@)row}")
  return 0
}

# The commands, one in a row, and `explain`.
_aside_lay_list() {
  local REPLY text source confidence description warning nearness
  local -i number=0 wide=0 width room
  for text source confidence description warning nearness in "${(@)_aside_proposals}"; do
    (( ${(m)#text} > wide )) && wide=${(m)#text}
  done
  for text source confidence description warning nearness in "${(@)_aside_proposals}"; do
    (( ++number < rows )) || break
    room=COLUMNS-3
    [[ $nearness == closest ]] && description="closest I know${description:+ $_aside_wish_sign[dot] $description}"
    [[ -n $warning ]] && warning="! $warning" && room=room-2-${(m)#warning}
    (( room > 12 )) || room=12
    width=$(( wide < room ? wide : room ))
    _aside_cut_to $width "$text"
    _aside_lay_marker
    _aside_parts+=("$REPLY" $_aside_wish_style)
    room=COLUMNS-3-width
    if [[ -n $warning$description ]] && (( room > 6 )); then
      _aside_parts+=("${(l:width-${(m)#REPLY}+2:)}" none)
      room=room-2
      _aside_cut_to $room "$warning"
      _aside_parts+=("$REPLY" $_aside_warn_style)
      room=room-${(m)#REPLY}
      [[ -n $warning && -n $description ]] && description=" $_aside_wish_sign[dot] $description"
      if (( room > 4 )); then
        _aside_cut_to $room "$description"
        _aside_parts+=("$REPLY" $_aside_hint_style)
      fi
    fi
  done
  (( _aside_more_id )) && _aside_parts+=($'\n'"  $_aside_sign[cut]" $_aside_hint_style)
  number=$(( $#_aside_proposals / 6 + 1 ))
  _aside_lay_marker
  _aside_parts+=(explain none)
}

_aside_lay_marker() {
  if (( number == _aside_listed )); then
    _aside_parts+=($'\n' none '> ' $_aside_chosen_style)
  else
    _aside_parts+=($'\n  ' none)
  fi
}

# A thin rule and at most a dozen rows.
_aside_lay_explanation() {
  local line
  local -a reply
  local -i most=$(( rows - 1 < 12 ? rows - 1 : 12 )) width=$(( COLUMNS > 40 ? 40 : COLUMNS - 1 ))
  (( most > 0 )) || return 0
  local rule=${(l:width:)}
  _aside_parts+=($'\n'"${rule// /$_aside_wish_sign[rule]}" $_aside_hint_style)
  for line in "${(@)_aside_explanation}"; do
    _aside_wrap "${${line//$'\n'/ }//$'\t'/ }" $(( COLUMNS - 1 ))
  done
  if (( $#reply > most )); then
    reply=("${(@)reply[1,most]}")
    reply[most]+=" $_aside_sign[cut]"
    local REPLY
    _aside_cut_to $(( COLUMNS - 1 )) "$reply[most]"
    reply[most]=$REPLY
  fi
  for line in "${(@)reply}"; do _aside_parts+=($'\n'"$line" none); done
}

# Adds the rows of a text to `reply`, broken at blanks where there are some.
_aside_wrap() {
  local rest=$1 piece word
  local -i width=$2
  while (( ${(m)#rest} > width )); do
    piece=${(mr:width:)rest}
    (( ${(m)#piece} > width )) && piece=${piece[1,-2]}
    word=${piece% *}
    [[ ${rest[$#piece+1]} != ' ' && $piece == *' '* && -n ${word// /} ]] && piece=$word
    reply+=("$piece")
    rest=${rest:$#piece}
    while [[ $rest == ' '* ]]; do rest=${rest# }; done
  done
  reply+=("$rest")
}

# Painting

_aside_wish_paint() {
  local text style
  local -i at=$#BUFFER
  local -a entries
  _aside_drawn= _aside_ghost= _aside_bar=
  # Keys that take candidates find none.
  _aside_for=$'\0'
  for text style in "${(@)_aside_parts}"; do
    [[ -n $text && $style != none ]] && entries+=("$at $(( at + $#text )) $style")
    _aside_drawn+=$text
    at+=$#text
  done
  POSTDISPLAY=$_aside_drawn
  _aside_put
  case $_aside_shown in
    answer)
      _aside_hold_keys down explain
      if (( _aside_listed )); then _aside_hold_keys up; else _aside_let_keys up; fi ;;
    sign|note|said|offer) _aside_let_keys ;;
  esac
}

# Resets the state when nothing of a query is shown any more.
_aside_wish_cleared() {
  # Drops an offer that was not taken.
  [[ $_aside_shown == offer ]] && _aside_proposal=
  _aside_more_drop
  _aside_shown= _aside_parts=() _aside_listed=0 _aside_explanation=() _aside_explain_id=0
  if (( $#_aside_took )) && [[ $BUFFER == "$_aside_took[1]" ]]; then _aside_let_keys down up; else _aside_let_keys; fi
}

# A highlighter would colour the words as a command that does not exist.
_aside_unpaint_words() {
  (( $+functions[_zsh_highlight] )) || return 0
  local entry
  local -a kept
  for entry in "${(@)region_highlight}"; do
    [[ $entry == <->\ * ]] && (( ${entry%% *} < $#BUFFER )) || kept+=("$entry")
  done
  (( $#kept == $#region_highlight )) || region_highlight=("${(@)kept}")
}

# Keys for a while

# The keys of each kind, into `reply`, as the terminal sends them.
_aside_keys_of() {
  case $1 in
    down) reply=($'\e[B' $'\eOB' $'\C-n') ;;
    up) reply=($'\e[A' $'\eOA' $'\C-p') ;;
    explain) _aside_key_bytes $_aside_explain_key ;;
  esac
}

# What a key with a name sends, into `reply`: ctrl-e, alt-x, ctrl-alt-x, f1, or as bindkey writes it, ^X^E.
_aside_key_bytes() {
  local key=${1:l} before=
  local -i code
  reply=()
  case $1 in
    '') return 0 ;;
    '^'*|\\*) reply=("$1"); return 0 ;;
  esac
  if [[ $key == f<1-12> ]]; then
    zmodload zsh/terminfo 2>/dev/null
    local -a usual=($'\eOP' $'\eOQ' $'\eOR' $'\eOS' $'\e[15~' $'\e[17~' $'\e[18~' $'\e[19~' $'\e[20~' $'\e[21~' $'\e[23~' $'\e[24~')
    reply=($usual[${key#f}])
    [[ -n ${terminfo[k$key]-} ]] && reply+=("$terminfo[k$key]")
    reply=(${(u)reply})
    return 0
  fi
  while [[ $key == (ctrl|alt)-?* ]]; do
    if [[ $key == alt-* ]]; then before+=$'\e'; key=${key#alt-}; continue; fi
    key=${key#ctrl-}
    case $key in
      space) before+=$'\0'; key= ;;
      alt-*) key=alt-ctrl-${key#alt-} ;;
      [a-z\]\\_^]) code=$(( #key & 31 )); before+=${(#)code}; key= ;;
      *) return 0 ;;
    esac
  done
  [[ $#key -le 1 && -n $before ]] && reply=("$before$key")
  return 0
}

# Looks up what our keys mean, once for each line: the user may have bound them anew.
_aside_look_up_keys() {
  local REPLY line key kind
  local -a reply keys lines
  _aside_held_at=$_aside_prompts _aside_held=()
  for kind in down up explain; do
    _aside_keys_of $kind
    keys+=($reply)
  done
  keys=($'\e[C' $keys)
  _aside_printed _aside_print_keys $keys
  lines=("${(@f)REPLY}")
  _aside_held_map=${${lines[1]#bindkey -A }% main}
  [[ $_aside_held_map == (emacs|viins) ]] || _aside_held_map=main
  local -i number=1
  local arrow=${lines[2]##*\" }
  for key in $keys; do
    line=${lines[++number]-}
    line=${line##*\" }
    # Skips a key bound to a string, and one that begins with Esc where nothing else does.
    [[ -z $line || $line == (\"*|_aside_held_*) ]] && continue
    [[ $line == undefined-key && $key == $'\e'* && $arrow == undefined-key ]] && continue
    _aside_held[$key]=$line
  done
}

_aside_print_keys() {
  local key
  bindkey -lL main
  for key; do bindkey -M main "$key"; done
}

_aside_hold_keys() {
  local kind key
  local -a reply
  (( _aside_held_at == _aside_prompts )) || _aside_look_up_keys
  for kind; do
    (( $_aside_holding[(I)$kind] )) && continue
    _aside_holding+=($kind)
    _aside_keys_of $kind
    for key in $reply; do
      (( $+_aside_held[$key] )) && bindkey -M $_aside_held_map "$key" _aside_held_$kind
    done
  done
}

# All of them, or those of some kinds.
_aside_let_keys() {
  local kind key
  local -a reply kinds=($@)
  (( $#_aside_holding )) || return 0
  (( $# )) || kinds=($_aside_holding)
  for kind in $kinds; do
    (( $_aside_holding[(I)$kind] )) || continue
    _aside_holding=(${_aside_holding:#$kind})
    _aside_keys_of $kind
    for key in $reply; do
      (( $+_aside_held[$key] )) || continue
      if [[ $_aside_held[$key] == undefined-key ]]; then
        bindkey -M $_aside_held_map -r "$key"
      else
        bindkey -M $_aside_held_map "$key" $_aside_held[$key]
      fi
    done
  done
}

# The widget that a key we hold had, into _aside_old.
_aside_held_before() {
  local -a reply
  _aside_old=${_aside_held[$KEYS]-}
  if [[ -z $_aside_old ]]; then
    _aside_keys_of $1
    _aside_old=${_aside_held[${reply[1]-}]-}
  fi
  [[ $_aside_old != undefined-key ]] || _aside_old=
}

# Binds the key that the settings name to one of our widgets: its kind, which is the name of the widget, the key it had before, and the new
# one.
_aside_bind_own() {
  local key keymap
  local -a reply
  _aside_key_bytes "$2"
  for keymap in emacs viins; do
    for key in $reply; do _aside_unbind $keymap "$key"; done
  done
  _aside_key_bytes "$3"
  (( $#reply )) || return 0
  local REPLY
  local -a lines
  _aside_printed _aside_print_all $reply[1]
  lines=("${(@f)REPLY}")
  lines=("${(@)lines[-2,-1]##*\" }")
  for keymap in emacs viins; do
    for key in $reply; do _aside_rebind $keymap "$key" aside-$1 "$lines[1]"; done
    builtin shift lines
  done
}
