//! What a failed wait prints: the condition, the screen, the last bytes in both directions, the end of the daemon's log.

use std::collections::VecDeque;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use vt100::Color;

use crate::harness::screen::Screen;

const EXCHANGES_KEPT: usize = 20;
const BYTES_SHOWN: usize = 240;
const LOG_LINES_SHOWN: usize = 20;

pub struct Report<'a> {
    pub what: &'a str,
    pub screen: &'a Screen,
    pub ghost: Color,
    pub exchanges: &'a Exchanges,
    pub daemon_log: &'a Path,
}

/// The last bytes exchanged over the terminal.
pub struct Exchanges {
    started: Instant,
    last: VecDeque<Exchange>,
}

struct Exchange {
    at: Duration,
    side: Side,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Sent,
    Received,
}

impl Exchanges {
    pub fn new() -> Self {
        Self { started: Instant::now(), last: VecDeque::new() }
    }

    pub fn add(&mut self, side: Side, bytes: &[u8]) {
        if self.last.len() == EXCHANGES_KEPT {
            self.last.pop_front();
        }
        self.last.push_back(Exchange { at: self.started.elapsed(), side, bytes: bytes.to_vec() });
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, columns) = self.screen.size();
        let (row, column) = self.screen.cursor;
        writeln!(out, "{}", self.what)?;
        writeln!(out, "\nscreen, {rows} rows of {columns}, cursor ▮ in row {row}, column {column}, ‹ghost›:")?;
        for (number, row) in self.screen.rendered(self.ghost).iter().enumerate() {
            writeln!(out, "{number:>4} │{row}")?;
        }
        writeln!(out, "\nlast exchanges:")?;
        for exchange in &self.exchanges.last {
            writeln!(out, "{exchange}")?;
        }
        if let Ok(log) = std::fs::read_to_string(self.daemon_log) {
            writeln!(out, "\nend of daemon.log:")?;
            let lines: Vec<&str> = log.lines().collect();
            for line in &lines[lines.len().saturating_sub(LOG_LINES_SHOWN)..] {
                writeln!(out, "     {line}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Sent => "sent    ",
            Side::Received => "received",
        };
        let shown = String::from_utf8_lossy(&self.bytes[..self.bytes.len().min(BYTES_SHOWN)]).into_owned();
        write!(out, "{:>7} ms  {side}  {shown:?}", self.at.as_millis())?;
        match self.bytes.len().saturating_sub(BYTES_SHOWN) {
            0 => Ok(()),
            more => write!(out, " and {more} bytes"),
        }
    }
}
