//! The line parser against the shells themselves as oracles: which lines they consider incomplete, and which words they pass to a
//! command. Each shell is started once and judges all lines.

use shell_line::quote::{self, WordEnd};
use shell_line::{Dialect, Quote, Unclosed, parse};

use crate::harness::home::{self, Home};

/// Lines that zsh and bash parse alike, complete and incomplete.
const POSIX: &[&str] = &[
    "ls",
    "git commit -m 'a message'",
    "cat f | grep -v \"x y\" | wc -l",
    "make -j8 && sudo make install || echo failed; ls &",
    "FOO=bar BAZ= env",
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
    "case x in esac",
    "select x in a b; do echo $x; done",
    "f() { echo $1; }; f x",
    "f () { echo $1; }",
    "f() ( ls )",
    "function g { ls; }",
    "function h() { ls; }",
    "{ ls; pwd; } > out",
    "(cd x && ls) | wc",
    "( (ls) )",
    "((ls); pwd)",
    "[[ -f x && $a < b || ( $c =~ ^(x|y)$ ) ]] && echo yes",
    "[[ $a == (b) ]]",
    "[ -f x ] && ls",
    "(( i++ )); echo $((1 + (2 * 3))) $(( $(nproc) - 1 ))",
    "for ((i = 0; i < 3; i++)); do echo $i; done",
    "a=(1 \"2 3\" $(ls)) b+=x c[1]=y",
    "a=(\n1 # one\n2\n)",
    "exec 3<>f {fd}>g >|h",
    "cat <<< \"$x\"",
    "echo ${x:-a b} \"${y%.*}\" ${z/a/b} \"${q:-\"a b\"}\"",
    "ls # a comment | not 'a pipe",
    "echo a#b $# $?",
    "a \\\n  b",
    "echo $'a\\tb\\x41\\'' ",
    "echo ~/x ~ a~ {a,b} {} [ab]",
    "> out",
    "ls | while read x; do echo $x; done",
    "if ls; then ls; fi | cat",
    "while true; do if ls; then (ls); else { ls; }; fi; done",
    "find . -name '*.rs' -exec rm {} \\;",
    "echo \"`ls`\"",
    "echo \"$(echo \"$(echo 'x')\")\"",
    "echo $(case x in (a) ls;; esac)",
    "ls |",
    "ls | \n",
    "if true",
    "if true; then",
    "if true; then ls",
    "if true; then ls; else",
    "while",
    "while true; do",
    "while true; do ls",
    "for f in a b",
    "for f in a b; do rm ",
    "for",
    "case x in",
    "case x",
    "case x in a) ls",
    "case x in a) ls;;",
    "f()",
    "f() {",
    "f() { ls;",
    "function f",
    "{ ls;",
    "(ls",
    "(ls; (pwd)",
    "((1 + 2",
    "echo $((1 +",
    "echo $((1 + 2)",
    "[[ -f x &&",
    "a=(1 2",
    "echo $(ls",
    "echo $(ls | ",
    "echo \"$(ls\"",
    "echo `ls -l",
    "echo \"`ls\"",
    "echo 'a b",
    "echo \"a b",
    "echo \"a $(ls 'b",
    "echo $'a\\'",
    "echo ${HO",
    "echo \"${HO",
    "diff <(sort a",
    "ls; (pwd) |",
    "if [[ -f x ]]; then echo \"$(ls)\"; fi && {",
    "echo a; }; {",
];

const ZSH: &[&str] = &[
    "ls **/*.rs(.om[1,3]) | head",
    "mv *.(jpg|png) x",
    "echo $path[(r)*foo*] ${(s: :)x} $+commands[ls] $#a",
    "for i (a b) { echo $i }",
    "for i (a b) echo $i",
    "for x in a b; echo $x",
    "for i (a b)",
    "for i (a",
    "if [[ -f x ]] { ls } elif (( 1 )) { pwd } else { who }",
    "if [[ -f x ]] { ls",
    "if [[ -f x ]] { ls } else",
    "if [[ -f x ]] echo hi",
    "if (( 1 )) echo hi; ls",
    "while (( i-- )) echo $i",
    "while (( i-- )) { ls }",
    "repeat 3 echo hi",
    "repeat 3 { echo hi }",
    "repeat 3",
    "foreach x (a b); echo $x; end",
    "foreach x (a b); echo $x",
    "cat foo >! out >>! log",
    "ls &! pwd &| who",
    "make |& tee log",
    "vim =(ls) =foo",
    "ls file<1-10>.txt <->",
    "noglob find . -name *.rs",
    "{ ls } always { pwd }",
    "() { echo $1 } foo",
    "() { echo $1",
    "f g () { ls }",
    "f() echo hi",
    "{ls}",
    "{ls",
    "ls (foo|bar)*",
    "case x { a) ls;; b) pwd }",
    "case $x in (a|b)*) ls;; (c) pwd;; esac",
    "print ${${x}:h} \"${x:-it's}\" ${x:-{a}}",
    "local a=(1 2) b",
    "echo >&p <&p",
    "echo $\"a b\"",
    "echo a}b {a}",
    "function { ls }",
    "echo *(e:'[[ -d $REPLY ]]':)",
    "if true; then ls; fi else",
    "ls &&",
    "echo (a",
];

