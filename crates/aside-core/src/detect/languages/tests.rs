//! Lines with their language, the figures of both corpora, and keys of other layouts.

use proptest::prelude::*;

use super::word_lists::FILES;
use super::*;

const DEV: &str = include_str!("../../../data/detect/languages/dev.txt");
const HELD: &str = include_str!("../../../data/detect/languages/held.txt");

/// From here on a line counts as a sentence.
const HALF: f32 = 0.5;

fn said(line: &str) -> Option<LanguageMatch> {
    let words: Vec<&str> = line.split_whitespace().collect();
    detect_language(&words).filter(|spoken| spoken.weight >= HALF)
}

#[test]
fn the_examples_of_every_language_are_told_apart() {
    let mut wrong = Vec::new();
    for (language, text) in FILES {
        for (sort, line) in word_lists::lines(text) {
            let said = said(line);
            let is_right = match sort {
                "hit" => said.is_some_and(|spoken| spoken.language == language),
                "miss" => said.is_none(),
                _ => continue,
            };
            if !is_right {
                wrong.push(format!("{sort} {line}: {said:?}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// How many lines of each kind there are, and how many were classified as a sentence in any language.
fn figures(corpus: &str) -> String {
    let mut kinds: Vec<(&str, u32, u32)> = Vec::new();
    for (kind, line) in corpus.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' ')) {
        if kinds.last().is_none_or(|(last, ..)| *last != kind) {
            kinds.push((kind, 0, 0));
        }
        if let Some((_, all, sentences)) = kinds.last_mut() {
            *all += 1;
            *sentences += u32::from(said(line).is_some());
        }
    }
    let rows: Vec<String> = kinds.iter().map(|(kind, all, sentences)| format!("{kind} {sentences}/{all}")).collect();
    rows.join(", ")
}

#[test]
fn the_figures_in_docs_detect_eval_are_true() {
    insta::assert_snapshot!(figures(DEV), @"zh 32/32, ja 32/32, ko 32/32, ru 32/32, de 32/32, fr 32/32, es 32/32, pt 33/33, - 0/256, en 0/20");
    insta::assert_snapshot!(figures(HELD), @"zh 32/32, ja 32/32, ko 31/32, ru 32/32, de 30/32, fr 32/32, es 31/32, pt 31/32, - 0/255, en 1/20");
}

#[test]
fn a_word_has_one_role_in_a_language_and_the_lists_stay_small() {
    let mut bytes = 0;
    for (language, text) in FILES {
        bytes += text.len();
        let mut words = Vec::new();
        let sorts =
            word_lists::lines(text).filter(|(sort, _)| !matches!(*sort, "hit" | "miss" | "alone" | "end" | "tell"));
        words.extend(sorts.flat_map(|(_, list)| list.split_whitespace()));
        let all = words.len();
        words.sort_unstable();
        words.dedup();
        assert!(all == words.len() || matches!(language, Language::Chinese), "{language:?} has a word twice");
    }
    assert!(bytes < 30_000, "{bytes}");
}

#[test]
fn small_words_are_known_with_and_without_accents() {
    let known = |word| is_function_word(word).map(Language::name);
    assert_eq!(known("nicht"), Some("German"));
    assert_eq!(known("für,"), Some("German"));
    assert_eq!(known("fuer"), Some("German"));
    assert_eq!(known("Über"), Some("German"));
    assert_eq!(known("gro\u{308}ßten"), None);
    assert_eq!(known("qu'est"), Some("French"));
    assert_eq!(known("très"), Some("French"));
    assert_eq!(known("tres"), Some("French"));
    assert_eq!(known("¿dónde"), Some("Spanish"));
    assert_eq!(known("você"), Some("Portuguese"));
    assert_eq!(known("как"), Some("Russian"));
    for word in
        "die de la a e o do no man cat os as per par es si su que dir du in an am un le use move test find c'mon"
            .split(' ')
    {
        assert_eq!(known(word), None, "{word}");
    }
    assert!(is_foreign_script("a文") && is_foreign_script("ж") && !is_foreign_script("größe"));
}

#[test]
fn a_command_in_the_wrong_layout_is_what_was_meant() {
    let commands = ["git", "ls", "cd", "docker", "z", "ssh", "npm", "vim", "find"];
    let meant = |line| wrong_layout(line, |word| commands.contains(&word)).unwrap_or_default();
    assert_eq!(meant("пше ыефегы"), "git status");
    assert_eq!(meant("ды -дф"), "ls -la");
    assert_eq!(meant("ды -ла"), "ls -kf");
    assert_eq!(meant("св юю.ыкс"), "cd ../src");
    assert_eq!(meant("ыыр гыук\"рщые"), "ssh user@host");
    assert_eq!(meant("пше сщььше -ь \"исправил ошибку\""), "git commit -m \"исправил ошибку\"");
    assert_eq!(meant("мшь main.rs"), "vim main.rs");
    assert_eq!(meant("햣 ㄴㅅㅁ셔ㄴ"), "git status");
    assert_eq!(meant("ㅣㄴ -ㅣㅁ"), "ls -la");
    assert_eq!(meant("ｌｓ　－ｌａ"), "ls -la");
    assert_eq!(meant("я хочу удалить файл"), "", "a word, not zoxide");
    assert_eq!(meant("покажи файлы"), "");
    assert_eq!(meant("git status"), "");
    assert_eq!(meant("大きいファイル"), "");
    assert_eq!(meant(""), "");
}

#[test]
fn accents_may_be_letters_of_their_own() {
    assert_eq!(said("zeig mir die gro\u{308}ßten Dateien").map(|spoken| spoken.language), Some(Language::German));
    assert_eq!(
        said("mue\u{301}strame los archivos ma\u{301}s grandes").map(|spoken| spoken.language),
        Some(Language::Spanish)
    );
}

/// Words, signs and characters of all kinds, in any order.
fn any_line() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "git",
        "ls",
        "-m",
        "--",
        "\"",
        "'",
        "\\",
        "/",
        ".",
        "..",
        "=",
        "|",
        "?",
        "¿",
        "？",
        "的",
        "怎么",
        "を",
        "の",
        "해줘",
        "ㅣㄴ",
        "как",
        "пше",
        "wie",
        "l'",
        "-moi",
        "é",
        "\u{308}",
        "\u{3000}",
        " ",
        " ",
        " ",
        "ｌｓ",
        "8080",
        "a.txt",
        "№",
        "ё",
        "\u{1f600}",
        "\0",
    ]);
    prop_oneof![prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat()), any::<String>()]
}

