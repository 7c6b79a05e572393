//! A replay in full: every number, compared with both strategies, and whether the goal is met.

use serde_json::{Value, json};

use super::compare::{self, Row};
use super::daemon::Times;
use super::playback::{Tally, percent};

/// The goal: how many keys fewer than with the better strategy, in percent of its keys.
const FEWER: f64 = 25.0;

pub fn print(rows: &[Row], only_past: usize, times: &Times) {
    let all = compare::sum(rows);
    let Row { ours, history, match_prev_cmd, .. } = &all;
    println!(
        "\n{} lines typed, {} characters; {} lines had run before. {only_past} more are long or have several lines: past only.",
        ours.lines, ours.characters, ours.again.lines
    );
    println!(
        "Keys: characters, → for the ghost, Alt-→ for its next word, Shift-→ and Tab in the bar. Enter is not counted.\n"
    );
    println!("{:<58} {:>10} {:>14} {:>10}", "", "history", "match_prev_cmd", "Aside");
    let line = |name: &str, of: &dyn Fn(&Tally) -> String| {
        println!("{name:<58} {:>10} {:>14} {:>10}", of(history), of(match_prev_cmd), of(ours));
    };
    let ours_alone = |name: &str, value: String| println!("{name:<58} {:>10} {:>14} {value:>10}", "", "");
    line("keys, ghost (the fewest possible)", &|tally| tally.ghost.to_string());
    ours_alone("keys, ghost and bar (the fewest possible)", ours.bar.to_string());
    line("keys, ghost taken with → alone, when all of it is right", &|tally| tally.right.to_string());
    line("keys, ghost taken only when it is the whole line", &|tally| tally.plain.to_string());
    line("saved, ghost, %", &|tally| format!("{:.1}", tally.saved(tally.ghost)));
    ours_alone("saved, ghost and bar, %", format!("{:.1}", ours.saved(ours.bar)));
    line("saved, ghost with → alone, %", &|tally| format!("{:.1}", tally.saved(tally.right)));
    line("saved, ghost only when whole, %", &|tally| format!("{:.1}", tally.saved(tally.plain)));
    line("completed by the ghost after 1 character, % of lines", &|tally| share(tally.at_first, tally.lines));
    line("completed by the ghost after at most 3", &|tally| share(tally.at_third, tally.lines));
    line("completed by the ghost at all", &|tally| share(tally.at_any, tally.lines));
    line("ghost shown, % of places", &|tally| share(tally.ghosts.shown, tally.ghosts.places));
    line("wrong ghosts, % of those shown", &|tally| format!("{:.1}", tally.ghosts.wrong_of_shown()));
    line("wrong ghosts, % of places", &|tally| format!("{:.1}", tally.ghosts.wrong_of_places()));
    line("  of them after the last character", &|tally| share(tally.ghosts.after_the_end, tally.ghosts.places));
    line("ghosts that are not the whole line, % of those shown", &|tally| {
        format!("{:.1}", tally.ghosts.not_whole_of_shown())
    });
    if !times.line.is_empty() {
        let [p50, p99] = [0.5, 0.99].map(|share| Times::quantile(&times.line, share));
        let [empty50, empty99] = [0.5, 0.99].map(|share| Times::quantile(&times.nothing, share));
        ours_alone("answer at the socket, p50, ms", format!("{p50:.3}"));
        ours_alone("  as a ratio to an empty line's", format!("{:.2}", p50 / empty50));
        ours_alone("answer at the socket, p99, ms", format!("{p99:.3}"));
        ours_alone("  as a ratio to an empty line's", format!("{:.2}", p99 / empty99));
    }
    let verdict = |held: bool| if held { "ok" } else { "MISS" };
    let fewer = all.fewer(ours.bar);
    let better = all.better();
    let no_more_wrong = ours.ghosts.wrong_of_shown() <= better.ghosts.wrong_of_shown()
        && ours.ghosts.wrong_of_places() <= better.ghosts.wrong_of_places();
    println!();
    println!(
        "{fewer:.1} % fewer keys than with the better strategy, each with all its keys (ghost alone: {:.1} %), at least {FEWER} %: {}",
        all.fewer(ours.ghost),
        verdict(fewer >= FEWER)
    );
    let right = all.fewer_with_right();
    println!("{right:.1} % fewer where both are taken with → alone, at least {FEWER} %: {}", verdict(right >= FEWER));
    println!("no more wrong ghosts than the better strategy, of those shown and of places: {}", verdict(no_more_wrong));
}

pub fn json(rows: &[Row], only_past: usize, times: &Times) -> Value {
    let ms = |times: &[std::time::Duration]| {
        json!({
            "count": times.len(),
            "p50_ms": Times::quantile(times, 0.5),
            "p99_ms": Times::quantile(times, 0.99),
        })
    };
    json!({
        "histories": rows.iter().map(Row::json).collect::<Vec<_>>(),
        "all": compare::sum(rows).json(),
        "only_past": only_past,
        "answer": ms(&times.line),
        "empty_answer": ms(&times.nothing),
    })
}

fn share(part: usize, whole: usize) -> String {
    format!("{:.1}", percent(part, whole))
}
