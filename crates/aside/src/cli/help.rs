//! The commands of `aside --help` in groups, on one screen.

use std::fmt::Write as _;

use clap::Command;

const GROUPS: [(&str, &[&str]); 4] = [
    ("Begin", &["setup", "tutor", "try", "doctor", "config", "uninstall"]),
    ("Ask", &["translate", "explain", "answer", "fix", "task", "chat", "web"]),
    ("Look", &["why", "history", "log", "stats", "privacy", "model"]),
    ("For scripts and rc files", &["init", "daemon", "complete", "detect", "suggest", "completions", "proxy"]),
];

/// The command whose help lists its subcommands in groups.
pub fn grouped(command: Command) -> Command {
    let mut list = String::new();
    for (group, names) in GROUPS {
        let _ = writeln!(list, "{group}:");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
            let _ = writeln!(list, "  {name:<12} {}", about.unwrap_or_default());
        }
    }
    command.help_template(format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{list}{{after-help}}\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_is_in_one_group_and_all_fit_one_screen() {
        let command = Cli::command();
        let mut expected: Vec<&str> =
            command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(Command::get_name).collect();
        let mut listed: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        expected.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, expected);
        let help = grouped(Cli::command()).render_help().to_string();
        assert!(help.lines().count() <= 42, "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{help}");
    }
}
