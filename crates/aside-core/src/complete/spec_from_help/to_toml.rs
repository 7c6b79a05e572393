//! Writes what was found as the text of a spec.

use std::fmt::Write;

use crate::complete::spec_from_help::Found;
use crate::complete::spec_from_help::flag::Flag;

pub fn toml(found: &Found) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write(found, &mut text);
    text
}

fn write(found: &Found, text: &mut String) -> std::fmt::Result {
    if !found.about.is_empty() {
        writeln!(text, "about = {}", quoted(&found.about))?;
    }
    if !found.args.is_empty() {
        let args: Vec<String> = found.args.iter().map(|arg| quoted(arg)).collect();
        writeln!(text, "args = [{}]", args.join(", "))?;
    }
    if is_single(&found.flags) {
        writeln!(text, "style = \"single\"")?;
    }
    if !found.flags.is_empty() {
        writeln!(text, "[flags]")?;
    }
    for Flag { names, takes, about, repeats } in &found.flags {
        write!(text, "{} = ", quoted(&names.join(", ")))?;
        let mut parts = Vec::new();
        if let Some(takes) = takes {
            parts.push(format!("takes = {}", quoted(&takes.kind)));
        }
        if takes.is_none() && !repeats {
            writeln!(text, "{}", quoted(about))?;
            continue;
        }
        if !about.is_empty() {
            parts.push(format!("about = {}", quoted(about)));
        }
        if takes.as_ref().is_some_and(|takes| takes.optional) {
            parts.push("optional = true".to_owned());
        }
        if *repeats {
            parts.push("repeats = true".to_owned());
        }
        writeln!(text, "{{ {} }}", parts.join(", "))?;
    }
    for command in &found.commands {
        writeln!(text, "[sub.{}]", quoted(&command.name))?;
        if !command.about.is_empty() {
            writeln!(text, "about = {}", quoted(&command.about))?;
        }
        if !command.aliases.is_empty() {
            let aliases: Vec<String> = command.aliases.iter().map(|alias| quoted(alias)).collect();
            writeln!(text, "aliases = [{}]", aliases.join(", "))?;
        }
    }
    Ok(())
}

/// Whether `-name` is one flag of this program and not a cluster: some flags have such names, and hardly any has two
/// dashes.
fn is_single(flags: &[Flag]) -> bool {
    let names = || flags.iter().flat_map(|flag| &flag.names);
    let long = |name: &&String| name.len() > 2 && !name.starts_with("--");
    let usual = |name: &&String| name.starts_with("--") && !matches!(name.as_str(), "--help" | "--version");
    names().any(|name| long(&name)) && !names().any(|name| usual(&name))
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\t' | '\n' => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
