
# Enter: `? words` replaces the words with a command, with others and a warning above the prompt, and prose is answered instead of run.
# `aside detect` decides what is prose; this only keeps other lines from costing anything.

function _aside_enter
    set -l line (commandline -b)
    # Why the line is prose; empty where the user asks.
    set -g _aside_reason
    # One line, no completion list that Enter would choose from, and not the same line for the second time.
    # Nor what a command reads, which may be a password.
    if set -q _aside_on; and not set -q _aside_runs; and test (count $line) = 1; and not commandline -P; and test "$line" != "$_aside_offered"
        string match -qr '^\s*(?<words>.*?)\s*$' -- $line
        if test -n "$_aside_query_prefix"; and string match -qr -- $_aside_query_pattern "$words"
            _aside_query "$behind" "$line"
            return
        else if test -n "$_aside_agent_prefix"; and string match -qr -- $_aside_agent_pattern "$words"
            _aside_take "$behind" "$line"
            return
        else if test -n "$_aside_shell_prefix"; and string match -q -- "$_aside_shell_prefix*" "$words"
            commandline -r -- (string sub -s (math (string length -- $_aside_shell_prefix) + 1) -- $words)
        else if _aside_is_prose before "$words"
            if test "$_aside_reroute" = offer
                set -g _aside_offered $line
                _aside_note "reads like a sentence: Enter again runs it, $_aside_agent_prefix in front of it asks"
            else
                _aside_take "$words" "$line"
            end
            return
        end
    end
    # fish draws its grey text anew before it runs what is queued.
    commandline -f suppress-autosuggestion
    commandline -f execute
end

# Patterns of lines with a prefix and a blank, as those are at the start: a command substitution takes as long as all the rest of Enter.
set -g _aside_query_pattern '^'(string escape --style=regex -- "$_aside_query_prefix")'\s+(?<behind>\S.*)$'
set -g _aside_agent_pattern '^'(string escape --style=regex -- "$_aside_agent_prefix")'\s+(?<behind>\S.*)$'

# The words of a request, if the line is one.
function _aside_request
    test -n "$_aside_query_prefix"; and string match -qr -- $_aside_query_pattern $argv[1]; or return 1
    printf '%s' $behind
end

# Prints dim lines above the prompt, which is drawn again below them: fish moves up by the rows that it has above its last.
function _aside_note
    _aside_print_note $argv
    commandline -f repaint
end

function _aside_print_note
    printf '\n'
    set_color --dim
    printf '%s\n' $argv
    set_color normal
    string repeat -N -n (math (count (fish_prompt)) - 1) \n
end

# The words behind `? `, and the line that has them. The line is empty meanwhile, so that Ctrl-C ends in an empty one; fish draws that only
# when this has ended.
function _aside_query
    set -l file $_aside_socket.$fish_pid.notes
    _aside_has_place; or return
    _aside_erase_grey
    _aside_remember $argv[2]
    commandline -r ''
    set -l found (printf '%s' $argv[1] | ASIDE_SOCKET=$_aside_socket $_aside_bin translate --for-line -n 3 --shell fish 2>$file)
    commandline -r -- $argv[2]
    _aside_offer $file $found
end

# Whether our files can be written: they stand beside the socket.
function _aside_has_place
    test -d (string replace -r '/[^/]*$' '' -- $_aside_socket)
end

# Keys that were typed before a command was on the screen are no approval of it: draws it where fish will, then discards what was typed until
# then. The cursor is hidden meanwhile. Fails if keys still arrive.
function _aside_unless_seen
    set -l prompt (functions -q fish_mode_prompt; and fish_mode_prompt; fish_prompt)
    set -l text (string replace -ar '[[:cntrl:]]' ' ' -- $argv[1])
    printf '\e[?25l\r\e[J%s%s' "$prompt[-1]" $text
    $_aside_bin drain </dev/tty 2>/dev/null
    set -l code $status
    set -l rows (math -s0 "("(string length -V -- "$prompt[-1]$text")" - 1) / $COLUMNS")
    test "$rows" -gt 0; and printf '\e[%sA' $rows
    # Where fish believes the cursor to be.
    set -l column (math (string length -V -- "$prompt[-1]") + (commandline -C))
    printf '\r\e[%sG\e[?25h' (math "min($column + 1, $COLUMNS)")
    return $code
