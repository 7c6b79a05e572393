//! Runs on a gate: opens it for who may pass.

mod ansi;
mod journal;
mod settings;

fn main() {
    let settings = settings::Settings::read("/etc/harbor/gate.toml");
    let mut journal = journal::Journal::open(&settings.journal_path);
    loop {
        let card = read_card(&settings);
        let answer = ask_service(&settings, &card);
        journal.append(&format!("{card} {answer:?}"));
    }
}
