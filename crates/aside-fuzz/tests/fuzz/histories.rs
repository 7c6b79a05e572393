//! History files of zsh, bash and fish: commands are text, none is invented, and what a shell has written is read back.

use aside_core::history::import::{ImportFormat, bash, fish, zsh};
use aside_fuzz::{Target, fuzz};

use crate::lines::LINES;

const WORDS: &[&str] = &[
    ": 1700000000:5;",
    ": 1700000000:0;",
    ": ",
    ":",
    ";",
    "\\:",
    "#1700000000\n",
    "#-5\n",
    "#",
    "\n",
    "\\\n",
    "\\ \n",
    "\\",
    "- cmd: ",
    "  when: 1700000000\n",
    "  paths:\n",
    "    - a\n",
    "\\n",
    "\\\\",
    "99999999999999999999",
    "-1",
    "ls",
    "cat <<X\n",
    "X\n",
    "'",
    "é",
    "文",
];

#[test]
fn fuzz_histories() {
    let seeds = [
        ": 1700000000:5;for i in *; do\\\necho $i\\\ndone\n: 1700000009:0;ls\nmake\n",
        "#1700000000\ncat <<X\na\nX\n#1700000009\nls\npwd\n",
        "- cmd: for i in 1\\necho $i\\nend\n  when: 1700000000\n  paths:\n    - a\n- cmd: ls\n  when: 1700000009\n",
        "ls\n\npwd\n",
    ];
    let seeds = seeds.iter().chain(LINES).map(|seed| seed.as_bytes().to_vec());
    fuzz(Target { name: "histories", seeds: seeds.collect(), words: WORDS, longest: 32 * 1024, check });
}

fn check(file: &[u8]) {
    for format in [ImportFormat::Zsh, ImportFormat::Bash, ImportFormat::Fish] {
        let parsed = format.parse(file);
        let lines = file.split(|byte| *byte == b'\n').count();
        assert!(parsed.entries.len() + parsed.skipped <= lines, "{format:?}");
        assert!(parsed.entries.iter().map(|entry| entry.command.len()).sum::<usize>() <= file.len(), "{format:?}");
        for entry in &parsed.entries {
            assert!(!entry.command.is_empty() && !entry.command.contains('\0'), "{format:?} {entry:?}");
            assert!(entry.start_ms.is_none_or(|time| time > 0), "{format:?} {entry:?}");
        }
    }
    let _ = ImportFormat::guess(file);
    let Ok(text) = std::str::from_utf8(file) else { return };
    // The input as commands, separated by what no command contains.
    let commands: Vec<&str> =
        text.split('\0').map(|command| command.trim_matches('\n')).filter(|c| !c.is_empty()).collect();
    let read = |parsed: aside_core::history::import::ParsedHistory| -> Vec<String> {
        assert_eq!(parsed.skipped, 0);
        parsed.entries.into_iter().map(|entry| entry.command).collect()
    };
    let written: Vec<u8> = commands.iter().flat_map(|command| written_by_fish(command)).collect();
    assert_eq!(read(fish::parse(&written)), commands, "fish");
    let written: Vec<u8> = commands.iter().flat_map(|command| written_by_zsh(command)).collect();
    assert_eq!(read(zsh::parse(&written)), commands, "zsh");
    let lines = commands.iter().filter(|command| !command.contains('\n') && bash_keeps(command));
    let lines: Vec<&str> = lines.copied().collect();
    assert_eq!(read(bash::parse(lines.join("\n").as_bytes())), lines, "bash");
}

fn written_by_fish(command: &str) -> Vec<u8> {
    let command = command.replace('\\', "\\\\").replace('\n', "\\n");
    format!("- cmd: {command}\n  when: 1700000000\n").into_bytes()
}

/// With times: a newline behind a backslash, a final backslash guarded by a blank, and the bytes that zsh uses itself shifted.
fn written_by_zsh(command: &str) -> Vec<u8> {
    let mut written = b": 1700000000:0;".to_vec();
    for byte in command.bytes() {
        match byte {
            b'\n' => written.extend(b"\\\n"),
            0x00 | 0x83..=0xa2 => written.extend([0x83, byte ^ 32]),
            _ => written.push(byte),
        }
    }
    if command.trim_end_matches(' ').ends_with('\\') {
        written.push(b' ');
    }
    written.push(b'\n');
    written
}

/// A line of digits behind a `#` is a time.
fn bash_keeps(line: &str) -> bool {
    !line.strip_prefix('#').is_some_and(|rest| {
        let digits = rest.strip_prefix('-').unwrap_or(rest);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}
