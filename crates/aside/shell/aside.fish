# Aside for fish 3.1 and later: tells the daemon which commands ran and how they ended.
#
# `aside init fish` prints three settings (_aside_bin, _aside_socket, _aside_version) and then this file.

function _aside_postexec --on-event fish_postexec
    set -l code $status
    set -l duration $CMD_DURATION
    set -l line $argv[1]
    set -q _aside_on; or return $code
    # What fish itself does not remember is not ours to keep.
    test -n "$line"; and not set -q fish_private_mode; or return $code
    string match -qr '^\s' -- $line; and return $code
    set -g _aside_seq (math $_aside_seq + 1)
    set -l now (date +%s)
    # On standard input, and in the background: arguments can be read by everybody, and the prompt must not wait.
    printf '%s\0' $_aside_seq finished $_aside_session $_aside_seq $_aside_cwd $code \
        (math "$now * 1000 - 0$duration") 0$duration fish $line |
        ASIDE_SOCKET=$_aside_socket $_aside_bin call >/dev/null 2>&1 &
    disown 2>/dev/null # It may have ended already.
    return $code
end

# The directory a command started in is gone when it was `cd`.
function _aside_preexec --on-event fish_preexec
    set -l code $status
    set -g _aside_cwd $PWD
    return $code
end

function aside-off
    set -e _aside_on
end

function aside-on
    set -g _aside_on 1
end

if status is-interactive; and test "$TERM" != dumb; and not set -q ASIDE_DISABLE
    set -q _aside_session; or set -g _aside_session fish-$fish_pid-(date +%s)
    set -q _aside_seq; or set -g _aside_seq 0
    set -g _aside_on 1
end
