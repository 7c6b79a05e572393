# Aside for fish 3.1 and later: tells the daemon which commands ran and how they ended, and prints the marks between which the proxy or the
# tmux sink captures outputs.
#
# `aside init fish` prints settings (_aside_bin, _aside_socket, _aside_version; _aside_mark and _aside_tty, which are empty where nothing
# can be captured) and then this file.

function _aside_postexec --on-event fish_postexec
    set -l code $status
    set -l duration $CMD_DURATION
    set -l line $argv[1]
    set -l marked $_aside_marked
    set -g _aside_marked 0
    set -g _aside_last
    _aside_keeps "$line"; or return $code
    set -g _aside_seq (math $_aside_seq + 1)
    set -g _aside_last $line $code $_aside_seq
    if test "$marked" = "$_aside_seq" -a -n "$_aside_osc"
        printf '\e]%s;D;%s;aside=%s.%s\a' $_aside_osc $code $_aside_mark $_aside_seq
    end
    _aside_share_private
    # fish has no clock without a process: the daemon takes the time.
    _aside_send 11 $_aside_seq finished $_aside_session $_aside_seq $_aside_cwd $code -1 0$duration fish $line "$_aside_hidden"
    return $code
end

# Our subprocesses have to see it, even if it was set without exporting it.
function _aside_share_private
    test -z "$ASIDE_PRIVATE"; or set -qx ASIDE_PRIVATE; or set -gx ASIDE_PRIVATE $ASIDE_PRIVATE
end

# A shell in which fish remembers nothing is a private one for us: nothing of it leaves, and no sentence is logged.
function _aside_follow_fish --on-variable fish_private_mode
    if set -q fish_private_mode
        set -q ASIDE_PRIVATE; and return
        set -gx ASIDE_PRIVATE 1
        set -g _aside_hides 1
    else if set -q _aside_hides
        set -e _aside_hides
        set -eg ASIDE_PRIVATE
    end
end

# `aside fix` is about the last line, also if that did not parse.
function _aside_posterror --on-event fish_posterror
    set -l code $status
    if _aside_keeps "$argv[1]"
        set -g _aside_seq (math $_aside_seq + 1)
        set -g _aside_last $argv[1] 2 $_aside_seq
        _aside_share_private
        set -l hidden 0
        string match -qr '^0?$' -- "$ASIDE_PRIVATE"; or set hidden 1
        _aside_send 11 $_aside_seq finished $_aside_session $_aside_seq $PWD 2 -1 0 fish $argv[1] $hidden
    end
    return $code
end

# After `cd` the directory that a command started in would be lost.
function _aside_preexec --on-event fish_preexec
    set -l code $status
    set -g _aside_runs 1
    set -g _aside_cwd $PWD
    # A line that makes the shell public again is still private itself.
    set -g _aside_hidden 0
    string match -qr '^0?$' -- "$ASIDE_PRIVATE"; or set _aside_hidden 1
    test -z "$_aside_mark"; or _aside_mark_begin "$argv[1]"
    return $code
end

# At the first prompt, when config.fish has been read: greets the daemon, which reads the history of fish once, while it has none.
function _aside_greet --on-event fish_prompt
    set -l code $status
    functions -e _aside_greet
    # A session that greets as a private one stays so.
    set -q _aside_on; and string match -qr '^0?$' -- "$ASIDE_PRIVATE"; or return $code
    set -l name fish
    set -q fish_history; and set name $fish_history
    set -l file
    if test -n "$name"; and not set -q fish_private_mode
        set file $HOME/.local/share/fish/$name"_history"
        test -z "$XDG_DATA_HOME"; or set file $XDG_DATA_HOME/fish/$name"_history"
    end
    _aside_send 11 1 hello 1 $_aside_version fish "$FISH_VERSION" $_aside_session $fish_pid "$file" '' 0
    return $code
end

# What fish itself does not remember is not stored either.
function _aside_keeps
    set -q _aside_on; and test -n "$argv[1]"; and not set -q fish_private_mode; and not string match -qr '^\s' -- $argv[1]
end

# Sends a record, if there is one, behind the number of its fields. A command substitution takes as long as all the rest here, so there is
# none. Where outputs could be captured, also tells a daemon that does not know it yet where the shell runs.
# Without a daemon that reads its inbox: on standard input, and in the background, since every user can read arguments, and the prompt must
# not wait.
function _aside_send
    set -l place
    test -z "$_aside_mark"; or set place 8 1 capture $_aside_session $_aside_mark $_aside_tty "$TMUX" "$TMUX_PANE" "$ASIDE_PROXY"
    set place $place $argv
    _aside_leave $place; and return
    if test -n "$_aside_mark"
        printf '%s\0' $place |
            ASIDE_SOCKET=$_aside_socket $_aside_bin call --place $_aside_socket.$fish_pid.tier --knows $_aside_tier >/dev/null 2>&1 &
    else
        printf '%s\0' $argv[2..] | ASIDE_SOCKET=$_aside_socket $_aside_bin call >/dev/null 2>&1 &
    end
    disown 2>/dev/null # It may have ended already.
end