/// Complete to zsh at the end of a file only; observed at a prompt, zsh waits for more.
const ASKED_AT_A_PROMPT: &[&str] = &["while", "function f", "for i (a b)", "repeat 3", "ls &&", "echo (a"];

const BASH: &[&str] = &[
    "shopt -s extglob; ls !(a|b) +(x).txt",
    "declare -a a=(1 2) b=3",
    "coproc NAME { ls; }; time -p ls",
    "echo $\"hello\"",
    "cmd 2>&1 | tee &>> all",
    "for x in a; { echo $x; }",
    "echo } { a",
    "echo {a",
    "ls &&",
    "ls ||",
    "declare -a a=(1",
    "echo +(a",
    "f() [[ -f x ]]",
    "[[ -f x",
];

const FISH: &[&str] = &[
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
    "FOO=bar ls",
    "set -x PATH $PATH ~/bin",
    "echo a # comment (",
    "command ls; builtin cd; exec fish; time ls",
    "echo \\t\\x41\\u00e9 '\\n'",
    "echo a\\\n b",
    "ls |",
    "ls | \n",
    "ls &&",
    "ls ||",
    "echo (ls",
    "echo (ls | ",
    "echo \"a",
    "echo 'a",
    "echo 'a\\'",
    "echo \"a $(ls",
    "echo \"a $(ls)",
    "if true",
    "if true; ls; else",
    "if true; ls; else if false",
    "while true",
    "begin",
    "begin; ls",
    "for x in a b",
    "for x in a b; echo (ls",
    "switch x; case a",
    "function f",
    "echo {a",
    "echo {a,",
    "echo $x[1",
    "echo a\\",
    "begin; ls; end | begin",
];

/// The pieces of random lines; none looks like a file of the shell's own.
const POSIX_PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "(",
    ")",
    "{ ",
    "; }",
    "$(",
    "${a",
    "}",
    "\"",
    "'",
    "`",
    "\\",
    "x",
    "y",
    "-l",
    "if ",
    "; then ",
    "; fi",
    "while ",
    "; do ",
    "; done",
    "for i in a",
    "case x in ",
    "a) ",
    ";;",
    " esac",
    "f() ",
    "a=",
    "a=(",
    "[[ ",
    " ]]",
    "((",
    "))",
    "$((",
    "<(",
    "> f ",
    "2>&1 ",
    "$x",
    "#",
    "! ",
    "*",
];

const FISH_PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "(",
    ")",
    "$(",
    "{",
    ",",
    "}",
    "\"",
    "'",
    "\\",
    "x",
    "y",
    "-l",
    "if x;",
    "while x;",
    "begin;",
    "for i in a;",
    "; and ",
    "; or ",
    "not ",
    "> f ",
    "2>&1 ",
    "$x",
    "[",
    "]",
    "#",
    "&",
    "*",
];

/// Pieces of words without expansions, which every shell must split exactly as the parser does.
const WORD_PIECES: &[&str] = &[
    " ", " ", " ", "  ", "\t", "'", "\"", "\\", "\\\\", "\\'", "\\\"", "\\ ", "a", "b", "-l", "é", "文", "/", ".", ":",
    "=", "+", "~", "{", "}", "[", "]", ",", "..", "#", "!", "^", "%", "@", "\\n", "\\x41", "$'", "\\t", "\\u00e9",
    "\\q", "\\101", "\\$", "\n", "1",
];

/// `whole`, `part` or `wrong`: a text is a part when some suffix completes it.
const ZSH_JUDGE: &str = r#"
ends=( $'\nx' '"' "'" '`' ')' $'\n)' '))' '}' $'\n}' ' ]]' $'\nfi' $'\nthen x\nfi' $'\ndone' $'\ndo x\ndone' $'\nesac'
  ' in x) x;; esac' ' { x }' $'\nx) x;; esac' ' (x) { x }' ' x' ')x;; esac' $'\nend' )
