# The list of Aside for zsh: a key asks the daemon for all candidates at the cursor, and shows several of them below the line, with
# descriptions. Read like aside.zsh, and after it.
#
# It uses the candidates of aside.show.zsh, and takes the place of the bar.

typeset -gi _aside_menu=0                    # 1: asked for; 2: open.
typeset -g _aside_menu_keys=                 # The last key that was one of its own.
typeset -g _aside_menu_text=                 # The candidate to begin with, if it is in the list.
typeset -ga _aside_menu_spans                # Colours in it: from, to and style, counted from its first letter.
typeset -gi _aside_menu_lines=0              # Of the terminal when it was laid out.
typeset -g _aside_menu_arrows='↑/↓'
(( ${#${:-…}} == 1 )) || _aside_menu_arrows=Up/Down

# Opens the list, or closes it.
aside-menu() {
  if (( _aside_menu == 2 )); then
    _aside_menu_close
    return 0
  fi
  # Not where a query or an answer to prose is shown; nor where nothing is typed.
  [[ $CONTEXT == (start|cont) && $KEYMAP != vi(cmd|opp) && -z $_aside_shown && $BUFFER == *[^[:space:]]* &&
    $BUFFER != "$_aside_wish_mark"* ]] || return 0
  (( _aside_on && _aside_enabled && ! _aside_isearch && ! ${ZLE_RECURSIVE:-0} && $#BUFFER <= 4096 )) || return 0
  _aside_menu_text=
  _aside_stands && _aside_menu_text=$_aside_candidates[_aside_index]
  _aside_left=$LBUFFER _aside_right=$RBUFFER _aside_at=$HISTNO
  _aside_dismissed=0 _aside_completing=0 _aside_browsing=0 _aside_menu=1 _aside_menu_keys=$KEYS
  _aside_ask_for 1 || _aside_menu=0
  return 0
}

# The candidates have arrived.
_aside_menu_open() {
  local -i place=${_aside_candidates[(Ie)$_aside_menu_text]}
  (( place )) && _aside_index=place
  (( _aside_menu == 2 )) && return 0
  _aside_menu=2
  _aside_hold_keys down up
}

# Shows the bar again.
_aside_menu_close() {
  _aside_clear
  _aside_ask
}

_aside_menu_gone() {
  (( _aside_menu == 2 )) && _aside_let_keys down up
  _aside_menu=0
}

_aside_menu_key() {
  (( _aside_menu == 2 )) || return 1
  case $1 in
    down) _aside_browse 1 ;;
    up) _aside_browse -1 ;;
    *) return 1 ;;
  esac
}

# The line is unchanged. A foreign key closes the list; a reply or a resize has no key.
_aside_menu_unchanged() {
  if [[ -n $KEYS && $KEYS != "$_aside_menu_keys" && $LASTWIDGET != (.|)(clear-screen|redisplay|reset-prompt) ]]; then
    _aside_menu_close
    return 0
  fi
  if (( COLUMNS != _aside_width || LINES != _aside_menu_lines )); then _aside_draw; else _aside_repaint; fi
}

# Keeps those candidates that go on like what was typed. Fails if none does.
_aside_menu_follow() {
  [[ -z $RBUFFER && $LBUFFER == "$_aside_for"?* ]] && ! _aside_is_recalled || return 1
  local -a fitting=(${(M)_aside_candidates:#"$LBUFFER"?*})
  (( $#fitting )) || return 1
  _aside_asked=0 _aside_menu_keys=$KEYS
  _aside_narrow
}

# Lays out a page of at most eight: what is at the cursor in each, since the rest of the line is above, and its description. Fails, and
# closes the list, where there is no room for it.
_aside_lay_menu() {
  local REPLY line text about before word hint
  local -a texts abouts hints
  local -i rows=LINES-4 count=$#_aside_candidates first last number wide=0 most at room=COLUMNS-3
  for line in "${(@f)${:-$BUFFER$_aside_ghost}}"; do (( rows -= ${(m)#line} / COLUMNS + 1 )); done
  (( rows = rows < 8 ? rows : 8 ))
  if (( rows < 1 || room < 8 )); then
    _aside_menu_gone
    return 1
  fi
  word=${LBUFFER##*[[:space:]]}
  before=${LBUFFER[1,$#LBUFFER-$#word]}
  (( first = (_aside_index - 1) / rows * rows + 1, last = first + rows - 1 < count ? first + rows - 1 : count ))
  for (( number = first; number <= last; number++ )); do
    text=$_aside_candidates[number] about=$_aside_abouts[number]
    (( COLUMNS < 60 )) && about=
    [[ -n $before && $text == "$before"?* ]] && text=${text:$#before}
    _aside_cut_to $(( $#about ? room / 2 : room )) "$text"
    (( $#about && ${(m)#REPLY} > wide )) && wide=${(m)#REPLY}
    texts+=("$REPLY") abouts+=("$about")
  done
  _aside_menu_spans=() _aside_menu_lines=$LINES
  for (( number = first; number <= last; number++ )); do
    text=$texts[number-first+1] about=$abouts[number-first+1]
    at=$#_aside_bar
    if (( number == _aside_index )); then
      _aside_bar+="> $text"
      _aside_menu_spans+=("$at $#_aside_bar $_aside_chosen_style")
    else
      _aside_bar+="  $text"
    fi
    if [[ -n $about ]]; then
      _aside_bar+="${(l:wide-${(m)#text}+2:)}"
      _aside_cut_to $(( room - wide - 2 )) "$about"
      at=$#_aside_bar
      _aside_bar+=$REPLY
      _aside_menu_spans+=("$at $#_aside_bar $_aside_hint_style")
    fi
    _aside_bar+=$'\n'
  done
  _aside_hint_at=$#_aside_bar
  text="($_aside_index/$count)"
  _aside_hints "[$_aside_menu_arrows]"
  room=COLUMNS-1-$#text
  for hint in "${(@)hints}" ''; do (( $#hint + 2 <= room )) && break; done
  [[ -n $hint ]] && text+="${(l:room-$#hint:)}$hint"
  _aside_bar+=$text
}

# Adds the colours of the list, which begins at `bar`, to `entries`.
_aside_menu_colour() {
  local from to style
  for from to style in ${(s: :)${(j: :)_aside_menu_spans}}; do
    [[ $style == none ]] || entries+=("$(( bar + from )) $(( bar + to )) $style")
  done
}