# Leaves records for the daemon in its inbox, which costs no process. A daemon that runs removes them soon, and one that pauses finds them
# later: a few may wait. `aside call` marks what a private shell sends.
function _aside_leave
    string match -qr '^0?$' -- "$ASIDE_PRIVATE"
    and test -O $_aside_inbox -a ! -L $_aside_inbox -a -f $_aside_inbox/daemon; or return 1
    read -l reader <$_aside_inbox/daemon
    test -n "$reader" -a -d "/proc/$reader"; or return 1
    # A limit on the size of files would end the shell.
    string match -qr '^Max file size +unlimited' </proc/$fish_pid/limits; or return 1
    set -l name $_aside_session.$_aside_seq.$_aside_tier
    if test -e "$_aside_inbox/$_aside_left"
        _aside_may_wait $reader; or return 1
        # The first records have no number of their own.
        test "$name" != "$_aside_left"; or set name $_aside_session.0$_aside_seq.$_aside_tier
    else
        set -g _aside_waits
    end
    set -g _aside_left $name
    # fish tells an error of its own whatever is redirected: where there is no room, the daemon does not say that it reads.
    printf '%s\0' $argv >$_aside_inbox/$_aside_left 2>/dev/null
end

# Whether one more record may wait for a daemon that has not read the last. It may have been killed, and another process may have its number.
function _aside_may_wait
    set -ga _aside_waits 1
    set -q _aside_waits[101]; and return 1
    test -r /proc/$argv[1]/stat; and read -l about </proc/$argv[1]/stat; or return 1
    # The kernel has 15 letters of a name.
    set -l name (string replace -r '.*/' '' -- $_aside_bin | string sub -l 15)
    string match -q -- "$argv[1] ($name) *" $about; and not string match -qr '\) [ZX]' -- $about
end

# The command will have the next number.
function _aside_mark_begin
    _aside_heed
    test -n "$_aside_osc"; and test -t 1; or return
    _aside_keeps "$argv[1]"; and not _aside_takes_over "$argv[1]"; or return
    set -g _aside_marked (math $_aside_seq + 1)
    printf '\e]%s;C;aside=%s.%s.%s.%s\a' $_aside_osc $_aside_mark $_aside_marked $COLUMNS $LINES
end

# Reads the latest reply of the daemon, which `aside call` leaves in a file, so that the shell never waits.
function _aside_heed
    set -l file $_aside_socket.$fish_pid.tier
    test -f $file; and test -O $file; or return
    read -l said <$file
    command rm -f -- $file
    set said (string split \x1f -- $said)
    set -g _aside_tier $said[1]
    set -g _aside_skip (string split ' ' -- $said[2])
    set -g _aside_skip_bare (string split ' ' -- $said[3])
    switch $_aside_tier
        case tmux
            set -g _aside_osc 133
        case pty
            # A private number: some terminals draw something at 133.
            set -g _aside_osc 7133
        case '*'
            set -g _aside_osc
    end
end

# Whether a command in the line takes over the terminal. A quick heuristic; the daemon parses the line properly.
function _aside_takes_over
    set -l first 1
    set -l doubt
    set -l bare
    set -l text (string sub -l 1024 -- $argv[1] | string replace -ar '[;&|()]' ' ; ' | string join ' ; ')
    for word in (string split -n ' ' -- (string replace -ar '\s' ' ' -- $text))
        if contains -- $word ';' and or not if while begin else
            test -n "$bare"; and return 0
            set first 1
            set doubt
            continue
        end
        if test -z "$first"
            string match -qr '^[-<>]' -- $word; or set bare
            continue
        end
        string match -qr '^[A-Za-z_]\w*=' -- $word; and continue
        if string match -q -- '-*' $word
            # An option of a program that runs another; what follows may be its value.
            set doubt 1
            continue
        end
        set word (string replace -ar '["\'\\\\]|.*/' '' -- $word)
        contains -- "$word" sudo doas env command builtin exec time nice nohup stdbuf setsid; and continue
        contains -- "$word" $_aside_skip; and return 0
        contains -- "$word" $_aside_skip_bare; and set bare 1
        if test -n "$doubt" -a -z "$bare"
            set doubt
        else
            set first
        end
    end
    test -n "$bare"
end

function aside-off
    set -e _aside_on
    _aside_switched off
end

function aside-on
    set -g _aside_on 1
    _aside_switched on
end

# Tells the daemon, if there is one, which closes the pipe of a tmux pane, or opens it again.
function _aside_switched
    set -l hidden 0
    string match -qr '^0?$' -- "$ASIDE_PRIVATE"; and not set -q fish_private_mode; or set hidden 1
    printf '%s\0' 11 1 hello 1 $_aside_version fish "$FISH_VERSION" $_aside_session $fish_pid '' switched=$argv[1] $hidden |
        ASIDE_SOCKET=$_aside_socket $_aside_bin call --within-ms 300 >/dev/null 2>&1
    test $argv[1] = off -o -z "$_aside_mark"; or _aside_send
    return 0
end

if status is-interactive; and test "$TERM" != dumb; and not set -q ASIDE_DISABLE
    # An exported value is that of an outer shell.
    string match -q "fish-$fish_pid-*" -- "$_aside_session"; or set -g _aside_session fish-$fish_pid-$_aside_now
    set -q _aside_seq; or set -g _aside_seq 0
    set -g _aside_on 1
    # Milliseconds that Enter waits for a verdict on what looks like prose.
    set -g _aside_patience 200
    set -g _aside_marked 0
    set -g _aside_osc
    set -g _aside_tier off
    set -g _aside_inbox $_aside_socket.inbox
    set -q _aside_left; or set -g _aside_left none
    _aside_follow_fish
    test -z "$_aside_mark"; or _aside_send
end
