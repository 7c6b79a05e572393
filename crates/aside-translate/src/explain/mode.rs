//! Permissions in words: `755`, `u+x`, `go-rwx`.

/// `None` when it is not a mode.
pub fn words(mode: &str) -> Option<String> {
    if !mode.is_empty() && mode.len() <= 5 && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte)) {
        return octal(mode);
    }
    let clauses: Option<Vec<String>> = mode.split(',').map(clause).collect();
    clauses.map(|clauses| clauses.join("; ")).filter(|words| !words.is_empty())
}

fn octal(mode: &str) -> Option<String> {
    let number = u32::from_str_radix(mode, 8).ok()?;
    let special =
        [(0o4000, "runs as its owner"), (0o2000, "runs as its group"), (0o1000, "only owners may delete in it")];
    let [owner, group, others] = [number >> 6 & 7, number >> 3 & 7, number & 7];
    let mut words = vec![match (owner, group, others) {
        (0, 0, 0) => "nobody may do anything".to_owned(),
        (owner, group, others) if owner == group && group == others => format!("everybody may {}", rights(owner)),
        (owner, 0, 0) => format!("only the owner may {}", rights(owner)),
        (owner, group, others) if group == others => {
            format!("owner may {}; others {}", rights(owner), rights(group))
        }
        (owner, group, others) => {
            format!("owner may {}; group {}; others {}", rights(owner), rights(group), rights(others))
        }
    }];
    words.extend(special.iter().filter(|(bit, _)| number & bit != 0).map(|(_, about)| (*about).to_owned()));
    Some(words.join("; "))
}

/// `read, write and run`
fn rights(bits: u32) -> String {
    let named = [(4, "read"), (2, "write"), (1, "run")];
    let named: Vec<&str> = named.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, name)| *name).collect();
    join(&named).unwrap_or_else(|| "nothing".to_owned())
}

/// `u+x`
fn clause(text: &str) -> Option<String> {
    let at = text.find(['+', '-', '='])?;
    let (who, rest) = text.split_at(at);
    let whom = who.chars().map(|letter| match letter {
        'u' => Some("the owner"),
        'g' => Some("the group"),
        'o' => Some("others"),
        'a' => Some("everybody"),
        _ => None,
    });
    let whom: Vec<&str> = whom.collect::<Option<_>>()?;
    let whom = join(&whom).unwrap_or_else(|| "everybody".to_owned());
    let sign = rest.chars().next()?;
    let letters = rest.get(1..)?;
    let what = letters.chars().map(|letter| match letter {
        'r' => Some("read"),
        'w' => Some("write"),
        'x' => Some("run it"),
        'X' => Some("enter directories, and run what is run already"),
        's' => Some("run it as its owner or group"),
        't' => Some("delete only what is theirs"),
        _ => None,
    });
    let what: Vec<&str> = what.collect::<Option<_>>()?;
    Some(match (sign, join(&what)) {
        ('+', Some(what)) => format!("{whom} may {what} from now on"),
        ('-', Some(what)) => format!("{whom} may no longer {}", what.replace(" and ", " or ")),
        ('=', Some(what)) => format!("{whom} may {what} and nothing else"),
        ('=', None) => format!("{whom} may do nothing"),
        _ => return None,
    })
}

pub fn join(words: &[&str]) -> Option<String> {
    match words {
        [] => None,
        [only] => Some((*only).to_owned()),
        [first @ .., last] => Some(format!("{} and {last}", first.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_and_misses() {
        for (mode, expected) in [
            ("755", "owner may read, write and run; others read and run"),
            ("0644", "owner may read and write; others read"),
            ("600", "only the owner may read and write"),
            ("777", "everybody may read, write and run"),
            ("750", "owner may read, write and run; group read and run; others nothing"),
            ("000", "nobody may do anything"),
            ("4755", "owner may read, write and run; others read and run; runs as its owner"),
            ("u+x", "the owner may run it from now on"),
            ("+x", "everybody may run it from now on"),
            ("go-rwx", "the group and others may no longer read, write or run it"),
            (
                "u=rw,go=r",
                "the owner may read and write and nothing else; the group and others may read and nothing else",
            ),
            ("o=", "others may do nothing"),
        ] {
            assert_eq!(words(mode).as_deref(), Some(expected), "{mode}");
        }
        for text in ["", "9", "x", "u", "u+q", "file", "12345678", "ü+x"] {
            assert_eq!(words(text), None, "{text}");
        }
    }
}