end

# fish has written its own grey text behind the cursor, and would leave it there.
function _aside_erase_grey
    test (commandline -C) = (string length -- "$(commandline -b)"); and printf '\e[J'
end

# Into the history of fish, as if it had run. Before fish 4 only the file takes such a line, and `merge` reads it.
function _aside_remember
    set -q fish_private_mode; and return
    string match -qr '^\s' -- $argv[1]; and return
    if not string match -qr '^[123]\.' -- $version
        builtin history append -- $argv[1] 2>/dev/null
        return
    end
    set -l name fish
    set -q fish_history; and set name $fish_history
    test -n "$name"; or return
    set -l dir ~/.local/share
    test -n "$XDG_DATA_HOME"; and set dir $XDG_DATA_HOME
    set -l file $dir/fish/{$name}_history
    test -f $file -a -w $file; or return
    printf '%s\n' '- cmd: '(string replace -a \\ \\\\ -- $argv[1]) '  when: '(date +%s) >>$file
    builtin history merge
end

# Whether a line is prose: `before` it runs, or `after` it ended with a status. Asks only where the first word is no command, begins no
# command, or stands before a word that commands seldom have.
function _aside_is_prose
    test "$_aside_reroute" != off; and string match -qr '^.{1,4096}$' -- $argv[2]; or return 1
    set -l words (string split -n ' ' -- $argv[2])
    # Some languages have no blanks.
    set -q words[2]; or string match -qr '[^[:ascii:]]{2}' -- $argv[2]; or return 1
    string match -qr '^[[:punct:]]|[/=$`"\\\\*~]' -- $words[1]; and return 1
    # fish expands an abbreviation only when the line runs.
    abbr -q -- $words[1]; and return 1
    if test $argv[1] = before; and not contains -- $words[1] $_aside_reserved
        and begin
            functions -q -- $words[1]; or builtin -q -- $words[1]; or command -q -- $words[1]
        end
        set -q words[3]; or return 1
        set -l marked
        for word in (string lower -- $words)
            contains -- (string trim -r -c ',.;:?!' -- $word) $_aside_markers; and set marked 1
        end
        test -n "$marked"; or return 1
    end
    set -l kind (_aside_kind $words[1])
    set -l code 0
    set -q argv[3]; and set code $argv[3]
    if not test -S $_aside_socket
        set -l how before
        test $argv[1] = before; or set how after --exit $code
        test "$(printf '%s\n' $argv[2] | $_aside_bin detect $how --shell fish --first $kind - 2>/dev/null)" = agent
        return
    end
    # The daemon knows the lines that the user has marked, and which line was taken last. One that does not reply in time takes none.
    set -l patience $_aside_patience
    test $argv[1] = before; or set patience (math 5 x $_aside_patience)
    set -l said (printf '%s\0' 11 1 hello 1 $_aside_version fish $FISH_VERSION $_aside_session $fish_pid '' '' 0 \
        11 2 detect $_aside_session $PWD $argv[2] fish $argv[1] $code $kind 0 '' |
        ASIDE_SOCKET=$_aside_socket $_aside_bin call --within-ms $patience 2>/dev/null)
    set said (string split \x1f -- $said[2])
    set -g _aside_reason $said[4]
    test "$said[2]" = detect -a "$said[3]" = agent
end

