//! Lines as users type them, read by our scanner.

use insta::assert_snapshot;

use crate::{Dialect, Join, Line, Redirect, parse};

mod cursor;
mod syntax;

/// A row for each command: its join, its words (`?` for an expansion), its assignments and redirections. Nested commands are indented.
fn show(line: &Line<'_>) -> String {
    let mut rows = Vec::new();
    for command in &line.commands {
        let mut deep = 0;
        let mut inside = command.inside;
        while let Some(parent) = inside {
            deep += 1;
            inside = line.commands[parent].inside;
        }
        let mut row = "  ".repeat(deep);
        row += match command.join {
            Join::First => "",
            Join::Pipe => "| ",
            Join::And => "&& ",
            Join::Or => "|| ",
            Join::Next => "; ",
        };
        let mut parts = Vec::new();
        for assignment in &command.assignments {
            parts.push(format!("{}={}", assignment.name, assignment.value.value));
        }
        for word in &command.words {
            let value = if word.value.contains([' ', '\n']) || word.value.is_empty() {
                format!("{:?}", word.value)
            } else {
                word.value.clone()
            };
            parts.push(if word.fixed { value } else { format!("{value}?") });
        }
        for redirection in &command.redirections {
            let kind = match redirection.kind {
                Redirect::Read => "<",
                Redirect::Write => ">",
                Redirect::Append => ">>",
                Redirect::Descriptor => "&",
                Redirect::HereDocument => "<<",
                Redirect::HereString => "<<<",
            };
            parts.push(format!("{kind}{}", redirection.target.as_ref().map_or("…", |word| &word.value)));
        }
        rows.push(row + &parts.join(" "));
    }
    if let Some(open) = line.open {
        rows.push(format!("open: {open:?}"));
    }
    rows.join("\n")
}

/// Each line, followed by its parse.
fn all(dialect: Dialect, lines: &[&str]) -> String {
    let read = |line: &&str| {
        let rows = show(&parse(line, dialect));
        let shown = line.replace('\n', "⏎");
        format!("{shown}\n{}", rows.lines().map(|row| format!("    {row}\n")).collect::<String>())
    };
    lines.iter().map(read).collect()
}

/// Lines on which zsh and bash differ.
fn differing(lines: &[&str], read: fn(Dialect, &[&str]) -> String) -> String {
    let both = |line: &&str| {
        let [zsh, bash] = [Dialect::Zsh, Dialect::Bash].map(|dialect| read(dialect, &[line]));
        if zsh == bash { String::new() } else { zsh + &bash }
    };
    lines.iter().map(both).collect()
}

