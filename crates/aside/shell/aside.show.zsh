# What Aside for zsh shows and what becomes of it: the candidates of the last reply, the grey text behind the line, the bar below it, and
# the keys that take, browse and dismiss them. Read like aside.zsh, and after it.
#
# Something is shown exactly while _aside_drawn is not empty. The daemon decides which candidates there are.

typeset -ga _aside_candidates _aside_cursors # Candidates as whole lines, and where the cursor goes in each.
typeset -gi _aside_grey=1                    # Whether the first is sure enough to be grey.
typeset -ga _aside_abouts                    # One line about each, mostly empty.
typeset -gi _aside_index=0                   # The one that is shown,
typeset -gi _aside_browsing=0                # because the user went there.
typeset -g _aside_drawn=                     # All that we put behind the line: grey text, newline, bar.
typeset -g _aside_ghost= _aside_bar=
typeset -g _aside_for= _aside_behind=        # The line it was drawn for, before and after the cursor.
typeset -ga _aside_spans                     # Where region_highlight colours it.
typeset -gi _aside_hint_at=0                 # Where in the bar the description and the hint begin; 0 without either.
typeset -gi _aside_warns=0                   # The bar says what the candidate may destroy, and nothing else.
typeset -gi _aside_cut=0                     # The candidate did not fit into the bar, or the bar onto the screen.
typeset -gi _aside_cursor_at=0               # Where in the bar the cursor would be; 0 at the end of the candidate.
typeset -gi _aside_new_word=0                # A blank was typed along with what is shown, and nothing asked since.
typeset -gi _aside_width=0                   # Of the terminal when the bar was made.
typeset -gi _aside_dismissed=0               # The user has dismissed what was shown,
typeset -g _aside_hushed=                    # as long as the line is this one.
typeset -gi _aside_completing=0              # The shell completes, and Tab is its own until the line changes otherwise.
typeset -gi _aside_escapes=0                 # Whether Esc may be ours while something is shown; 2 while it is.
typeset -gi _aside_torn=0                    # Esc was the beginning of another key, which comes again.
typeset -g _aside_style=fg=8 _aside_bar_style=none _aside_hint_style=fg=242
typeset -gi _aside_wants_bar=1 _aside_wants_hint=1

# How our own entries in region_highlight end, to recognise them. Before 5.9 zsh knows no memo, and would take it for an invalid part of the
# style; there we recognise the style itself, as zsh spells it.
typeset -g _aside_memo=' memo=aside' _aside_mark='*memo=aside'
[[ $ZSH_VERSION == (5.<9->*|<6->.*) ]] || _aside_memo= _aside_mark=fg=8