# What fish finds for the first word; empty for its reserved words, which the grammar tells apart. Functions that come with fish are as
# builtins.
function _aside_kind
    if contains -- $argv[1] $_aside_reserved
        echo ''
        return
    end
    switch "$(type -t -- $argv[1] 2>/dev/null)"
        case function
            string match -qr '^embedded:|^'(string escape --style=regex -- "$__fish_data_dir")'/' -- (functions -D -- $argv[1])
            and echo builtin
            or echo function
        case builtin
            echo builtin
        case file
            echo program
        case '*'
            echo none
    end
end

# The line is prose: it stays on the screen as it was typed, with the answer below it. It is emptied first, for Ctrl-C.
function _aside_take
    _aside_erase_grey
    _aside_remember $argv[2]
    commandline -r ''
    # Before the answer too: Ctrl-C ends this function with it.
    commandline -f repaint
    printf '\n'
    _aside_answer 0 $argv[1]
    commandline -f repaint
end

# The exit status, and the words. Tab on the empty line takes the command that the answer proposes.
function _aside_answer
    set -l file $_aside_socket.$fish_pid.proposal
    set -l hint
    _aside_has_place; or return
    test -n "$_aside_has_tab"; and set hint 'Tab takes it'
    set -g _aside_asked (math 0$_aside_asked + 1)
    printf '%s' $argv[2] |
        ASIDE_SOCKET=$_aside_socket $_aside_bin answer --exit $argv[1] --reason "$_aside_reason" --session $_aside_session --number $_aside_asked \
            --shell fish --proposal-fd 3 --hint "$hint" 3>$file
    set -g _aside_proposal (string collect <$file)
    command rm -f -- $file
    # What was typed before it was shown does not take it, and is not lost.
    test -z "$_aside_proposal"; or $_aside_bin drain --keep </dev/tty 2>/dev/null; or set -g _aside_proposal
end

function _aside_tab
    if test -z "$(commandline -b)"; and not set -q _aside_runs
        set -l next $_aside_proposal
        set -g _aside_proposal
        test -n "$next"; or test "$_aside_tab" = leave; or set next (_aside_tell_line '' '' | _aside_asks line --words 2>/dev/null)
        if test -n "$next"
            _aside_erase_grey
            _aside_unless_seen $next; and commandline -r -- $next
            commandline -f repaint
            return
        end
    end
    commandline -f complete
end

# A command that failed may have been prose: fish runs only what begins with a command, and the daemon judges the rest.
function _aside_after --on-event fish_postexec
    set -l code $status
    set -g _aside_offered
    set -g _aside_offers
    set -g _aside_proposal
    if set -q _aside_on; and test $code -gt 0; and not contains $code 127 130 146 148
        and _aside_is_prose after (string trim -- "$argv[1]") $code
        if test "$_aside_reroute" = offer
            printf '%s\n' "reads like a sentence: $_aside_agent_prefix in front of it asks"
        else
            _aside_answer $code "$argv[1]"
        end
    end
    return $code
end

# At the first prompt, when everything else has been read, and again when the keys of fish have changed, as with `fish_vi_key_bindings`. Only
# where these keys are the defaults of fish.
function _aside_bind_keys --on-event fish_prompt
    set -q _aside_session; or return
    set -e _aside_runs
    test "$_aside_bound" = "_$fish_key_bindings"; and return
    set -g _aside_bound _$fish_key_bindings
    for mode in (_aside_modes)
        for key in \r \n
            _aside_is_preset $mode $key execute; and bind -M $mode $key _aside_enter
        end
        if _aside_is_preset $mode \t complete
            bind -M $mode \t _aside_tab
            set -g _aside_has_tab 1
        end
    end
end

function _aside_is_preset
    set -l does (bind -M $argv[1] $argv[2] 2>/dev/null)
    not set -q does[2]; and string match -qr "^bind --preset .*$argv[3]\$" -- $does
end

# Without vi keys there is no mode but this.
function _aside_modes
    echo default
    test "$fish_key_bindings" = fish_default_key_bindings; or echo insert
end
