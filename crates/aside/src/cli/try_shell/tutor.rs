//! `aside tutor`: a shell in a practice directory that asks for each behaviour once, and continues when it was done.

use std::fs::File;
use std::path::Path;

use crate::cli::Exit;
use crate::cli::try_shell::{TrialMode, open};

/// Try each behaviour once, in five minutes
///
/// Opens a zsh with your own rc file in a directory to practise in. Nothing of yours is changed, and `exit` leaves.
#[derive(clap::Args)]
pub struct Args {}

const SCRIPT: &str = include_str!("../../../shell/tutor.zsh");

/// For the lesson on finding large files; the file is sparse and takes no disk space.
const LARGE_FILE: u64 = 150 << 20;

pub fn run(Args {}: Args) -> anyhow::Result<Exit> {
    open("zsh", &TrialMode::Tour { prepare, script: SCRIPT })
}

fn prepare(practice: &Path) -> std::io::Result<()> {
    std::fs::create_dir(practice.join("src"))?;
    std::fs::write(practice.join("Makefile"), "test:\n\t@echo 3 tests passed\n\nbuild:\n\t@echo built\n")?;
    std::fs::write(practice.join("README.md"), "# A directory to practise in\n")?;
    std::fs::write(practice.join("src/app.py"), "# TODO: say hello\nprint(\"hello\")\n")?;
    File::create(practice.join("holiday.mp4"))?.set_len(LARGE_FILE)
}
