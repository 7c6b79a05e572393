//! Measurements side by side: the figure, its target, and whether it is met. Measures nothing.

use std::time::Duration;

use crate::shells;

/// Durations of the same thing, in milliseconds.
#[derive(Clone, Debug, Default)]
pub struct Samples(Vec<f64>);

impl Samples {
    pub fn add(&mut self, time: Duration) {
        let place = self.0.partition_point(|other| *other < time.as_secs_f64() * 1e3);
        self.0.insert(place, time.as_secs_f64() * 1e3);
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    pub fn min(&self) -> Option<f64> {
        self.quantile(0.0)
    }

    pub fn quantile(&self, share: f64) -> Option<f64> {
        let last = self.0.len().checked_sub(1)?;
        self.0.get((last as f64 * share).round() as usize).copied()
    }
}

/// The maximum of a figure.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    None,
    /// Added to the bare shell's, in the unit of the row.
    Added(f64),
    /// A multiple of what zsh-autosuggestions needs.
    Ratio(f64),
    /// In the unit of the row.
    Value(f64),
}

pub struct Row {
    pub name: String,
    pub unit: &'static str,
    pub bare: Option<f64>,
    pub aside: Option<f64>,
    pub rival: Option<f64>,
    pub target: Target,
}

impl Row {
    /// A figure that only the daemon has.
    pub fn alone(name: impl Into<String>, unit: &'static str, aside: Option<f64>, target: Target) -> Self {
        Self { name: name.into(), unit, bare: None, aside, rival: None, target }
    }

    fn added(&self) -> Option<f64> {
        Some(self.aside? - self.bare?)
    }

    fn ratio(&self) -> Option<f64> {
        Some(self.aside? / self.rival?)
    }

    fn verdict(&self) -> &'static str {
        let within = match self.target {
            Target::None => return "",
            Target::Added(most) => self.added().map(|added| added <= most),
            Target::Ratio(most) => self.ratio().map(|ratio| ratio <= most),
            Target::Value(most) => self.aside.map(|value| value <= most),
        };
        match within {
            Some(true) => "ok",
            Some(false) => "MISS",
            None => "not measured",
        }
    }

    fn limit(&self) -> String {
        match self.target {
            Target::None => String::new(),
            Target::Added(most) => format!("≤ +{most} {}", self.unit),
            Target::Ratio(most) => format!("≤ {most:.1} ×"),
            Target::Value(most) => format!("≤ {most} {}", self.unit),
        }
    }
}

pub fn print(rows: &[Row]) {
    let [above, below, short] = shells::rival();
    println!(
        "{:<52} {:>9} {:>9} {:>9} {:>9} {:>9}  {:<12} verdict",
        "", "bare", "Aside", above, "Aside −", "Aside /", "target"
    );
    println!("{:<52} {:>9} {:>9} {:>9} {:>9} {:>9}", "", "", "", below, "bare", short);
    for row in rows {
        let cell = |value: Option<f64>| value.map(number).unwrap_or_default();
        let added = row.added().map(|added| format!("{added:+.2}")).unwrap_or_default();
        println!(
            "{:<52} {:>9} {:>9} {:>9} {:>9} {:>9}  {:<12} {}",
            format!("{}, {}", row.name, row.unit),
            cell(row.bare),
            cell(row.aside),
            cell(row.rival),
            added,
            row.ratio().map(|ratio| format!("{ratio:.3}")).unwrap_or_default(),
            row.limit(),
            row.verdict()
        );
    }
}

fn number(value: f64) -> String {
    match value.abs() {
        1000.0.. => format!("{value:.0}"),
        100.0.. => format!("{value:.1}"),
        0.095.. => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}