#[test]
fn everyday_lines_are_the_same_in_zsh_and_bash() {
    let lines = [
        "ls",
        "git commit -m 'a message'",
        "cat f | grep -v \"x y\" | wc -l",
        "make -j8 && sudo make install || echo failed; ls &",
        "FOO=bar BAZ= env",
        "echo a\\ b \"c $HOME\" 'd'\"e\"f",
        "sort < in > out 2>&1",
        "cmd &> all.log",
        "cmd >> log 2>/dev/null </dev/null",
        "cmd >& both.log",
        "echo $(git rev-parse HEAD) `date`",
        "diff <(sort a) <(sort b) > >(tee d)",
        "git commit -m \"$(cat <<'EOF'\nit's \"fixed\nEOF\n)\" && git push",
        "cat <<EOF >> log; echo done\nhi $(who)\nEOF\n",
        "cat <<'EOF' 2>&1 | tail -5\n$(not a command)\nEOF",
        "cat <<A <<-B\none\nA\n\ttwo\n\tB\nls",
        "time ls; ! grep x f; coproc cat",
        "if true; then echo a; elif false; then echo b; else echo c; fi > log",
        "for f in *.txt \"$a\"; do rm \"$f\"; done",
        "while read -r line; do echo $line; done < file",
        "until false; do :; done | cat",
        "case $x in a|b) echo 1;; (c) echo 2 ;& *) echo 3; esac",
        "select x in a b; do echo $x; done",
        "f() { echo $1; }; f x",
        "function g { ls; }",
        "function h() { ls; }",
        "{ ls; pwd; } > out",
        "(cd x && ls) | wc",
        "[[ -f x && $a < b || ( $c =~ ^(x|y)$ ) ]] && echo yes",
        "[ -f x ] && ls",
        "(( i++ )); echo $((1 + (2 * 3))) $(( $(nproc) - 1 ))",
        "((ls); pwd)",
        "for ((i = 0; i < 3; i++)); do echo $i; done",
        "a=(1 \"2 3\" $(ls)) b+=x c[1]=y",
        "exec 3<>f {fd}>g >|h",
        "cat <<< \"$x\"",
        "echo ${x:-a b} \"${y%.*}\" ${z/a/b}",
        "ls # a comment | not 'a pipe",
        "echo a#b !! $# $?",
        "sudo -u root command builtin ls",
        "a \\\n  b",
        "echo $'a\\tb\\x41\\u00e9\\'' ",
        "${ ls; }",
        "echo `echo \\`ls\\``; pwd",
        "a[$i]=x a[\"k v\"]=$(ls) cmd",
        "ls >\"out file\" 2>'err'",
        "a && b || { c; d; } && e",
        "echo ~/x ~ a~ {a,b} {} HEAD@{1} [ab] x=~/y",
        "> out",
        "ls | while read x; do echo $x; done",
        "find . -name '*.rs' -exec rm {} \\;",
    ];
    assert_eq!(differing(&lines, all), "");
    assert_snapshot!(all(Dialect::Bash, &lines), @r#"
    ls
        ls
    git commit -m 'a message'
        git commit -m "a message"
    cat f | grep -v "x y" | wc -l
        cat f
        | grep -v "x y"
        | wc -l
    make -j8 && sudo make install || echo failed; ls &
        make -j8
        && sudo make install
        || echo failed
        ; ls
    FOO=bar BAZ= env
        FOO=bar BAZ= env
    echo a\ b "c $HOME" 'd'"e"f
        echo "a b" "c $HOME"? def
    sort < in > out 2>&1
        sort <in >out &1
    cmd &> all.log
        cmd >all.log
    cmd >> log 2>/dev/null </dev/null
        cmd >>log >/dev/null </dev/null
    cmd >& both.log
        cmd >both.log
    echo $(git rev-parse HEAD) `date`
        echo "$(git rev-parse HEAD)"? `date`?
          git rev-parse HEAD
          date
    diff <(sort a) <(sort b) > >(tee d)
        diff "<(sort a)"? "<(sort b)"? >>(tee d)
          sort a
          sort b
          tee d
    git commit -m "$(cat <<'EOF'⏎it's "fixed⏎EOF⏎)" && git push
        git commit -m "$(cat <<'EOF'\nit's \"fixed\nEOF\n)"?
          cat <<EOF
        && git push
    cat <<EOF >> log; echo done⏎hi $(who)⏎EOF⏎
        cat <<EOF >>log
        ; echo done
          who
    cat <<'EOF' 2>&1 | tail -5⏎$(not a command)⏎EOF
        cat <<EOF &1
        | tail -5
    cat <<A <<-B⏎one⏎A⏎	two⏎	B⏎ls
        cat <<A <<B
        ; ls
    time ls; ! grep x f; coproc cat
        ls
        ; grep x f
        ; cat
    if true; then echo a; elif false; then echo b; else echo c; fi > log
        true
        ; echo a
        ; false
        ; echo b
        ; echo c
        ; >log
    for f in *.txt "$a"; do rm "$f"; done
        ; rm $f?
    while read -r line; do echo $line; done < file
        read -r line
        ; echo $line?
        ; <file
    until false; do :; done | cat
        false
        ; :
        | cat
    case $x in a|b) echo 1;; (c) echo 2 ;& *) echo 3; esac
        ; echo 1
        ; echo 2
        ; echo 3
    select x in a b; do echo $x; done
        ; echo $x?
    f() { echo $1; }; f x
        echo $1?
        ; f x
    function g { ls; }
        ; ls
    function h() { ls; }
        ; ls
    { ls; pwd; } > out
        ls
        ; pwd
        ; >out
    (cd x && ls) | wc
        cd x
        && ls
        | wc
    [[ -f x && $a < b || ( $c =~ ^(x|y)$ ) ]] && echo yes
        [[ -f x && $a? < b || ( $c? =~ ^(x|y)$? ) ]]
        && echo yes
    [ -f x ] && ls
        [ -f x ]
        && ls
    (( i++ )); echo $((1 + (2 * 3))) $(( $(nproc) - 1 ))
        ; echo "$((1 + (2 * 3)))"? "$(( $(nproc) - 1 ))"?
          nproc
    ((ls); pwd)
        ls
        ; pwd
    for ((i = 0; i < 3; i++)); do echo $i; done
        ; echo $i?
    a=(1 "2 3" $(ls)) b+=x c[1]=y
        a=(1 "2 3" $(ls)) b=x c=y
          ls
    exec 3<>f {fd}>g >|h
        exec >f >g >h
    cat <<< "$x"
        cat <<<$x
    echo ${x:-a b} "${y%.*}" ${z/a/b}
        echo "${x:-a b}"? ${y%.*}? ${z/a/b}?
    ls # a comment | not 'a pipe
        ls
    echo a#b !! $# $?
        echo a#b !! $#? $??
    sudo -u root command builtin ls
        sudo -u root command builtin ls
    a \⏎  b
        a b
    echo $'a\tb\x41\u00e9\'' 
        echo a	bAé'
    ${ ls; }
        "${ ls; }"?
          ls
    echo `echo \`ls\``; pwd
        echo "`echo \\`ls\\``"?
          echo \`ls\`?
            ls
        ; pwd
    a[$i]=x a["k v"]=$(ls) cmd
        a=x a=$(ls) cmd
          ls
    ls >"out file" 2>'err'
        ls >out file >err
    a && b || { c; d; } && e
        a
        && b
        || c
        ; d
        && e
    echo ~/x ~ a~ {a,b} {} HEAD@{1} [ab] x=~/y
        echo ~/x? ~? a~ {a,b}? {} HEAD@{1} [ab]? x=~/y
    > out
        >out
    ls | while read x; do echo $x; done
        ls
        | read x
        ; echo $x?
    find . -name '*.rs' -exec rm {} \;
        find . -name *.rs -exec rm {} ;
    "#);
}

#[test]
fn zsh_has_globs_and_short_forms_of_its_own() {
    let lines = [
        "ls **/*.rs(.om[1,3]) | head",
        "mv *.(jpg|png) x",
        "echo $path[(r)*foo*] ${(s: :)x} $+commands[ls] $#a",
        "for i (a b) { echo $i }",
        "for i (a b) echo $i",
        "for x in a b; echo $x",
        "if [[ -f x ]] { ls } elif (( 1 )) { pwd } else { who }",
        "if [[ -f x ]] echo hi; ls",
        "while (( i-- )) echo $i",
        "repeat 3 echo hi",
        "repeat 3 { echo hi }",
        "foreach x (a b); echo $x; end",
        "cat foo >! out",
        "cat foo >>! out",
        "ls &! pwd &| who",
        "make |& tee log",
        "vim =(ls) =foo",
        "ls file<1-10>.txt <->",
        "noglob find . -name *.rs",
        "nocorrect - ls",
        "{ ls } always { pwd }",
        "() { echo $1 } foo",
        "f g () { ls }",
        "f() echo hi",
        "{ls}",
        "ls (foo|bar)*",
        "case x { a) ls;; b) pwd }",
        "case $x in (a|b)*) ls;; (c) pwd;; esac",
        "print ${${x}:h} \"${x:-it's}\"",
        "local a=(1 2) b",
        "echo >&p <&p",
    ];
    assert_snapshot!(all(Dialect::Zsh, &lines), @r#"
    ls **/*.rs(.om[1,3]) | head
        ls **/*.rs(.om[1,3])?
        | head
    mv *.(jpg|png) x
        mv *.(jpg|png)? x
    echo $path[(r)*foo*] ${(s: :)x} $+commands[ls] $#a
        echo $path[(r)*foo*]? "${(s: :)x}"? $+commands[ls]? $#a?
    for i (a b) { echo $i }
        ; echo $i?
    for i (a b) echo $i
        ; echo $i?
    for x in a b; echo $x
        ; echo $x?
    if [[ -f x ]] { ls } elif (( 1 )) { pwd } else { who }
        [[ -f x ]]
        ; ls
        ; pwd
        ; who
    if [[ -f x ]] echo hi; ls
        [[ -f x ]]
        ; echo hi
        ; ls
    while (( i-- )) echo $i
        ; echo $i?
    repeat 3 echo hi
        echo hi
    repeat 3 { echo hi }
        echo hi
    foreach x (a b); echo $x; end
        ; echo $x?
    cat foo >! out
        cat foo >out
    cat foo >>! out
        cat foo >>out
    ls &! pwd &| who
        ls
        ; pwd
        ; who
    make |& tee log
        make
        | tee log
    vim =(ls) =foo
        vim =(ls)? =foo?
          ls
    ls file<1-10>.txt <->
        ls file<1-10>.txt? <->?
    noglob find . -name *.rs
        find . -name *.rs?
    nocorrect - ls
        ls
    { ls } always { pwd }
        ls
        ; pwd
    () { echo $1 } foo
        echo $1?
    f g () { ls }
        ls
    f() echo hi
        echo hi
    {ls}
        ls
    ls (foo|bar)*
        ls (foo|bar)*?
    case x { a) ls;; b) pwd }
        ; ls
        ; pwd
    case $x in (a|b)*) ls;; (c) pwd;; esac
        ; ls
        ; pwd
    print ${${x}:h} "${x:-it's}"
        print ${${x}:h}? ${x:-it's}?
    local a=(1 2) b
        local "a=(1 2)"? b
    echo >&p <&p
        echo &p &p
    "#);
}

#[test]
fn bash_has_things_of_its_own() {
    let lines = [
        "shopt -s extglob; ls !(a|b) +(x).txt",
        "declare -a a=(1 2) b=3",
        "coproc NAME { ls; }; time -p ls",
        "echo $\"hello\"",
        "cmd 2>&1 | tee &>> all",
        "for x in a; { echo $x; }",
        "echo } { a",
    ];
    assert_snapshot!(all(Dialect::Bash, &lines), @r#"
    shopt -s extglob; ls !(a|b) +(x).txt
        shopt -s extglob
        ; ls !(a|b)? +(x).txt?
    declare -a a=(1 2) b=3
        declare -a "a=(1 2)"? b=3
    coproc NAME { ls; }; time -p ls
        ls
        ; ls
    echo $"hello"
        echo hello
    cmd 2>&1 | tee &>> all
        cmd &1
        | tee >>all
    for x in a; { echo $x; }
        ; echo $x?
    echo } { a
        echo } { a
    "#);
}

#[test]
fn fish_has_other_quotes_and_blocks() {
    let lines = [
        "echo (ls -l) $(pwd) \"$(who) (not)\"",
        "echo 'it\\'s' \"a $HOME\" a\\ b",
        "if test -f x; ls; else if true; pwd; else; who; end",
        "for f in *.txt; rm $f; end",
        "while true; and false; or ls; end",
        "not grep x f; and echo no",
        "ls; or pwd && who || true",
        "begin; ls; pwd; end > out",
        "switch $x; case a b; ls; case '*'; pwd; end",
        "function f -d 'does f'; ls $argv; end",
        "ls 2>&1 | cat &> all",
        "ls 2>| cat; ls &| cat",
        "echo a&b c & ls",
        "echo {a, b} $x[1 2] \"$y[1]\"",
        "FOO=bar BAZ=(ls) ls",
        "set -x PATH $PATH ~/bin",
        "echo a # comment (",
        "command ls; builtin cd; exec fish; time ls",
        "echo \\t\\x41\\u00e9 '\\n'",
        "echo <<EOF",
        "ls >? out",
    ];
    assert_snapshot!(all(Dialect::Fish, &lines), @r#"
    echo (ls -l) $(pwd) "$(who) (not)"
        echo "(ls -l)"? $(pwd)? "$(who) (not)"?
          ls -l
          pwd
          who
    echo 'it\'s' "a $HOME" a\ b
        echo it's "a $HOME"? "a b"
    if test -f x; ls; else if true; pwd; else; who; end
        test -f x
        ; ls
        ; true
        ; pwd
        ; who
    for f in *.txt; rm $f; end
        ; rm $f?
    while true; and false; or ls; end
        true
        && false
        || ls
    not grep x f; and echo no
        grep x f
        && echo no
    ls; or pwd && who || true
        ls
        || pwd
        && who
        || true
    begin; ls; pwd; end > out
        ; ls
        ; pwd
        ; >out
    switch $x; case a b; ls; case '*'; pwd; end
        ; ls
        ; pwd
    function f -d 'does f'; ls $argv; end
        ; ls $argv?
    ls 2>&1 | cat &> all
        ls &1
        | cat >all
    ls 2>| cat; ls &| cat
        ls
        | cat
        ; ls
        | cat
    echo a&b c & ls
        echo a&b c
        ; ls
    echo {a, b} $x[1 2] "$y[1]"
        echo "{a, b}"? "$x[1 2]"? $y[1]?
    FOO=bar BAZ=(ls) ls
        FOO=bar BAZ=(ls) ls
          ls
    set -x PATH $PATH ~/bin
        set -x PATH $PATH? ~/bin?
    echo a # comment (
        echo a
    command ls; builtin cd; exec fish; time ls
        command ls
        ; builtin cd
        ; exec fish
        ; ls
    echo \t\x41\u00e9 '\n'
        echo 	Aé \n
    echo <<EOF
        echo <EOF
    ls >? out
        ls >out
    "#);
}

#[test]
fn what_is_not_finished_is_read_as_far_as_it_goes() {
    let lines = [
        "git log | ",
        "git log |\n",
        "make &&",
        "echo $(git st",
        "for f in *; do rm ",
        "for f in",
        "for",
        "cat <<EOF",
        "cat <<EOF\nhello $(ls ",
        "cat <<EOF | sort\nhello",
        "sort a > ",
        "echo 'a b",
        "echo \"a $(ls 'b",
        "echo \"a",
        "echo ${HO",
        "echo `ls -l",
        "if true; then echo",
        "if true",
        "while",
        "case x in a) ls",
        "case x",
        "f()",
        "function f",
        "{ ls;",
        "(ls",
        "((1 + 2",
        "echo $((1 +",
        "[[ -f x",
        "a=(1 2",
        "echo a\\",
        "diff <(sort a",
    ];
    assert_eq!(differing(&lines, all), "");
    assert_snapshot!(all(Dialect::Bash, &lines), @r#"
        git log | 
            git log
            open: Operator
        git log |⏎
            git log
            open: Operator
        make &&
            make
            open: Operator
        echo $(git st
            echo "$(git st"?
              git st
            open: Bracket
        for f in *; do rm 
            ; rm
            open: Compound
        for f in
            open: Compound
        for
            open: Compound
        cat <<EOF
            cat <<EOF
            open: HereDocument
        cat <<EOF⏎hello $(ls 
            cat <<EOF
              ls
            open: Bracket
        cat <<EOF | sort⏎hello
            cat <<EOF
            | sort
            open: HereDocument
        sort a > 
            sort a >…
        echo 'a b
            echo "a b"
            open: Quote
        echo "a $(ls 'b
            echo "a $(ls 'b"?
              ls b
            open: Quote
        echo "a
            echo a
            open: Quote
        echo ${HO
            echo ${HO?
            open: Bracket
        echo `ls -l
            echo "`ls -l"?
              ls -l
            open: Bracket
        if true; then echo
            true
            ; echo
            open: Compound
        if true
            true
            open: Compound
        while
            open: Compound
        case x in a) ls
            ; ls
            open: Compound
        case x
            open: Compound
        f()
            open: Compound
        function f
            open: Compound
        { ls;
            ls
            open: Bracket
        (ls
            ls
            open: Bracket
        ((1 + 2
            open: Bracket
        echo $((1 +
            echo "$((1 +"?
            open: Bracket
        [[ -f x
            [[ -f x
            open: Bracket
        a=(1 2
            a=(1 2
            open: Bracket
        echo a\
            echo a
            open: Backslash
        diff <(sort a
            diff "<(sort a"?
              sort a
            open: Bracket
        "#);
    let lines = [
        "ls |",
        "ls && ",
        "echo (ls",
        "echo \"a",
        "if true",
        "begin",
        "echo {a",
        "echo a[1 2",
        "echo a\\",
        "end",
        "for x in a",
    ];
    assert_snapshot!(all(Dialect::Fish, &lines), @r#"
    ls |
        ls
        open: Operator
    ls && 
        ls
        open: Operator
    echo (ls
        echo (ls?
          ls
        open: Bracket
    echo "a
        echo a
        open: Quote
    if true
        true
        open: Compound
    begin
        open: Compound
    echo {a
        echo {a
    echo a[1 2
        echo "a[1 2"?
    echo a\
        echo a
        open: Backslash
    end
    for x in a
        open: Compound
    "#);
}