valid() { functions[t]=$1; (( $+functions[t] )) && unfunction t }
judge() {
  local a b
  valid $1 && { REPLY=whole; return }
  for a in $ends; do valid $1$a && { REPLY=part; return }; done
  for a in $ends; do for b in $ends; do
    [[ $a != $b || $a != [\"\'\`] ]] && valid $1$a$b && { REPLY=part; return }
  done; done
  REPLY=wrong
}
while IFS= read -r -d $'\0' text; do judge $text; print -r -- $REPLY; done <texts
"#;

/// bash reports by itself what is missing.
const BASH_JUDGE: &str = r#"
while IFS= read -r -d '' text; do
  said=$(LC_ALL=C exec bash -O extglob -n <<<"$text" 2>&1)
  case $? in
    0) case $said in '' | *warning*) echo whole ;; *) echo wrong ;; esac ;;
    *) case $said in *'unexpected end of file'* | *'unexpected EOF'* | *"token \`EOF'"*) echo part ;; *) echo wrong ;; esac ;;
  esac
done <texts
"#;

/// The `true` is there because an `or` at the start of the text would continue the condition, and be run.
const FISH_JUDGE: &str = r#"
function valid
    eval "if false
true
$argv[1]
end"
end
function judge
    set -l ends \n"x" '"' "'" ')' \n"end" ")"\n"end" ' x; end' ' in x; end'
    valid $argv[1]; and echo whole; and return
    for a in $ends
        valid $argv[1]$a; and echo part; and return
    end
    for a in $ends
        for b in $ends
            test $a = $b; and string match -qr '["\']' -- $a; and continue
            valid $argv[1]$a$b; and echo part; and return
        end
    end
    echo wrong
end
while read -z text
    judge $text
end <texts
"#;

