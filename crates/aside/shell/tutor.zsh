# The tour of `aside tutor`, read by zsh after the plugin. Prints one lesson above the prompt, and the next one once a command that matches
# the pattern of the lesson has run.

typeset -gi _aside_lesson=1 _aside_lesson_shown=0
typeset -g _aside_tutor_ran=
typeset -ga _aside_lesson_texts=(
'Type  make t  and wait a moment: the rest of a command that ran before appears
in grey. Press → to take it, then Enter.'
'Type  git l  and look at the bar below the line. Shift-→ shows the next
candidate, Tab takes the one that is shown. Then Enter.'
'Say what you want after a question mark:  ? find files larger than 100MB
The command appears behind it. Tab takes it; read it, then press Enter. Nothing
runs before that.'
'Or ask as if it were a command:  how many files are here?  and Enter.
The answer proposes a command. Tab takes it, Enter runs it.'
'Mistype something:  gti status  and Enter.
The prompt comes back with the mended command in grey. → takes it, Enter runs
it.'
'For more than one line there are tasks:  aside task run the tests
It shows what it would run and waits. y approves, n does not.'
)
typeset -ga _aside_lesson_done=('make*' 'git *' 'find *' '*wc -l*' 'git status*' 'aside task *')
typeset -ga _aside_lesson_praise=(
'That was grey text: from your history, and from what about a thousand programs take.'
'That was the bar. Shift-↓ shows the whole list with descriptions.'
'That was a request. ↓ shows other ways, Ctrl-E explains the command part by part.'
'That was prose: a sentence is answered, a correct command always runs.'
'That was the next command, from how the last one ended.'
'That was a task: nothing is run or written before you say yes to exactly that.'
)

command -v git >/dev/null && command git init -q . 2>/dev/null

_aside_tutor_preexec() { _aside_tutor_ran=$1 }

_aside_tutor_precmd() {
  local ran=$_aside_tutor_ran
  local -i last=$#_aside_lesson_texts
  _aside_tutor_ran=
  (( _aside_lesson > last )) && return 0
  if [[ $ran == skip ]]; then
    (( _aside_lesson += 1 ))
  elif [[ $ran == (lesson|clear|reset) ]]; then
    _aside_lesson_shown=0
  elif [[ $ran == ${~_aside_lesson_done[_aside_lesson]} ]]; then
    print -r -- $'\n'"✓ $_aside_lesson_praise[_aside_lesson]"
    (( _aside_lesson += 1 ))
  fi
  if (( _aside_lesson == _aside_lesson_shown )); then
    # Something else ran, which may have scrolled the text away.
    [[ -z $ran ]] || print -r -- $'\n'"$_aside_lesson/$last is not done yet: \`lesson\` shows it again, \`skip\` goes to the next one."$'\n'
    return 0
  fi
  _aside_lesson_shown=_aside_lesson
  if (( _aside_lesson > last )); then
    print -r -- $'\nThat is all there is to learn; the rest is in `aside --help`. `aside setup`
puts it into your own shell, and `exit` leaves this one.\n'
    return 0
  fi
  print -r -- $'\n'"$_aside_lesson/$last  $_aside_lesson_texts[_aside_lesson]"$'\n'
}

skip() { : }
lesson() { : }

autoload -Uz add-zsh-hook
add-zsh-hook preexec _aside_tutor_preexec
add-zsh-hook precmd _aside_tutor_precmd

print -r -- 'Six short lessons in a directory to practise in. `skip` goes to the next one,
`lesson` shows this one again, `exit` leaves; nothing of yours is changed.'
