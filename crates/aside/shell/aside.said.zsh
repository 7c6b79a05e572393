# The answer to prose, on the screen: above the prompt what stands, below the line what may still change, and on the empty line a command to
# take. Read like aside.zsh, and after it.
#
# To print above a prompt, everything from there on is moved down. zsh moves only relative to the cursor, so it need not know; and the
# prompt is not expanded again, which may start programs.

typeset -gi _aside_said_id=0                 # The question whose replies are shown.
typeset -g _aside_said_state= _aside_said_note=
typeset -ga _aside_said_rows _aside_said_tail
typeset -g _aside_said_proposal= _aside_said_warning=
typeset -ga _aside_printed                   # The rows that are on the screen already.
typeset -gi _aside_due=0                     # There is something to show that could not be shown yet.
typeset -gi _aside_due_fd=0                  # Calls us when it can.
typeset -g _aside_proposal= _aside_proposal_warning=  # What could be taken on an empty line.
typeset -gi _aside_above=0 _aside_above_at=-1  # Rows of the prompt above its last, and the number of the prompt that was.

# The style marks, as bytes, since a C locale knows no others; and their codes for the terminal.
typeset -ga _aside_looks
_aside_looks=(
  $'\xee\x84\x80' 0 $'\xee\x84\x81' 1 $'\xee\x84\x82' 2 $'\xee\x84\x83' 3 $'\xee\x84\x84' 4
  $'\xee\x84\x85' 36 $'\xee\x84\x86' 1 $'\xee\x84\x87' 2 $'\xee\x84\x88' 4
)

_aside_said_reset() {
  _aside_said_id=0 _aside_said_state= _aside_said_note= _aside_said_rows=() _aside_said_tail=() _aside_printed=() _aside_due=0
  _aside_said_proposal= _aside_said_warning=
  [[ $_aside_shown == said ]] && _aside_clear
  return 0
}

# Number, verb, state, note, proposal, warning, and rows and tail with their counts.
_aside_said() {
  [[ $1 == $_aside_said_id && -n $_aside_query && $7 == <-> ]] || return 0
  local -i at=8+$7 tail
  [[ ${@[at]-} == <-> ]] || return 0
  tail=${@[at]}
  _aside_said_state=$3 _aside_said_note=$4 _aside_said_proposal=$5 _aside_said_warning=$6
  _aside_said_rows=() _aside_said_tail=()
  (( $7 )) && _aside_said_rows=("${(@)@[8,at-1]}")
  (( tail )) && _aside_said_tail=("${(@)@[at+1,at+tail]}")
  _aside_said_show
}

# Whether we may write on the screen: a line is being typed, and no other plugin has put something below it.
_aside_may_show() {
  [[ $CONTEXT == start && -z $PREDISPLAY ]] &&
    (( ! _aside_isearch && ! _aside_completing && ! ${_aside_inside:-0} && ! ${_aside_waits:-0} && ! ${ZLE_RECURSIVE:-0} ))
}