proptest! {
    #[test]
    fn whatever_is_typed_is_weighed(line in any_line()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some(spoken) = detect_language(&words) {
            prop_assert!((0.0..=1.0).contains(&spoken.weight), "{spoken:?}");
        }
        // Words as a shell might split them, with blanks and empty ones.
        let odd: Vec<&str> = line.split('i').collect();
        detect_language(&odd);
        for word in words {
            is_function_word(word);
            is_foreign_script(word);
        }
        if let Some(meant) = wrong_layout(&line, |_| true) {
            prop_assert_ne!(meant, line);
        }
    }
}

mod whole {
    use std::sync::Arc;

    use super::*;
    use crate::detect::{DetectContext, FirstWord, PreRunVerdict, before_run};
    use aside_commands::shell_names::ShellNames;
    use aside_commands::spec::Specs;
    use aside_commands::world::{Fact, World};
    use shell_line::Dialect;

    const PROGRAMS: &str = "apt awk bash bat cargo cat chmod chown code cp cut diff docker du echo espeak ffmpeg figlet find gcc gh \
         git go grep head java jq kill kubectl less ln ls make man mkdir mpv mv mysql node npm nvim open pip printf python python3 ranger \
         rg rm rsync ruby scp sed sh sort sqlite3 ssh stat sudo systemctl tail tar tee test top touch tree unzip vim watch wc which xdg-open yes zip zsh";

    /// An empty directory on a machine with the usual programs.
    struct Empty;

    impl World for Empty {
        fn home(&self) -> &str {
            "/home/me"
        }

        fn programs(&self) -> Fact<Arc<[Box<str>]>> {
            let mut names: Vec<Box<str>> = PROGRAMS.split_whitespace().map(Box::from).collect();
            names.sort();
            Fact::Yes(names.into())
        }
    }

    fn judged(corpus: &'static str) -> impl Iterator<Item = (&'static str, &'static str, PreRunVerdict, String)> {
        let lines = corpus.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
        lines.map(|(kind, line)| {
            let facts = DetectContext {
                cwd: "/home/me/project",
                dialect: Dialect::Zsh,
                first: FirstWord::Unasked,
                world: &Empty,
                names: &ShellNames::default(),
                specs: &Specs::default(),
                agent_prefix: "@",
            };
            let ruling = before_run(line, &facts);
            (kind, line, ruling.verdict, ruling.reason)
        })
    }

    #[test]
    fn sentences_reach_the_agent_and_commands_the_shell() {
        let lines: Vec<_> = judged(DEV).filter(|(kind, ..)| *kind != "en").collect();
        let is = |of: PreRunVerdict| move |(_, _, verdict, _): &&(&str, &str, PreRunVerdict, String)| *verdict == of;
        let (commands, sentences): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(kind, ..)| *kind == "-");
        let taken: Vec<_> = commands.iter().filter(is(PreRunVerdict::Agent)).map(|(_, line, ..)| *line).collect();
        // Three files or a request: without the word before them these read as a sentence.
        assert!(taken.is_empty() || taken == ["touch lista de compras"], "{taken:?}");
        let left: Vec<_> = sentences.iter().filter(is(PreRunVerdict::Shell)).map(|(_, line, ..)| *line).collect();
        assert!(left.len() * 20 <= sentences.len(), "{left:#?}");
    }
}
