//! One sentence about a whole line: a clause for each command, joined as the line joins them. Clauses of everyday
//! commands are composed from the arguments; for the others the description is used.

use shell_line::{Join, Redirect};

use crate::explain::dissect::{CommandSource, DissectedCommand, PartKind, ReadsPipe};
use crate::explain::{Told, ToldCommand, clause, describe, find};

/// Clauses of one sentence; longer sentences are not read.
const MAX_CLAUSES: usize = 8;

pub fn whole(told: &Told) -> String {
    let mut sentence = String::new();
    let commands: Vec<&ToldCommand> = told.commands.iter().filter(|command| !command.taken.text.is_empty()).collect();
    for (number, command) in commands.iter().take(MAX_CLAUSES).enumerate() {
        let fed = if command.join == Join::Pipe { ReadsPipe::Yes } else { ReadsPipe::No };
        let mut words = self::clause(&command.taken, fed);
        if let Some(target) = written(command) {
            let comma = if words.contains(", ") { "," } else { "" };
            words = format!("{words}{comma} {target}");
        }
        if command.background {
            words.push_str(" in the background");
        }
        if let Some(lead) = &command.lead {
            words = format!("{lead} {words}");
        }
        if number > 0 {
            let last = number + 1 == commands.len();
            sentence.push_str(match command.join {
                Join::Pipe if last || number < 2 => ", then ",
                Join::Pipe => ", ",
                Join::And => "; if that succeeds, ",
                Join::Or => "; if that fails, ",
                Join::First | Join::Next if command.lead.is_some() => "; ",
                Join::First | Join::Next => "; then ",
            });
        }
        sentence.push_str(&words);
    }
    if commands.len() > MAX_CLAUSES {
        sentence.push_str(", and so on");
    }
    capital(&sentence)
}

pub fn scheduled(when: &str, what: &str) -> String {
    let mut letters = what.chars();
    let what = letters.next().map(|first| format!("{}{}", first.to_lowercase(), letters.as_str()));
    match what {
        Some(what) => capital(&format!("{when}, {what}")),
        None => capital(when),
    }
}