# Shows what there is to show, or notes that it is still to be done.
_aside_said_show() {
  _aside_due=0
  if ! _aside_may_show; then
    _aside_due=1
    return 0
  fi
  local -a rows
  # A daemon that was started meanwhile begins anew, and may answer differently.
  rows=("${(@)_aside_said_rows[1,$#_aside_printed]}")
  if (( $#_aside_said_rows >= $#_aside_printed )) && [[ "${(pj:\n:)rows}" != "${(pj:\n:)_aside_printed}" ]]; then
    _aside_printed=()
  fi
  rows=("${(@)_aside_said_rows[$#_aside_printed+1,-1]}")
  (( $#_aside_said_rows > $#_aside_printed )) || rows=()
  # A note stands below all of it.
  [[ $_aside_said_state == done && -n $_aside_said_note ]] && rows+=($'\xee\x84\x82'"$_aside_said_note"$'\xee\x84\x80')
  if [[ $_aside_said_state == done ]]; then
    [[ $_aside_shown == said ]] && _aside_clear
  else
    _aside_show_tail
  fi
  if (( $#rows )) && ! _aside_print_above "${(@)rows}"; then
    _aside_due=1
    zle -R
    return 0
  fi
  (( $#_aside_said_rows > $#_aside_printed )) && _aside_printed=("${(@)_aside_said_rows}")
  if [[ $_aside_said_state == done ]]; then
    local proposal=$_aside_said_proposal warning=$_aside_said_warning
    _aside_query=
    _aside_said_reset
    [[ -n $proposal ]] && _aside_propose "$proposal" "$warning"
  fi
  zle -R
}

# The next time that no key is pending. _aside_reply closes it.
_aside_wake_later() {
  (( _aside_due_fd )) && return 0
  exec {_aside_due_fd}</dev/null
  zle -F $_aside_due_fd _aside_heard
}

# Below the line

# Only below an empty line: what the user types takes precedence.
_aside_show_tail() {
  if [[ -n $BUFFER || $_aside_shown == (note|offer) ]] || (( _aside_dismissed )); then
    [[ $_aside_shown == said ]] && _aside_clear
    return 0
  fi
  [[ -n $_aside_drawn && $_aside_shown != said ]] && _aside_clear
  [[ $_aside_autosuggestions == replace ]] || _aside_quieten
  _aside_shown=said _aside_wish_line=
  _aside_wish_draw
}

# At most a few rows of it, the last ones.
_aside_lay_said() {
  local row look code REPLY
  local -a lines
  _aside_rows_left
  (( rows > 0 )) || return 0
  (( rows < 4 )) || rows=4
  lines=("${(@)_aside_said_tail}")
  (( $#lines )) || lines=("thinking$_aside_sign[cut]")
  (( $#lines > rows )) && lines=("${(@)lines[-rows,-1]}")
  for row in "${(@)lines}"; do
    for look code in $_aside_looks; do row=${row//$look/}; done
    _aside_cut_to $(( COLUMNS - 1 )) "$row"
    _aside_parts+=($'\n'"$REPLY" $_aside_hint_style)
  done
}

# A command to take, on the empty line; waits for one. An empty command withdraws the last.
_aside_propose() {
  _aside_proposal=$1 _aside_proposal_warning=$2
  if [[ -z $1 ]]; then
    [[ $_aside_shown == offer ]] && _aside_clear
    return 0
  fi
  if ! _aside_may_show || [[ -n $BUFFER || $KEYMAP == vi(cmd|opp) ]]; then return 0; fi
  [[ -n $_aside_drawn ]] && _aside_clear
  _aside_proposal=$1 _aside_proposal_warning=$2
  [[ $_aside_autosuggestions == replace ]] || _aside_quieten
  _aside_shown=offer _aside_wish_line= _aside_fresh=${_aside_within:-0}
  _aside_wish_draw
  (( ${_aside_within:-0} )) || zle -R
}

_aside_lay_offer() {
  local REPLY take="[$_aside_sign[tab]] take"
  local -i room=COLUMNS-1
  [[ $_aside_tab == take ]] || take="[$_aside_wish_sign[right]] take"
  _aside_cut_to $(( (LINES - 4) * COLUMNS > COLUMNS ? (LINES - 4) * COLUMNS : COLUMNS )) "$_aside_proposal"
  _aside_parts=("$REPLY" $_aside_wish_style)
  _aside_rows_left
  (( rows > 0 )) || return 0
  _aside_parts+=($'\n' none)
  if [[ -n $_aside_proposal_warning ]]; then
    _aside_cut_to $room "! $_aside_proposal_warning"
    _aside_parts+=("$REPLY" $_aside_warn_style)
    room=room-${(m)#REPLY}-2
  fi
  if (( _aside_wants_hint && $#take <= room )); then
    (( room += 2 * ($#_aside_proposal_warning > 0) ))
    _aside_parts+=("${(l:room-$#take:)}$take" $_aside_hint_style)
  elif [[ -z $_aside_proposal_warning ]]; then
    _aside_parts=("${(@)_aside_parts[1,-3]}")
  fi
}

# Takes it into the line; or the line itself, if we said that it reads like prose. Fails if there is neither.
_aside_offer_take() {
  if [[ $_aside_shown == offer && -z $BUFFER ]]; then
    local text=$_aside_proposal
    _aside_clear
    zle split-undo 2>/dev/null
    BUFFER=$text
    CURSOR=$#BUFFER
    zle split-undo 2>/dev/null
    # It is to be read, not to be completed.
    _aside_dismissed=1 _aside_hushed=$BUFFER _aside_asked=0
    _aside_discard
  elif [[ $_aside_shown == note && -n $_aside_offered && $_aside_offered == "$BUFFER" ]]; then
    _aside_take_line "${BUFFER%$'\n'}" "$_aside_why"
  else
    return 1
  fi
}

# Above the prompt

# Prints rows there. Fails if there is no room, or none for now.
_aside_print_above() {
  local row text= chunk= REPLY
  local -i at=CURSOR below room used=0 tall
  if ! _aside_count_above; then
    # However the prompt is built, below it there is room for another one.
    for row; do _aside_dress "$row"; text+=$REPLY$'\r\n'; done
    zle -I
    { syswrite -- "$text" } 2>/dev/null >$TTY
    return 0
  fi
  # zsh puts the cursor into the first row of the line, and then knows how many rows there are.
  CURSOR=0
  zle -R
  below=BUFFERLINES-1
  room=LINES-_aside_above-BUFFERLINES
  if (( room < 1 )); then
    CURSOR=at
    return 1
  fi
  for row; do
    _aside_dress "$row"
    (( used + tall > room )) && _aside_shift
    # The first of them may be empty.
    (( used )) && chunk+=$'\r\n'
    chunk+=$REPLY
    (( used += tall ))
  done
  _aside_shift
  { syswrite -- "$text" } 2>/dev/null >$TTY
  # Rows below that zsh once wrote on may be gone, and it would count on them: makes it count anew.
  zle .redisplay
  CURSOR=at
  return 0
}

# Makes room for a chunk and writes it: scrolls up as far as needed, goes to where the prompt begins, moves everything from there down, and
# back to where it was. A vertical tab is a line feed that stays in its column.
_aside_shift() {
  (( used )) || return 0
  (( below )) && text+=$'\e['${below}B
  text+=${(pl:$used::\v:)}$'\e['$(( below + used ))A$'\e7\e[0m'
  (( _aside_above )) && text+=$'\e['${_aside_above}A
  text+=$'\r\e['${used}L$chunk$'\e8\e['${used}B
  chunk= used=0
}

# A row with escape sequences, into REPLY, and how many rows of the screen it takes.
_aside_dress() {
  local look code bare=$1
  local -i plain=0
  [[ -z ${NO_COLOR:-} ]] || plain=1
  REPLY=$1 tall=1
  for look code in $_aside_looks; do
    bare=${bare//$look/}
    (( plain )) || REPLY=${REPLY//$look/$'\e['${code}m}
  done
  if (( plain )); then REPLY=$bare; elif [[ $REPLY != "$bare" ]]; then REPLY+=$'\e[0m'; fi
  # It was laid out for another width.
  (( COLUMNS >= _aside_query_width || ${(m)#bare} <= COLUMNS )) || tall=$(( (${(m)#bare} - 1) / COLUMNS + 1 ))
}

# How many rows of the prompt are above the last, into _aside_above. Fails for a prompt that moves the cursor about, other than by a
# carriage return or by going up again after a newline, which makes room.
_aside_count_above() {
  setopt localoptions extendedglob
  local REPLY text
  local -i row=0 column=0
  # Expanding a prompt that starts programs takes a while: once only.
  if [[ $PROMPT == *(\$\([^\(]|\`)* ]]; then
    (( _aside_above_at == _aside_prompts )) && return $(( _aside_above < 0 ))
  fi
  _aside_above=-1 _aside_above_at=$_aside_prompts
  _aside_expand_prompt
  REPLY=${REPLY//$'\e['[0-9;:]#[mK]/}
  REPLY=${REPLY//$'\e]'[^$'\a\e']#($'\a'|$'\e\\')/}
  REPLY=${REPLY//($'\e'[\(\)][0AB]|$'\x0f'|$'\x0e')/}
  REPLY=${REPLY//$'\t'/        }
  while true; do
    text=${REPLY%%[[:cntrl:]]*}
    REPLY=${REPLY:$#text}
    column+=${(m)#text}
    [[ -n $REPLY ]] || break
    if (( column )); then row+=$(( (column - 1) / COLUMNS )); fi
    column=0
    case $REPLY in
      $'\n'*) (( ++row )); text=$'\n' ;;
      $'\r'*) text=$'\r' ;;
      $'\e['[0-9]#A*)
        text=${REPLY%%A*}A
        (( row -= ${${${text#$'\e['}%A}:-1} )) ;;
      *) return 1 ;;
    esac
    REPLY=${REPLY:$#text}
  done
  (( row += column / COLUMNS, row >= 0 )) || return 1
  _aside_above=$row
  return 0
}
