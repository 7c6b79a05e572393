//! The same histories with each tool: a line for each history, then the totals.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use super::autosuggestions::{Autosuggestions, Strategy};
use super::history_lines::HistoryLine;
use super::playback::{Tally, percent, play};

pub struct Past {
    pub name: String,
    pub typed: Vec<HistoryLine>,
}

/// A history, replayed with three tools.
pub struct Row {
    pub name: String,
    pub ours: Tally,
    pub history: Tally,
    pub match_prev_cmd: Tally,
}

/// Replays on all processors in parallel, a history per thread.
pub fn at_once(pasts: &[Past], ours: impl Fn(&[HistoryLine]) -> Tally + Sync) -> Vec<Row> {
    let rows = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(past) = pasts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = row(past, ours(&past.typed));
                    rows.lock().expect("nobody panics while holding it").push(row);
                }
            });
        }
    });
    let mut rows = rows.into_inner().expect("nobody panics while holding it");
    rows.sort_by(|a, b| a.name.cmp(&b.name));
    rows
}

/// Adds the results of the other two tools to Aside's.
pub fn row(past: &Past, ours: Tally) -> Row {
    Row {
        name: past.name.clone(),
        ours,
        history: play(&past.typed, &mut Autosuggestions::new(Strategy::History)),
        match_prev_cmd: play(&past.typed, &mut Autosuggestions::new(Strategy::MatchPrevCmd)),
    }
}

pub fn sum(rows: &[Row]) -> Row {
    let none = Tally::default();
    let start = Row { name: "all".to_owned(), ours: none, history: none, match_prev_cmd: none };
    rows.iter().fold(start, |sum, row| Row {
        ours: sum.ours.plus(&row.ours),
        history: sum.history.plus(&row.history),
        match_prev_cmd: sum.match_prev_cmd.plus(&row.match_prev_cmd),
        ..sum
    })
}

/// Ghost and bar, unless a column says otherwise.
pub fn print(rows: &[Row]) {
    println!(
        "{:<22} {:>6} {:>4} │ {:^27} │ {:^20} │ {:^17} │ {:^17} │ {:^14}",
        "", "", "", "keys saved, %", "fewer than z-a, %", "wrong/shown, %", "wrong/place, %", "ours whole, %"
    );
    println!(
        "{:<22} {:>6} {:>4} │ {:>6} {:>6} {:>6} {:>6} │ {:>6} {:>6} {:>6} │ {:>5} {:>5} {:>5} │ {:>5} {:>5} {:>5} │ {:>4} {:>4} {:>4}",
        "history",
        "lines",
        "new%",
        "hist",
        "prev",
        "ghost",
        "bar",
        "bar",
        "ghost",
        "plain",
        "hist",
        "prev",
        "ours",
        "hist",
        "prev",
        "ours",
        "1st",
        "3rd",
        "any"
    );
    rows.iter().for_each(Row::print);
    if rows.len() > 1 {
        sum(rows).print();
        // A user with ten thousand lines counts no more here than one with five hundred.
        let mean = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len() as f64;
        println!(
            "mean of the histories: {:.1} % fewer keys with ghost and bar, {:.1} % with the ghost alone",
            mean(|row| row.fewer(row.ours.bar)),
            mean(|row| row.fewer(row.ours.ghost))
        );
    }
}

impl Row {
    /// The strategy that saves more.
    pub fn better(&self) -> &Tally {
        if self.history.ghost <= self.match_prev_cmd.ghost { &self.history } else { &self.match_prev_cmd }
    }

    /// By how many keys it beats the better strategy, in percent of that strategy's keys.
    pub fn fewer(&self, keys: usize) -> f64 {
        100.0 - percent(keys, self.better().ghost)
    }

    /// The same for a user who accepts only the whole ghost and does not look at the bar.
    pub fn fewer_with_right(&self) -> f64 {
        100.0 - percent(self.ours.right, self.history.right.min(self.match_prev_cmd.right))
    }

    pub fn json(&self) -> Value {
        json!({
            "name": self.name,
            "aside": self.ours.json(),
            "history": self.history.json(),
            "match_prev_cmd": self.match_prev_cmd.json(),
            "fewer_percent": { "bar": self.fewer(self.ours.bar), "ghost": self.fewer(self.ours.ghost) },
        })
    }

    fn print(&self) {
        let Self { name, ours, history, match_prev_cmd } = self;
        let plain = 100.0 - percent(ours.plain, history.plain.min(match_prev_cmd.plain));
        let of_lines = |part| percent(part, ours.lines);
        println!(
            "{name:<22} {:>6} {:>4.0} │ {:>6.1} {:>6.1} {:>6.1} {:>6.1} │ {:>6.1} {:>6.1} {:>6.1} │ {:>5.1} {:>5.1} {:>5.1} │ {:>5.1} {:>5.1} {:>5.1} │ {:>4.0} {:>4.0} {:>4.0}",
            ours.lines,
            percent(ours.lines - ours.again.lines, ours.lines),
            history.saved(history.ghost),
            match_prev_cmd.saved(match_prev_cmd.ghost),
            ours.saved(ours.ghost),
            ours.saved(ours.bar),
            self.fewer(ours.bar),
            self.fewer(ours.ghost),
            plain,
            history.ghosts.wrong_of_shown(),
            match_prev_cmd.ghosts.wrong_of_shown(),
            ours.ghosts.wrong_of_shown(),
            history.ghosts.wrong_of_places(),
            match_prev_cmd.ghosts.wrong_of_places(),
            ours.ghosts.wrong_of_places(),
            of_lines(ours.at_first),
            of_lines(ours.at_third),
            of_lines(ours.at_any),
        );
    }
}