# The signs of the bar, for a terminal that can show them and for one that cannot.
typeset -gA _aside_sign=(tab '↹' shift '⇧' arrows '←/→' line '⏎' cut '…')
(( ${#${:-…}} == 1 )) || _aside_sign=(tab Tab shift Shift arrows '</>' line '\n' cut '...')

# A reply about the line: number, verb, count, and three fields for each candidate; four, with a description, from a daemon that knows the
# question for it.
_aside_show() {
  [[ $1 == $_aside_asked && $CONTEXT == (start|cont) && $LBUFFER == "$_aside_left" && $RBUFFER == "$_aside_right" ]] || return 0
  (( _aside_enabled && ! _aside_isearch && ! _aside_dismissed && ! ${_aside_inside:-0} && ! ${ZLE_RECURSIVE:-0} )) || return 0
  # An empty list leaves what is shown.
  (( _aside_menu && $# <= 4 )) && return 0
  # Candidates must not change while the user browses them.
  (( _aside_browsing )) && return 0
  # zsh-autosuggestions takes any text behind the line for its own, so only one of the two can show something.
  (( $+functions[_zsh_autosuggest_fetch] && ! $+_ZSH_AUTOSUGGEST_DISABLED )) && return 0
  local text cursor source about before=$_aside_drawn
  local -a fields=("${(@)@[4,-1]}")
  local -i each=3 at
  _aside_grey=1
  # Behind them, from a daemon that knows the question for it: whether the first is sure enough to be grey.
  if [[ $3 == <0-999> ]] && (( $#fields == 4 * $3 + 1 )); then
    [[ $fields[-1] == 0 ]] && _aside_grey=0
    fields[-1]=()
  fi
  [[ $3 == <1-999> ]] && (( $#fields == 4 * $3 )) && each=4
  (( _aside_menu == 2 )) && _aside_menu_text=$_aside_candidates[_aside_index]
  _aside_candidates=() _aside_cursors=() _aside_abouts=()
  # A suggestion shown before the first key stays first as long as it goes on like the line.
  [[ -n $_aside_next_text && -z $RBUFFER && $_aside_next_text == "$LBUFFER"?* ]] &&
    _aside_candidates=("$_aside_next_text") _aside_cursors=('') _aside_abouts=('') _aside_grey=1
  for (( at = 1; at <= $#fields; at += each )); do
    text=$fields[at] cursor=$fields[at+1] about=
    if [[ -n $PREBUFFER ]]; then
      # Asked with the lines before this one, which cannot be changed any more.
      [[ $text == "$PREBUFFER"* ]] || continue
      text=${text:$#PREBUFFER}
      [[ $cursor == <-> ]] && (( cursor -= $#PREBUFFER ))
    fi
    [[ -n $text && $text != "$BUFFER" && $text != "$_aside_next_text" ]] || continue
    # A blank alone shows nothing.
    [[ -z $RBUFFER && $text == "$LBUFFER"* && $text != "$LBUFFER"*[^[:space:]]* ]] && continue
    # Without a bar, a candidate that does not continue the line cannot be shown.
    (( _aside_wants_bar || _aside_menu )) || [[ -z $RBUFFER && $text == "$LBUFFER"?* ]] || continue
    _aside_candidates+=("$text")
    [[ $cursor == <-> ]] && (( cursor < $#text )) || cursor=
    _aside_cursors+=("$cursor")
    (( each == 4 )) && about=$fields[at+3]
    # Where letters are bytes their columns cannot be counted.
    [[ $_aside_sign[cut] == ... && $about == *[^\ -~]* ]] && about=
    _aside_abouts+=("$about")
  done
  # Without a bar, a candidate that is not grey cannot be shown.
  (( _aside_grey || _aside_wants_bar || _aside_menu )) || _aside_candidates=()
  if (( $#_aside_candidates )); then
    _aside_index=1 _aside_for=$LBUFFER _aside_behind=$RBUFFER
    (( _aside_menu )) && _aside_menu_open
    _aside_draw
  else
    _aside_clear
    _aside_let_go
  fi
  [[ $_aside_drawn == "$before" ]] || zle -R
}

# Painting

# Draws the chosen candidate: what it adds at the end of the line as grey text; and in the bar if there are others, or if grey text cannot
# show all of it.
_aside_draw() {
  local text=$_aside_candidates[_aside_index]
  _aside_ghost= _aside_bar= _aside_hint_at=0 _aside_cursor_at=0 _aside_cut=0 _aside_warns=0 _aside_width=$COLUMNS
  _aside_is_chosen && [[ -z $RBUFFER && $text == "$LBUFFER"*[^[:space:]]* ]] && _aside_ghost=${text:$#LBUFFER}
  if (( _aside_menu == 2 )) && _aside_lay_menu; then
    :
  elif [[ -n $_aside_next_text && $text == "$_aside_next_text" && -n $_aside_next[3] ]]; then
    _aside_next_warn
  elif (( _aside_wants_bar )); then
    if (( $#_aside_candidates > 1 )) || [[ -z $_aside_ghost || -n $_aside_cursors[_aside_index] ]]; then
      _aside_lay_out
    fi
  fi
  _aside_drawn=$_aside_ghost${_aside_bar:+$'\n'$_aside_bar}
  if [[ -n $_aside_drawn ]]; then _aside_paint; else _aside_clear; fi
}

# Whether the candidate is sure enough to be taken without another look, or the user selected it. The others are only listed: Tab completes
# as always.
_aside_is_chosen() { (( _aside_grey || _aside_index > 1 || _aside_browsing || _aside_menu == 2 )) }

# Makes the bar: `(1/4) git status --short   what it does   [↹] apply | [⇧]+[←/→] navigate`, no wider than the terminal. Leaves out first
# the description and the hint, then the beginning of what is typed already, then the end.
_aside_lay_out() {
  local text=$_aside_candidates[_aside_index] cursor=$_aside_cursors[_aside_index] sign
  local -i count=$#_aside_candidates room=COLUMNS-1 typed=$#LBUFFER
  # A line that does not fit on the screen needs every row of it.
  _aside_cut=1
  [[ $BUFFER$_aside_ghost != *$'\n'* ]] && (( ${(m)#BUFFER} + ${(m)#_aside_ghost} < COLUMNS )) || _aside_fits || return 0
  local head="($_aside_index/$count) " before=
  [[ -n $cursor ]] && before=${${text[1,cursor]//$'\n'/$_aside_sign[line]}//$'\t'/ }
  room=room-$#head
  text=${${text//$'\n'/$_aside_sign[line]}//$'\t'/ }
  (( ${(m)#text} > room )) || _aside_cut=0
  if (( ${(m)#text} > room && typed > 16 )) && [[ $text == "${${LBUFFER//$'\n'/$_aside_sign[line]}//$'\t'/ }"* ]]; then
    text=$_aside_sign[cut]${text:$typed-12}
    before=$_aside_sign[cut]${before:$typed-12}
  fi
  if (( ${(m)#text} > room )); then
    sign=$_aside_sign[cut]
    room=room-$#sign
    (( room > 0 )) || return 0
    text=${(mr:room:)text}
    # Drops a wide letter that would be cut in half.
    (( ${(m)#text} > room )) && text=${text[1,-2]}
    text+=$sign
  else
    room=room-${(m)#text}
    _aside_lay_rest
  fi
  _aside_bar=$head$text
  [[ -n $cursor ]] && (( $#before < $#text )) && _aside_cursor_at=$(( $#head + $#before ))
  return 0
}

# Puts the description and the hint behind the candidate, in the `room` that is left. A short hint makes room for the description, which is
# cut, or left out where little of it would fit.
_aside_lay_rest() {
  local about=$_aside_abouts[_aside_index] hint= REPLY
  local -a hints
  local -i wide=${(m)#about} left
  _aside_hints "[$_aside_sign[shift]]+[$_aside_sign[arrows]]"
  (( COLUMNS < 60 )) && about=
  if [[ -n $about ]]; then
    for hint in "${(@)hints}"; do (( wide + 5 + $#hint <= room )) && break; done
    left=room-5-$#hint
    if (( left < wide && left < 16 )); then
      about=
    else
      _aside_cut_to $left "$about"
      text+='   '
      _aside_hint_at=$(( $#head + $#text ))
      text+=$REPLY
      room=room-3-${(m)#REPLY}
    fi
  fi
  if [[ -z $about ]]; then
    for hint in "${(@)hints}" ''; do (( $#hint + 2 <= room )) && break; done
  fi
  [[ -n $hint ]] || return 0
  text+="  ${(l:room-2-$#hint:)}"
  (( _aside_hint_at )) || _aside_hint_at=$(( $#head + $#text ))
  text+=$hint
}

# The hint about the keys, with these to go from one candidate to the next, into `hints`: the long one and the short one.
_aside_hints() {
  hints=('')
  (( _aside_wants_hint )) || return 0
  local -a long short
  if ! _aside_is_chosen; then
    hints=("$1 choose" "$1")
    return 0
  fi
  _aside_has_tab && long=("[$_aside_sign[tab]] apply") short=("[$_aside_sign[tab]]")
  (( $#_aside_candidates > 1 )) && long+=("$1 navigate") short+=("$1")
  hints=("${(j: | :)long}" "${(j: | :)short}")
}

# Whether the line, what follows it and a bar fit on the screen, below a prompt of a few lines.
_aside_fits() {
  local line
  local -i rows=3
  for line in "${(@f)${:-$BUFFER$_aside_ghost}}"; do (( rows += ${(m)#line} / COLUMNS + 1 )); done
  (( rows < LINES ))
}

_aside_paint() {
  if [[ -n $_aside_shown ]]; then
    _aside_wish_paint
    return 0
  fi
  local style=$_aside_bar_style
  local -i at=$#BUFFER end=$#BUFFER+$#_aside_ghost bar
  local -a entries
  (( _aside_warns )) && style=$_aside_warn_style
  POSTDISPLAY=$_aside_drawn
  [[ -n $_aside_ghost ]] && entries+=("$at $end $_aside_style")
  if [[ -n $_aside_bar ]]; then
    (( bar = end + 1, at = bar + (_aside_hint_at ? _aside_hint_at : $#_aside_bar), end = bar + $#_aside_bar ))
    [[ $style == none ]] || entries+=("$bar $at $style")
    (( _aside_menu == 2 )) && _aside_menu_colour
    (( at < end )) && [[ $_aside_hint_style != none ]] && entries+=("$at $end $_aside_hint_style")
    # A letter in its place would read as part of the command.
    (( _aside_cursor_at )) && entries+=("$(( bar + _aside_cursor_at )) $(( bar + _aside_cursor_at + 1 )) standout")
    # zsh-autosuggestions colours whatever stands behind the line.
    (( _aside_rival )) && [[ -n ${_ZSH_AUTOSUGGEST_LAST_HIGHLIGHT-} ]] &&
      region_highlight=("${(@)region_highlight:#$_ZSH_AUTOSUGGEST_LAST_HIGHLIGHT}")
  fi
  _aside_put
}

# Gives what is behind the line the colours in `entries`, in place of the ones it had.
_aside_put() {
  region_highlight=("${(@)region_highlight:#<-> <-> $~_aside_mark}" "${(@)entries/%/$_aside_memo}")
  _aside_spans=("${(@)entries% *}")
  [[ -n $_aside_memo ]] || (( ! $#entries )) || _aside_mark="(${(j:|:)${(@)region_highlight[-$#entries,-1]#<-> <-> }})"
  (( _aside_armed )) || _aside_arm
  [[ ${widgets[$_aside_tab_widget]-} == user:* ]] || _aside_has_tab
  if (( _aside_escapes == 1 )); then
    # Only while it has something to do: bound alone, Esc is a key that zsh has to wait for.
    bindkey -M emacs '^[' _aside_escape
    _aside_escapes=2
  fi
}

# Some highlighters start from an empty list at every key. And completion removes the word and inserts it again, which moves our entries.
_aside_repaint() {
  [[ -n $_aside_shown && $POSTDISPLAY != "$_aside_drawn" ]] && _aside_paint
  [[ -n $_aside_drawn && $POSTDISPLAY == "$_aside_drawn" ]] || return 0
  local span
  for span in $_aside_spans; do
    [[ -n ${region_highlight[(r)$span $~_aside_mark]} ]] && continue
    _aside_paint
    return 0
  done
  if (( _aside_rival )) && [[ -n $_aside_bar && -n ${_ZSH_AUTOSUGGEST_LAST_HIGHLIGHT-} ]]; then _aside_paint; fi
  return 0
}

# The window was resized.
_aside_resized() {
  [[ -n $_aside_drawn ]] && (( COLUMNS != _aside_width )) || return 0
  if [[ -n $_aside_shown ]]; then _aside_wish_draw; else _aside_draw; fi
  zle -R
}

_aside_clear() {
  (( _aside_menu )) && _aside_menu_gone
  _aside_candidates=() _aside_cursors=() _aside_abouts=() _aside_index=0 _aside_browsing=0
  [[ -n $_aside_drawn ]] || return 0
  [[ -n $_aside_next_text ]] && _aside_next_gone
  [[ -n $_aside_shown ]] && _aside_wish_cleared
  # A hook of the user may have put a text of its own there; a plugin that wraps widgets, an earlier one of ours.
  [[ $_aside_drawn == *"$POSTDISPLAY" ]] || [[ -n $_aside_ghost && $POSTDISPLAY == "$_aside_ghost"* ]] && POSTDISPLAY=
  _aside_drawn= _aside_ghost= _aside_bar= _aside_spans=()
  region_highlight=("${(@)region_highlight:#<-> <-> $~_aside_mark}")
}

# Gives Esc its old meaning back. Not after every change, which would cost every key a moment: mostly something is shown again soon, and
# until then _aside_escape passes it on.
_aside_let_go() {
  (( _aside_escapes == 2 )) || return 0
  bindkey -M emacs -r '^['
  _aside_escapes=1
}

# The line

# The line is unchanged, and something is shown.
_aside_unchanged() {
  if [[ -n $_aside_shown ]]; then
    _aside_wish_unchanged
  elif (( _aside_torn )); then
    _aside_torn=0
  elif [[ $KEYS == $'\e' ]]; then
    _aside_dismiss
  elif [[ $KEYMAP == vi(cmd|opp) ]]; then
    _aside_clear
  elif (( _aside_menu == 2 )); then
    _aside_menu_unchanged
  elif [[ -n $_aside_next_text && -z $BUFFER && $LASTWIDGET != (.|)(clear-screen|redisplay|reset-prompt) ]]; then
    # On an empty line any key dismisses it, even one that does nothing there.
    _aside_clear
    _aside_let_go
  elif [[ -n $_aside_bar ]] && (( COLUMNS != _aside_width )); then
    _aside_draw
  else
    _aside_repaint
  fi
}

# The line changed while something is shown. If what was typed continues the candidate, the rest of it is still right, and so are those of
# the others that go on like that. Fails if there is nothing left to show.
_aside_follow() {
  [[ $KEYS == $'\e' && $BUFFER == "$_aside_for$_aside_behind" ]] && _aside_dismiss && return 0
  if (( _aside_menu == 2 )); then
    _aside_menu_follow && return 0
  elif [[ -n $_aside_ghost && -z $RBUFFER && $LBUFFER == "$_aside_for"* &&
    ( -z $_aside_next_text || $_aside_enabled$_aside_autosuggestions == 1replace ) ]] && ! _aside_is_recalled &&
    [[ $_aside_candidates[_aside_index] == "$LBUFFER"*[^[:space:]]* ]]; then
    # A reply for the line as it was comes too late.
    _aside_asked=0 _aside_menu=0
    # Only a typed blank: a user who takes a word of what is shown wants the rest of it.
    [[ ${LBUFFER:$#_aside_for} == [[:space:]] ]] && _aside_new_word=1
    _aside_narrow
    # Behind a blank another candidate may be likelier; what is shown stays until the reply arrives.
    if (( _aside_new_word && ! PENDING && ! KEYS_QUEUED_COUNT )); then
      _aside_new_word=0
      _aside_ask
    fi
    # For a suggestion shown before the first key, the alternatives were never asked for.
    [[ -n $_aside_next_text ]] && (( $#_aside_candidates == 1 )) && return 1
    return 0
  fi
  _aside_clear
  return 1
}

_aside_narrow() {
  local -i number place=0
  # Typing along with a candidate that the user selected keeps it.
  [[ -n $_aside_ghost ]] && _aside_grey=1
  local -a candidates=(${(M)_aside_candidates:#"$LBUFFER"*[^[:space:]]*}) cursors abouts
  _aside_browsing=0 _aside_for=$LBUFFER _aside_behind=
  # This runs between a key and its echo: mostly the bar stays as it is.
  if (( $#candidates == $#_aside_candidates && ! _aside_cut && COLUMNS == _aside_width )); then
    _aside_ghost=${_aside_candidates[_aside_index]:$#LBUFFER}
    _aside_drawn=$_aside_ghost${_aside_bar:+$'\n'$_aside_bar}
    _aside_paint
    return 0
  fi
  candidates=()
  for (( number = 1; number <= $#_aside_candidates; number++ )); do
    [[ $_aside_candidates[number] == "$LBUFFER"*[^[:space:]]* ]] || continue
    candidates+=("$_aside_candidates[number]")
    cursors+=("$_aside_cursors[number]")
    abouts+=("$_aside_abouts[number]")
    (( number == _aside_index )) && place=$#candidates
  done
  _aside_candidates=("${(@)candidates}") _aside_cursors=("${(@)cursors}") _aside_abouts=("${(@)abouts}")
  # In a list, what is typed may continue another candidate than the current.
  _aside_index=$(( place ? place : 1 ))
  _aside_draw
}

# Shows nothing until the text of the line changes.
_aside_dismiss() {
  if [[ -n $_aside_shown ]]; then
    _aside_wish_dismiss
    return 0
  fi
  _aside_dismissed=1 _aside_hushed=$BUFFER _aside_asked=0
  _aside_clear
  _aside_let_go
}

# Keys

# Whether what is shown belongs to the line, so that a key may do something with it.
_aside_stands() {
  [[ -n $_aside_drawn && $POSTDISPLAY == "$_aside_drawn" && $LBUFFER == "$_aside_for" && $RBUFFER == "$_aside_behind" ]]
}

# What one of our keys does while something is shown. Fails if it has to do what it did before us.
_aside_do() {
  case $1 in
    tab) [[ $_aside_tab == take ]] && { _aside_wish_enter || _aside_offer_take || { _aside_is_chosen && _aside_apply } } && return 0 ;;
    next) _aside_browse 1; return ;;
    previous) _aside_browse -1; return ;;
  esac
  # The shell completes. It may show a list, and a second Tab goes on with it: nothing may come in between.
  _aside_completing=1 _aside_asked=0
  _aside_wish_passed
  _aside_clear
  # Ctrl-C at a question of the shell (whether to list all) answers that question, and a trap would end the line.
  _aside_disarm
  return 1
}

# Completion has ended. After a single match there is nothing to go on with, and the line is one like any other.
_aside_did() {
  (( _aside_completing && ${_lastcomp[nmatches]:-2} == 1 )) && _aside_completing=0 _aside_left=$'\0'
  return 0
}

# Whether completion changed the line: called by us, or by a key of the user, in a menu.
_aside_completes() {
  (( ${_aside_inside:-0} )) || [[ $LASTWIDGET == (_aside_(tab|back)_*|*menu-complete*|$_aside_tab_widget) ]] && return 0
  _aside_completing=0
  return 1
}

# Replaces the line with what is shown.
_aside_apply() {
  _aside_stands || return 1
  local cursor=$_aside_cursors[_aside_index]
  BUFFER=$_aside_candidates[_aside_index]
  CURSOR=${cursor:-$#BUFFER}
  _aside_clear
}

_aside_browse() {
  _aside_stands || return 1
  local -i count=$#_aside_candidates
  if ! _aside_is_chosen; then
    # The bar already shows the first one.
    (( _aside_index = $1 > 0 ? 1 : count ))
  else
    (( count > 1 )) || return 0
    (( _aside_index = (_aside_index - 1 + $1 + count) % count + 1 ))
  fi
  _aside_browsing=1
  _aside_menu_keys=$KEYS
  _aside_draw
}

# Takes all of the grey text, or fails, and then the widget named in _aside_widget has to run. If a word is to be taken, the widget runs
# over the whole: its own idea of a word decides where to cut.
_aside_take() {
  local name=$_aside_widget
  # With a negative count it goes the other way.
  (( ${NUMERIC:-1} < 0 )) && return 1
  [[ -n $_aside_shown ]] && _aside_wish_motion $name && return 0
  [[ -n $_aside_ghost ]] && _aside_stands || return 1
  if [[ $name == (vi-|)forward-char && $_aside_right_arrow == word ]]; then
    name=forward-word _aside_widget=forward-word
  fi
  if [[ $name == *word ]]; then
    _aside_typed=$BUFFER _aside_whole=1 POSTDISPLAY=
    BUFFER+=$_aside_ghost
    return 1
  fi
  _aside_apply
  [[ $name == *end-of-line ]] && CURSOR=$#BUFFER
  return 0
}

_aside_taken() {
  local left
  if (( CURSOR > $#_aside_typed )); then left=${BUFFER[1,CURSOR]}; else left=$_aside_typed; fi
  BUFFER=$left
  CURSOR=$#BUFFER
  if [[ $_aside_candidates[_aside_index] == "$left"*[^[:space:]]* ]]; then
    _aside_left=$left _aside_right= _aside_asked=0
    _aside_narrow
  else
    _aside_clear
  fi
  return 0
}

# For zsh-autosuggestions, whose keys take all that stands behind the line. Afterwards the bar is shown again, unless the line has changed.
_aside_only_ghost() {
  [[ -n $_aside_shown ]] && POSTDISPLAY=
  if [[ -n $_aside_bar ]] && _aside_stands; then POSTDISPLAY=$_aside_ghost; fi
  return 0
}

_aside_whole_again() {
  [[ -n $_aside_shown && $BUFFER == "$_aside_wish_line" ]] && _aside_wish_paint
  [[ -n $_aside_bar && $LBUFFER == "$_aside_for" && $RBUFFER == "$_aside_behind" ]] && _aside_paint
  return 0
}

_aside_escape() {
  local rest=
  if (( KEYS_QUEUED_COUNT )) && builtin read -t 0.1 -k 1 rest; then
    if [[ $rest != $'\e' ]]; then
      # The beginning of a key that zsh does not know: zsh reads it again, as without us.
      _aside_torn=1
      _aside_let_go
      zle -U $'\e'$rest
      return 0
    fi
    # Esc by itself, and another key behind it.
    zle -U $rest
    [[ -n $_aside_drawn ]] && _aside_dismiss
    return 0
  fi
  # With a short KEYTIMEOUT zsh hardly waits for the rest of a key: waits here, since a slow connection splits the sequences of arrows.
  if (( KEYTIMEOUT < 10 )) && [[ -n $_aside_drawn ]] && builtin read -t 0.1 -k 1 rest; then
    _aside_torn=1
    zle -U $'\e'$rest
  elif [[ -n $_aside_drawn ]]; then
    _aside_dismiss
  else
    _aside_let_go
    zle -U $'\e'
  fi
}

aside-dismiss() { [[ -n $_aside_drawn ]] && _aside_dismiss; return 0 }
aside-apply() { _aside_wish_enter || _aside_offer_take || _aside_apply || : }
aside-next() { _aside_browse 1 || : }
aside-previous() { _aside_browse -1 || : }