const ZSH_WORDS: &str = r#"
words() { print -rN -- $# "$@"; seen=1 }
while IFS= read -r -d $'\0' text; do seen=; eval "words $text"; [[ -n $seen ]] || print -rN -- -1; done <texts
"#;

const BASH_WORDS: &str = r#"
words() { printf '%s\0' "$#" "$@"; seen=1; }
while IFS= read -r -d '' text; do seen=; eval "words $text"; [[ -n $seen ]] || printf '%s\0' -1; done <texts
"#;

const FISH_WORDS: &str = r#"
function words
    set -g seen 1
    printf '%s\0' (count $argv) $argv
end
while read -z text
    set -g seen 0
    eval "words $text"
    test $seen = 1; or printf '%s\0' -1
end <texts
"#;

#[test]
fn what_is_unfinished_to_the_shell_is_unfinished_to_us() {
    let soup = |pieces| soups(pieces, 250, 9);
    let tables = [
        (Dialect::Zsh, [POSIX, ZSH].concat(), soup(POSIX_PIECES)),
        (Dialect::Bash, [POSIX, BASH].concat(), soup(POSIX_PIECES)),
        (Dialect::Fish, FISH.to_vec(), soup(FISH_PIECES)),
    ];
    let mut wrong = Vec::new();
    for (dialect, lines, soups) in tables {
        let texts: Vec<String> = lines.iter().map(|line| line.to_string()).chain(soups).collect();
        let verdicts = ask(dialect, [ZSH_JUDGE, BASH_JUDGE, FISH_JUDGE], &texts);
        let verdicts: Vec<&str> = verdicts.lines().collect();
        assert_eq!(verdicts.len(), texts.len(), "{dialect:?}");
        for (text, verdict) in texts.iter().zip(verdicts) {
            let open = parse(text, dialect).open;
            let agree = match (verdict, open) {
                ("whole", None) | ("part", Some(_)) => true,
                // The end of a file also ends a here-document; at a prompt the shell waits for more.
                ("whole", Some(Unclosed::HereDocument | Unclosed::Backslash)) => true,
                // fish reports an `and` without a command as an error and does not wait for more.
                ("part", None) => {
                    dialect == Dialect::Fish
                        && text
                            .trim_end()
                            .rsplit([' ', ';'])
                            .next()
                            .is_some_and(|word| ["and", "or", "not"].contains(&word))
                }
                // zsh accepts the end of a file after `&&`, `while` and `(`; at a prompt it waits for more.
                ("whole", Some(Unclosed::Operator | Unclosed::Compound | Unclosed::Bracket)) => {
                    dialect == Dialect::Zsh
                        && (!lines.contains(&text.as_str()) || ASKED_AT_A_PROMPT.contains(&text.as_str()))
                }
                ("whole", _) => false,
                _ => true,
            };
            if !agree {
                wrong.push(format!("{dialect:?} {verdict}, we: {open:?}: {text:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_words_of_a_command_are_those_that_the_shell_gives_it() {
    let mut wrong = Vec::new();
    for dialect in [Dialect::Zsh, Dialect::Bash, Dialect::Fish] {
        // Single-line commands only: what follows a newline would be run.
        let soups = soups(WORD_PIECES, 1500, 10).into_iter().filter(|text| is_simple(text, dialect)).collect();
        compare(dialect, soups, &mut wrong);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_we_spell_is_what_the_shell_reads() {
    let nasty = [
        " ", "'", "\"", "\\", "$x", "`x`", "*", "?", "[a]", "{a,b}", "~", "=", "#", "!", "^", "&", ";", "|", "<", ">",
        "(", ")", "\n", "\t", "\x1b", "\r", "\x07", "é", "文", "\u{85}", "a", "b", "-", "%", "@", ",", "..", "/",
    ];
    let values = soups(&nasty, 400, 6);
    let mut wrong = Vec::new();
    for dialect in [Dialect::Zsh, Dialect::Bash, Dialect::Fish] {
        let mut texts = Vec::new();
        let mut expected = Vec::new();
        for value in values.iter().filter(|value| *value != "~" && !value.starts_with("~/")) {
            texts.push(quote::word(value, dialect));
            expected.push(value.clone());
            for (quote, opening) in
                [(Quote::None, ""), (Quote::Single, "'"), (Quote::Double, "\""), (Quote::Dollar, "$'")]
            {
                if quote != Quote::Dollar || dialect != Dialect::Fish {
                    texts.push(format!("{opening}x{}", quote::rest(value, quote, dialect, WordEnd::End)));
                    expected.push(format!("x{value}"));
                }
            }
        }
        let given = words_of(dialect, &texts);
        for ((text, value), given) in texts.iter().zip(&expected).zip(given) {
            if given.as_ref() != Some(&vec![value.clone()]) {
                wrong.push(format!("{dialect:?}: {value:?} as {text:?} is {given:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A single complete command without expansions, so that the parser claims to know its words.
fn is_simple(text: &str, dialect: Dialect) -> bool {
    let text = format!("words {text}");
    let line = parse(&text, dialect);
    let [command] = &line.commands[..] else { return false };
    let only_words = command.assignments.is_empty() && command.redirections.is_empty();
    line.open.is_none() && only_words && command.words.iter().all(|word| word.fixed)
}

fn compare(dialect: Dialect, texts: Vec<String>, wrong: &mut Vec<String>) {
    assert!(texts.len() > 200, "{dialect:?}: only {}", texts.len());
    let given = words_of(dialect, &texts);
    assert!(given.iter().flatten().count() > 200, "{dialect:?} takes too few of them");
    for (text, given) in texts.iter().zip(given) {
        let whole = format!("words {text}");
        let line = parse(&whole, dialect);
        let ours: Vec<String> = line.commands[0].words[1..].iter().map(|word| word.value.clone()).collect();
        // The shell prints nothing for a text that it rejects.
        if given.as_ref().is_some_and(|given| *given != ours) {
            wrong.push(format!("{dialect:?}: {text:?} is {given:?}, we: {ours:?}"));
        }
    }
}

/// The words of each text, if the shell accepts it as a command.
fn words_of(dialect: Dialect, texts: &[String]) -> Vec<Option<Vec<String>>> {
    let said = ask(dialect, [ZSH_WORDS, BASH_WORDS, FISH_WORDS], texts);
    let mut fields = said.split_terminator('\0');
    let words: Vec<_> = std::iter::from_fn(|| {
        let count: i64 = fields.next()?.parse().unwrap();
        let words = (0..count).map(|_| fields.next().unwrap().to_owned()).collect();
        Some((count >= 0).then_some(words))
    })
    .collect();
    assert_eq!(words.len(), texts.len(), "{dialect:?}");
    words
}

/// Runs the script for the dialect's shell, which reads the texts from a file, each terminated by NUL.
pub fn ask(dialect: Dialect, [zsh, bash, fish]: [&str; 3], texts: &[String]) -> String {
    let home = Home::new();
    home.write("texts", texts.iter().map(|text| format!("{text}\0")).collect::<String>());
    let (shell, flags, script): (_, &[&str], _) = match dialect {
        Dialect::Zsh => ("zsh", &["-f"], zsh),
        Dialect::Bash => ("bash", &["--norc", "-O", "extglob"], bash),
        Dialect::Fish => ("fish", &["--no-config"], fish),
    };
    home.write("script", script);
    home::run(home.command(shell).args(flags).arg("script"), "").stdout
}

/// Texts made of random pieces, from a fixed seed.
fn soups(pieces: &[&str], count: usize, longest: usize) -> Vec<String> {
    let mut state = 0x5eed_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit as u64) as usize
    };
    (0..count).map(|_| (0..=below(longest)).map(|_| pieces[below(pieces.len())]).collect()).collect()
}
