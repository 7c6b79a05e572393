//! The modes of the outer terminal: raw while the shell runs inside, restored afterwards however the proxy ends. Against SIGKILL there is a
//! watchdog process, which notices the proxy's end by EOF on a pipe.

use std::io::{PipeWriter, Write};
use std::os::fd::{AsFd, OwnedFd};

use anyhow::Context;
use rustix::termios::{self, OptionalActions, SpecialCodeIndex, Termios};

use crate::exec;

/// Sent to the watchdog before a proper end.
const FAREWELL: &str = "left";

pub struct TerminalModes {
    saved: Termios,
    watchdog: Option<PipeWriter>,
}

impl TerminalModes {
    pub fn of(terminal: &OwnedFd) -> anyhow::Result<Self> {
        let saved = termios::tcgetattr(terminal).context("could not ask for the modes of the terminal")?;
        Ok(Self { saved, watchdog: None })
    }

    pub fn saved(&self) -> &Termios {
        &self.saved
    }

    /// Makes the terminal raw, and starts the watchdog.
    pub fn enter(&mut self, terminal: &OwnedFd) -> anyhow::Result<()> {
        let (told, mut tells) = std::io::pipe().context("could not make a pipe")?;
        tells.write_all(format!("{}\n", spelled(&self.saved)).as_bytes())?;
        exec::start_modes_watchdog(told, terminal.try_clone()?)?;
        self.watchdog = Some(tells);
        self.resume(terminal).context("could not set the modes of the terminal")
    }

    /// Makes it raw again after another program had it.
    pub fn resume(&self, terminal: &OwnedFd) -> rustix::io::Result<()> {
        termios::tcsetattr(terminal, OptionalActions::Now, &raw(&self.saved))
    }

    pub fn pause(&self, terminal: &OwnedFd) {
        let _ = termios::tcsetattr(terminal, OptionalActions::Now, &self.saved);
    }

    /// Restores the modes and dismisses the watchdog.
    pub fn leave(&mut self, terminal: &OwnedFd) {
        self.pause(terminal);
        if let Some(mut watchdog) = self.watchdog.take() {
            let _ = watchdog.write_all(FAREWELL.as_bytes());
        }
    }
}

/// After a proxy's end: restores the modes that it `told`, unless the proxy did so itself, or another program, such as the shell from which
/// it was started, has set the terminal since.
pub fn repair(terminal: impl AsFd, told: &str) {
    let Some((modes, farewell)) = told.split_once('\n') else { return };
    let Ok(current) = termios::tcgetattr(&terminal) else { return };
    let Some(saved) = respelled(&current, modes) else { return };
    if farewell != FAREWELL && flags(&current) == flags(&raw(&saved)) {
        let _ = termios::tcsetattr(&terminal, OptionalActions::Now, &saved);
    }
}

fn raw(saved: &Termios) -> Termios {
    let mut raw = saved.clone();
    raw.make_raw();
    raw
}

const CODES: [SpecialCodeIndex; 16] = [
    SpecialCodeIndex::VINTR,
    SpecialCodeIndex::VQUIT,
    SpecialCodeIndex::VERASE,
    SpecialCodeIndex::VKILL,
    SpecialCodeIndex::VEOF,
    SpecialCodeIndex::VTIME,
    SpecialCodeIndex::VMIN,
    SpecialCodeIndex::VSTART,
    SpecialCodeIndex::VSTOP,
    SpecialCodeIndex::VSUSP,
    SpecialCodeIndex::VEOL,
    SpecialCodeIndex::VREPRINT,
    SpecialCodeIndex::VDISCARD,
    SpecialCodeIndex::VWERASE,
    SpecialCodeIndex::VLNEXT,
    SpecialCodeIndex::VEOL2,
];

/// The watchdog's format: numbers separated by blanks. Leaves out the speed, which we never change.
fn spelled(modes: &Termios) -> String {
    let codes = CODES.map(|code| modes.special_codes[code].into());
    let numbers: Vec<String> = flags(modes).into_iter().chain(codes).map(|number: u64| number.to_string()).collect();
    numbers.join(" ")
}

fn respelled(current: &Termios, spelled: &str) -> Option<Termios> {
    let numbers: Option<Vec<u64>> = spelled.split(' ').map(|number| number.parse().ok()).collect();
    let [input, output, control, local, codes @ ..] = numbers?.try_into().ok().map(|numbers: [u64; 20]| numbers)?;
    let mut modes = current.clone();
    modes.input_modes = termios::InputModes::from_bits_retain(input.try_into().ok()?);
    modes.output_modes = termios::OutputModes::from_bits_retain(output.try_into().ok()?);
    modes.control_modes = termios::ControlModes::from_bits_retain(control.try_into().ok()?);
    modes.local_modes = termios::LocalModes::from_bits_retain(local.try_into().ok()?);
    for (code, number) in CODES.into_iter().zip(codes) {
        modes.special_codes[code] = number.try_into().ok()?;
    }
    Some(modes)
}

fn flags(modes: &Termios) -> [u64; 4] {
    [
        modes.input_modes.bits().into(),
        modes.output_modes.bits().into(),
        modes.control_modes.bits().into(),
        modes.local_modes.bits().into(),
    ]
}
