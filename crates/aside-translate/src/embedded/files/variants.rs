//! Alternative interpretations of the same words: ignoring case, a part of a name, directories too, the last day
//! instead of today. Only for queries that show something; a change is never a guess.

use crate::embedded::entities::{Time, Unit};
use crate::embedded::files::query::{Action, FileType, Name, OutputShape, Query, Test, TimeField};

/// Other queries, the likeliest first.
pub fn of(query: &Query) -> Vec<Query> {
    if query.action != Action::Show || query.save.is_some() {
        return Vec::new();
    }
    let changed = |change: &dyn Fn(&mut Query)| {
        let mut other = query.clone();
        change(&mut other);
        other
    };
    let mut all = Vec::new();
    // `a file called notes` may be notes.md.
    let is_whole = |name: &Name| !name.glob.contains(['*', '?', '[']) && name.glob.len() > 1;
    if !query.names.is_empty() && query.names.iter().all(is_whole) {
        all.push(changed(&|other| {
            other.names.iter_mut().for_each(|name| name.glob = format!("*{}*", name.glob));
            other.any_case = true;
        }));
    }
    for (place, filter) in query.tests.iter().enumerate() {
        // `today` is since midnight, or the last 24 hours.
        if let Test::Age(stamp, side, time) = &filter.test {
            let day = Time::Ago { amount: 1, unit: Unit::Day };
            let instead = match time {
                Time::Today => day,
                time if *time == day => Time::Today,
                _ => continue,
            };
            let (stamp, side): (TimeField, _) = (*stamp, *side);
            all.push(changed(&|other| {
                if let Some(filter) = other.tests.get_mut(place) {
                    filter.test = Test::Age(stamp, side, instead.clone());
                }
            }));
        }
    }
    if !query.any_case && query.names.iter().any(|name| !name.is_loose) {
        all.push(changed(&|other| other.any_case = true));
    }
    let is_chosen = query.has_filter() && query.order.is_none();
    if query.what == FileType::Files && is_chosen && query.shape == OutputShape::Names {
        all.push(changed(&|other| other.what = FileType::Both));
    }
    if query.what == FileType::Unsaid && is_chosen && query.shape == OutputShape::Names {
        all.push(changed(&|other| other.what = FileType::Directories));
    }
    if matches!(query.shape, OutputShape::Lines | OutputShape::Words) && query.order.is_none() {
        all.push(changed(&|other| other.each = !other.each));
    }
    if query.order.is_some() && query.top.is_some_and(|top| top > 1) {
        all.push(changed(&|other| other.top = Some(1)));
    }
    if query.order.is_some() && query.top.is_some() && query.shape == OutputShape::Names {
        all.push(changed(&|other| other.top = None));
    }
    if !query.has_filter() && !query.with_hidden && query.shape == OutputShape::Names && query.order.is_none() {
        all.push(changed(&|other| other.with_hidden = true));
    }
    if query.shape == OutputShape::Count && !query.with_hidden {
        all.push(changed(&|other| {
            other.what = if query.what == FileType::Both { FileType::Files } else { FileType::Both }
        }));
    }
    all
}
