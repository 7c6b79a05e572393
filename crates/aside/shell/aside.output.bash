# Capture of outputs: the marks around them, and telling the daemon that we write them. A command keeps its terminal; nothing is redirected.
# Read before aside.bash.
#
# `aside init` prints _aside_mark and _aside_tty, empty where nothing can be captured. Whether something captures, the daemon tells `aside
# call`, which leaves it in a file for us: the shell never waits for it, and needs no process to read it.

_aside_inbox=$_aside_socket.inbox _aside_scratch=$_aside_socket.inbox/bash-$$-0.text
_aside_tier=off _aside_skip='' _aside_skip_bare='' _aside_skipped='' _aside_seen=''
# What PS0 writes. An array, since those are never exported: a nested shell must not write our marks.
_aside_begin=()

# Reads the latest reply of the daemon.
_aside_heed() {
  local file=$_aside_socket.$$.tier tier='' skip='' bare=''
  [[ -f $file && -O $file ]] || return 0
  IFS=$'\x1f' builtin read -r tier skip bare <"$file" || return 0
  _aside_tier=$tier _aside_skip=$skip _aside_skip_bare=$bare
  [[ $1 != remove ]] || command rm -f -- "$file"
}

# The mark for the command that comes next, which has the next number.
_aside_ready() {
  local number=133
  _aside_begin=()
  # A private number: some terminals draw something at 133.
  [[ $_aside_tier != pty ]] || number=7133
  [[ ${_aside_tier/pty/tmux} == tmux && -n ${_aside_on-} && -z $_aside_skipped && -t 2 ]] || return 0
  _aside_begin=($'\e]'"$number;C;aside=$_aside_mark.$(( _aside_seq + 1 )).${COLUMNS:-80}.${LINES:-24}"$'\a')
}

# At Enter, where that is ours: the line, or one of several that make up one command.
_aside_foresee() {
  _aside_heed keep
  _aside_foreseen=$1
  ! _aside_takes_over "$1" || _aside_skipped=1 _aside_foreseen=''
  _aside_ready
}

# A command that has a number by now has ended: its status, and the line.
_aside_mark_end() {
  local begin=${_aside_begin[0]-}
  [[ -n $begin && -t 2 ]] || return 0
  # What was looked at when it was accepted need not be looked at again.
  [[ $2 == "${_aside_foreseen-}" ]] || ! _aside_takes_over "$2" || return 0
  _aside_seen=1
  builtin printf '%s;D;%s;aside=%s\a' "${begin%%;*}" "$1" "$_aside_mark.$_aside_seq" >&2 || :
}

# Before the prompt.
_aside_mark_next() {
  # What began with a number and did not end with it was not captured. Nothing else may have that number.
  [[ -z ${_aside_began-} || -z ${_aside_begin[0]-} || -n $1 ]] || _aside_seq=$(( _aside_seq + 1 ))
  _aside_skipped=''
  _aside_heed remove
  _aside_ready
}

# aside.answer.bash has the real one.
_aside_takes_over() { return 1; }