/// The file that the output is redirected to.
fn written(command: &ToldCommand) -> Option<String> {
    command.redirections.iter().find_map(|redirection| {
        let target = redirection.target.as_ref().map(|target| target.value.as_str())?;
        match redirection.kind {
            Redirect::Write if target != "/dev/null" => Some(format!("into {target}")),
            Redirect::Append if target != "/dev/null" => Some(format!("and adds that to {target}")),
            _ => None,
        }
    })
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

/// What a command does, in the third person: `prints the first 5 lines`.
pub fn clause(taken: &DissectedCommand, fed: ReadsPipe) -> String {
    if let Some(inner) = taken.runs()
        && taken.chain != "find"
    {
        return wrapped(taken, inner, fed);
    }
    if let Some(words) = if taken.chain == "find" {
        Some(find::clause(taken, |inner| clause(inner, ReadsPipe::No)))
    } else {
        clause::known(taken, fed)
    } {
        return words;
    }
    general(taken)
}

fn wrapped(taken: &DissectedCommand, inner: &DissectedCommand, fed: ReadsPipe) -> String {
    let words = clause(inner, if taken.chain == "xargs" { ReadsPipe::No } else { fed });
    match taken.chain.as_str() {
        "sudo" | "doas" => match taken.value("-u") {
            Some(user) => format!("as {user}, {words}"),
            None => format!("as root, {words}"),
        },
        "xargs" => {
            let mark = taken.value("-I").unwrap_or("{}");
            let bare = inner.count() == 0;
            match inner.name.as_str() {
                "rm" if bare => "deletes them".to_owned(),
                "kill" if bare => "ends them".to_owned(),
                _ if bare => format!("with them as arguments, {}", general(inner)),
                _ if taken.has("-I") => format!("for each of them, {}", words.replace(mark, "it")),
                _ => format!("with them as arguments, {words}"),
            }
        }
        "ssh" => format!("on {}, {words}", taken.arguments().first().unwrap_or(&"another machine")),
        "time" => format!("{words}, and says how long that takes"),
        "watch" => {
            let pause = taken.value("-n").unwrap_or("2");
            format!("every {pause} seconds, {words}")
        }
        "nohup" => format!("{words}, even when the terminal is closed"),
        "nice" => format!("with low priority, {words}"),
        "timeout" => match taken.arguments().first().and_then(|time| super::value::duration(time)) {
            Some(time) => format!("for {time} at most, {words}"),
            None => format!("for a limited time, {words}"),
        },
        "env" => words,
        _ => format!("{}: {words}", third(&describe::plain(taken)).unwrap_or_else(|| format!("runs {}", taken.name))),
    }
}

/// The description from the data, and the arguments.
fn general(taken: &DissectedCommand) -> String {
    let about = describe::plain(taken);
    let verb = match (third(&about), &taken.source) {
        (Some(words), _) => words,
        (None, CommandSource::Alias(stands_for)) => format!("runs {stands_for}"),
        (None, CommandSource::Function) => format!("calls your function {}", taken.name),
        (None, CommandSource::Variable) => format!("runs what {} stands for", taken.text),
        (None, _) if about.is_empty() && taken.text.contains('/') => format!("runs {}", taken.text),
        (None, _) if about.is_empty() => format!("runs {}, which is not known here", taken.text),
        (None, _) => format!("runs {} ({about})", taken.text),
    };
    let scripts: Vec<&str> = taken.scripts().collect();
    if let [script] = scripts.as_slice() {
        if taken.chain == "watch" {
            return format!("every {} seconds, runs: {script}", taken.value("-n").unwrap_or("2"));
        }
        return format!("{verb}: {script}");
    }
    let objects: Vec<&str> = taken
        .items
        .iter()
        .filter_map(|item| match &item.what {
            PartKind::Argument { .. } => Some(item.text.as_str()),
            _ => None,
        })
        .collect();
    match clause::list(&objects) {
        Some(objects) if objects.len() < 60 => format!("{verb}: {objects}"),
        _ => verb,
    }
}

/// Verbs that a description may begin with and that can be put into the third person.
const VERBS: &str = " accept act activate add adjust allow analyse answer append apply archive arrange ask assign attach \
become begin bind bring browse build calculate call cancel change check choose clean clear clone close combine commit \
compare compile complete compress compute configure confirm connect continue control convert copy count create cut deactivate \
debug decode decompress decrypt delete deploy describe detach detect disable disconnect discover display do download \
draw dump edit empty enable encode encrypt end estimate evaluate examine execute exit expand explain export extract fetch \
file filter find fold follow forget format forward free generate get give go group guess halt handle hash import \
initialise inspect install join keep kill label leave let limit link list load lock log look make manage mark match measure \
mend merge mirror modify monitor mount move name open output overwrite pack paginate partition paste pause perform pick \
prepare preprocess print process produce provide publish pull purchase push put query rate read rebuild receive record \
reload remember remove rename repair repeat replace report request reset resize resolve restart restore resume retrieve \
return reverse review rotate run save say scan schedule search select send separate serve set shift show shred shut shuffle sign \
simulate sleep slice sort speak split stage start stop store stream strip submit sum summarise suspend swap switch sync \
synchronise tail take talk tell terminate test tidy trace track transcode transfer transform translate truncate try turn \
type undo uninstall unlink unlock unmount unpack unset update upgrade upload use validate verify view visit wait watch work \
wrap write ";

/// `list files` becomes `lists files`; `None` when the first word is not a known verb.
pub fn third(about: &str) -> Option<String> {
    let (first, rest) = about.split_once(' ').unwrap_or((about, ""));
    let comma = first.ends_with(',');
    let verb = first.trim_end_matches(',');
    if verb.is_empty() || !VERBS.contains(&format!(" {verb} ")) {
        return None;
    }
    let mut words = inflected(verb);
    if comma {
        words.push(',');
    }
    // `join or count lines`
    let mut parts = rest.splitn(3, ' ');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(and @ ("and" | "or")), Some(second), rest) if VERBS.contains(&format!(" {second} ")) => {
            words.push_str(&format!(" {and} {}", inflected(second)));
            if let Some(rest) = rest {
                words.push_str(&format!(" {rest}"));
            }
        }
        _ if comma => words.push_str(&format!(" {}", third(rest).unwrap_or_else(|| rest.to_owned()))),
        _ if !rest.is_empty() => words.push_str(&format!(" {rest}")),
        _ => {}
    }
    Some(words)
}

fn inflected(verb: &str) -> String {
    let before_last = verb.chars().rev().nth(1);
    if verb.ends_with('y') && !before_last.is_some_and(|letter| "aeiou".contains(letter)) {
        format!("{}ies", &verb[..verb.len() - 1])
    } else if ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| verb.ends_with(end)) {
        format!("{verb}es")
    } else {
        format!("{verb}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_are_inflected() {
        for (about, expected) in [
            ("list files", "lists files"),
            ("copy files", "copies files"),
            ("search", "searches"),
            ("display it", "displays it"),
            ("join or count lines", "joins or counts lines"),
            ("pack and unpack archives", "packs and unpacks archives"),
            ("do nothing, and succeed", "does nothing, and succeed"),
        ] {
            assert_eq!(third(about).as_deref(), Some(expected), "{about}");
        }
        for about in ["", "the stupid content tracker", "é", "files"] {
            assert_eq!(third(about), None, "{about}");
        }
    }
}
