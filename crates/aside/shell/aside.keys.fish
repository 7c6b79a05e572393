
# Keys: Shift-↓ puts replacements for the line into it, one after the other, and Shift-↑ goes back to what was typed. On the empty line that
# is the next command. Alt-I explains the line. Tab completes names of commands that fish has no completions for. Runs nothing; the grey
# text of fish and the key bindings of the user stay.

function aside-next
    set -q _aside_on; and not set -q _aside_runs; and not commandline -P; or return
    set -l line (commandline -b)
    test (count $line) -le 1; or return
    if set -q _aside_offers[1]; and test "$line" = "$_aside_shown"
        _aside_show (math $_aside_at % (count $_aside_offers) + 1)
    else if set -l query (_aside_request (string trim -- "$line"))
        _aside_query "$query" "$line"
    else if test -S $_aside_socket
        _aside_erase_grey
        set -l cursor (commandline -C)
        set -l file $_aside_socket.$fish_pid.notes
        set -l found (_aside_tell_line (string sub -l $cursor -- "$line") (string sub -s (math $cursor + 1) -- "$line") |
            _aside_asks line --width $COLUMNS 2>$file)
        _aside_offer $file $found
    end
end

function aside-previous
    set -q _aside_on; and not set -q _aside_runs; and set -q _aside_offers[1]; and test "$(commandline -b)" = "$_aside_shown"; or return
    set -l count (count $_aside_offers)
    _aside_show (math "($_aside_at + $count - 2) % $count + 1")
end

function aside-explain
    set -q _aside_on; and not set -q _aside_runs; or return
    set -l line (commandline -b | string collect)
    test -n "$(string trim -- "$line")"; or return
    _aside_erase_grey
    set -l said (printf '%s' $line | ASIDE_SOCKET=$_aside_socket $_aside_bin explain --short --shell fish 2>&1)
    set -q said[1]; and _aside_note $said
end

# The line on both sides of the cursor, and the command that ran before it: on standard input, since every user can read arguments.
function _aside_tell_line
    printf '%s\0' "$argv[1]" "$argv[2]" $_aside_last
end

function _aside_asks
    ASIDE_SOCKET=$_aside_socket $_aside_bin $argv --shell fish --session $_aside_session
end

# Puts the found lines into the line, one for each press; after the last comes what was typed. Notes about them are in a file.
function _aside_offer
    set -l notes (cat $argv[1])
    set -l words "$(commandline -b)"
    # A candidate goes on with what was typed, and keys behind it belong to it. A command that is new has to be seen first.
    set -l new
    if set -q argv[2]
        test -z "$words"; or _aside_request (string trim -- "$words") >/dev/null; and set new 1
    end
    command rm -f -- $argv[1]
    # _aside_unless_seen shows the cursor again.
    test -n "$new"; and printf '\e[?25l'
    set -q notes[1]; and _aside_print_note $notes
    if set -q argv[2]
        if test -z "$new"; or _aside_unless_seen (string split \x1f -- $argv[2])[1]
            set -g _aside_offers $words $argv[2..]
            _aside_show 2
        end
    end
    commandline -f repaint
end

function _aside_show
    set -g _aside_at $argv[1]
    set -l fields (string split \x1f -- $_aside_offers[$argv[1]])
    set -g _aside_shown $fields[1]
    commandline -r -- $_aside_shown
    test $argv[1] = 1; or set -g _aside_offered $_aside_shown
    test -z "$fields[2]"; or commandline -C $fields[2]
end

# Completions of the word at the cursor: names that the command has. fish completes files itself.
function _aside_words
    set -q _aside_on; and test -S $_aside_socket; or return
    set -l left (commandline -cp | string collect)
    set -l word (commandline -ct)
    string match -qr '^[-\w.:=@,+%]*$' -- "$word"; or return
    set -l command (commandline -opc)[1]
    # Where fish has completions, the user knows those. Some have a thousand rules, so the result is cached.
    contains -- "$command" $_aside_completed; and return
    if complete -c "$command" | read -l rule
        set -ga _aside_completed $command
        return
    end
    for row in (_aside_tell_line $left '' | _aside_asks line --words 2>/dev/null)
        string match -q -- '*'\t'*' $row; and printf '%s%s\n' "$word" $row
    end
end

# At the first prompt, when everything else has been read, and again when the keys of fish have changed. Only where these keys are unbound.
function _aside_bind_more --on-event fish_prompt
    set -q _aside_session; or return
    test "$_aside_bound_more" = "_$fish_key_bindings"; and return
    set -q _aside_bound_more; or test "$_aside_tab" = leave; or complete -c '*' -a '(_aside_words)'
    set -g _aside_bound_more _$fish_key_bindings
    set -l keys \e\[1\;2B \e\[1\;2A \ei
    string match -qr '^[123]\.' -- $version; or set keys shift-down shift-up alt-i
    set -l does aside-next aside-previous aside-explain
    for mode in (_aside_modes)
        for key in 1 2 3
            bind -M $mode $keys[$key] >/dev/null 2>&1; or bind -M $mode $keys[$key] $does[$key]
        end
    end
end