# Sends a record, if there is one. Where outputs could be captured, also tells a daemon that does not know it yet where the shell runs.
# Without a daemon that reads its inbox: from the background and on standard input, since every user can read arguments.
_aside_send() {
  ! _aside_leave "$@" || return 0
  (
    if [[ -n ${_aside_mark-} ]]; then
      {
        builtin printf '%s\0' 8 1 capture "$_aside_session" "$_aside_mark" "$_aside_tty" "${TMUX-}" "${TMUX_PANE-}" \
          "${ASIDE_PROXY-}"
        (( $# == 0 )) || builtin printf '%s\0' "$#" "$@"
      } | ASIDE_SOCKET=$_aside_socket "$_aside_bin" call --place "$_aside_socket.$$.tier" --knows "$_aside_tier" \
        &>/dev/null &
    else
      builtin printf '%s\0' "$@" | ASIDE_SOCKET=$_aside_socket "$_aside_bin" call &>/dev/null &
    fi
  )
}

# Whether there is a daemon that reads its inbox, into which only this user and no command of a task can write, and files may be written at
# all: a limit on their size would end the shell. A private shell leaves no text in a file.
_aside_has_reader() {
  local reader='' limit limits=()
  [[ -z ${_aside_reader-} ]] || return 0
  [[ ${ASIDE_PRIVATE:-0} == 0 && -O $_aside_inbox && ! -L $_aside_inbox && -f $_aside_inbox/daemon ]] || return 1
  builtin read -r reader <"$_aside_inbox/daemon" && [[ -n $reader && -d /proc/$reader ]] || return 1
  builtin mapfile -n 3 -t limits </proc/$$/limits || return 1
  limit=${limits[2]#Max file size}
  [[ ${limit#"${limit%%[! ]*}"} == unlimited* ]] || return 1
  # Once for all that is sent before a prompt.
  [[ -z ${_aside_prompts-} ]] || _aside_reader=1
}

# Leaves a record for the daemon in its inbox, which costs no process. A daemon that runs removes it soon, and one that pauses finds it later:
# a few may wait.
_aside_leave() {
  local name place=()
  _aside_has_reader || return 1
  if [[ ! -e $_aside_inbox/${_aside_posted:-none} ]]; then _aside_waits=0; else _aside_may_wait || return 1; fi
  _aside_leaves=$(( ${_aside_leaves:-0} + 1 ))
  name=$_aside_session.$_aside_leaves.$_aside_tier
  [[ -z ${_aside_mark-} ]] ||
    place=(8 1 capture "$_aside_session" "$_aside_mark" "$_aside_tty" "${TMUX-}" "${TMUX_PANE-}" "${ASIDE_PROXY-}")
  (( $# == 0 )) || place+=("$#" "$@")
  { builtin printf '%s\0' "${place[@]}" >|"$_aside_inbox/$name"; } 2>/dev/null || return 1
  _aside_posted=$name
}

# Whether one more record may wait for a daemon that has not read the last. It may have been killed, and another process may have its number.
_aside_may_wait() {
  local reader='' about='' name=${_aside_bin##*/}
  _aside_waits=$(( ${_aside_waits:-0} + 1 ))
  (( _aside_waits <= 100 )) || return 1
  { builtin read -r reader <"$_aside_inbox/daemon" && builtin read -r about <"/proc/$reader/stat"; } 2>/dev/null || return 1
  # The kernel has 15 letters of a name.
  [[ $about == "$reader (${name:0:15}) "[!ZX]* ]]
}

# Writes what a builtin prints into a file that only this user can reach, for the shell to read without the fork of a command substitution.
# The file is never truncated, which makes some file systems wait for the disk: the function ends its output itself. Nothing that is read
# from it is evaluated.
_aside_put() {
  [[ ! -L $_aside_scratch && ( -f $_aside_scratch || ! -e $_aside_scratch ) ]] && _aside_has_reader || return 1
  { "$@" 1<>"$_aside_scratch"; } 2>/dev/null
}

# So many bytes of the file are blanks again.
_aside_blank() {
  builtin printf '%*s' "$1" '' 1<>"$_aside_scratch" || :
}

# The last entry of the history, into _aside_got.
_aside_get_entry() {
  _aside_put _aside_print_entry && IFS= builtin read -r -d '' _aside_got <"$_aside_scratch" || return 1
  # A letter has at most four bytes.
  _aside_blank "$(( 4 * ${#_aside_got} ))"
  _aside_got=${_aside_got%$'\n'}
}

_aside_print_entry() {
  builtin history 1 && builtin printf '\0'
}

# Marks where the prompt begins and ends, for the proxy, which draws grey text behind what is typed. Runs after everything else that runs
# before a prompt, since that may set PS1.
_aside_frame() {
  [[ $- != *x* ]] || { local -; set +x; } 2>/dev/null
  local begin end
  begin='\[\e]7133;A;aside='${ASIDE_PROXY_MARK-}.$_aside_session'\a\]'
  end='\[\e]7133;B;aside='${ASIDE_PROXY_MARK-}.$_aside_session'\a\]'
  if [[ -n ${PS1-} && ( -z ${_aside_on-} || $PS1 != "$begin"*"$end" ) ]]; then
    # Another program may have put something around it.
    PS1=${PS1//"$begin"} PS1=${PS1//"$end"}
    [[ -z ${_aside_on-} ]] || PS1=$begin$PS1$end
  fi
  return 0
}

# Whether all elements of PROMPT_COMMAND run. Before bash 5.1 that is the first alone, which a plain assignment changes.
_aside_is_list() {
  (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 )) && [[ -n ${PROMPT_COMMAND[*]+set} && ${PROMPT_COMMAND@a} == *a* ]]
}

# Makes it run last, but for the last entry of bash-preexec: what runs behind that one counts as a command of the user. bash 4.4 and 5.0 may
# take it for a line that was typed, after a Ctrl-C in a search.
_aside_frame_last() {
  local last
  (( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501 )) || return 0
  [[ -n ${_aside_mark-} && -n ${ASIDE_PROXY_MARK-} && ${ASIDE_PROXY-} == "$_aside_tty:"* && -z ${BLE_VERSION-} ]] || return 0
  if _aside_is_list; then
    last=${PROMPT_COMMAND[*]: -1}
    [[ $last == _aside_frame || $last == __bp_interactive_mode && " ${PROMPT_COMMAND[*]} " == *[[:space:]]_aside_frame[[:space:]]* ]] ||
      PROMPT_COMMAND+=(_aside_frame)
  elif [[ ${PROMPT_COMMAND-} != *$'\n'_aside_frame && ${PROMPT_COMMAND-} != *$'\n'_aside_frame$'\n'__bp_interactive_mode ]]; then
    PROMPT_COMMAND=${PROMPT_COMMAND//$'\n'_aside_frame}$'\n'_aside_frame
  fi
}
