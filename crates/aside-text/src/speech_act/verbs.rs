//! Verbs in their forms: an order has the base form; `deleted`, `deletes` and `deleting` are not orders.

use std::collections::{BTreeMap, HashMap};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verb {
    pub acts: bool,
    pub reads: bool,
    pub speaks: bool,
    pub light: bool,
    /// It ends or replaces something.
    pub destroys: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerbForm {
    Base,
    Third,
    /// `wrote`: can only be a statement.
    Past,
    /// `deleted`, `written`: a statement, or before a noun.
    Participle,
    Gerund,
}

pub struct Verbs {
    forms: HashMap<String, (Verb, VerbForm)>,
    /// Forms by their first letter, for typos.
    by_letter: HashMap<u8, Vec<(String, VerbForm)>>,
}

/// Letters that a word must have to be matched as a typo; a shorter one could be anything.
const MIN_SLIP: usize = 4;

impl Verbs {
    pub fn new(
        acts: &[&str],
        reads: &[&str],
        speaks: &[&str],
        light: &[&str],
        destroys: &[&str],
        irregular: &[&str],
    ) -> Self {
        let mut verbs: BTreeMap<&str, Verb> = BTreeMap::new();
        acts.iter().for_each(|base| verbs.entry(base).or_default().acts = true);
        reads.iter().for_each(|base| verbs.entry(base).or_default().reads = true);
        speaks.iter().for_each(|base| verbs.entry(base).or_default().speaks = true);
        light.iter().for_each(|base| verbs.entry(base).or_default().light = true);
        destroys.iter().for_each(|base| verbs.entry(base).or_default().destroys = true);
        // Verbs that are never orders are known by their forms only: `the reset ate my changes`.
        irregular.iter().filter_map(|row| row.split(' ').next()).for_each(|base| {
            verbs.entry(base).or_default();
        });
        let odd: HashMap<&str, Vec<&str>> = irregular
            .iter()
            .filter_map(|row| {
                let mut forms = row.split(' ');
                Some((forms.next()?, forms.collect()))
            })
            .collect();
        let mut forms: HashMap<String, (Verb, VerbForm)> = HashMap::new();
        // A base form takes precedence over other forms with the same spelling: `reset`, `set`.
        for (base, verb) in &verbs {
            forms.insert((*base).to_owned(), (*verb, VerbForm::Base));
        }
        for (base, verb) in &verbs {
            let mut put = |form: String, sort: VerbForm| {
                forms.entry(form).or_insert((*verb, sort));
            };
            put(third(base), VerbForm::Third);
            match odd.get(base).map(Vec::as_slice) {
                Some([past, participle, gerund]) => {
                    put((*participle).to_owned(), VerbForm::Participle);
                    put((*past).to_owned(), VerbForm::Past);
                    put((*gerund).to_owned(), VerbForm::Gerund);
                }
                _ => {
                    past(base).into_iter().for_each(|form| put(form, VerbForm::Participle));
                    gerund(base).into_iter().for_each(|form| put(form, VerbForm::Gerund));
                }
            }
        }
        let mut by_letter: HashMap<u8, Vec<(String, VerbForm)>> = HashMap::new();
        for (form, (_, sort)) in &forms {
            if let Some(first) = form.bytes().next() {
                by_letter.entry(first).or_default().push((form.clone(), *sort));
            }
        }
        Self { forms, by_letter }
    }

    /// Every verb that can be an order, in its base form.
    pub fn acts(&self) -> Vec<&str> {
        let is_act = |(_, (verb, form)): &(&String, &(Verb, VerbForm))| verb.acts && *form == VerbForm::Base;
        let mut acts: Vec<&str> = self.forms.iter().filter(is_act).map(|(form, _)| form.as_str()).collect();
        acts.sort_unstable();
        acts
    }

    /// `deletes`, `deleted`, `deleting`.
    pub fn inflected(&self, base: &str) -> Option<[String; 3]> {
        let is = |form: &String, sort: VerbForm| self.get(form).is_some_and(|(_, known)| known == sort);
        let stems = past(base).into_iter().filter(|form| is(form, VerbForm::Participle));
        // Most short verbs double the last letter.
        let short = base.len() <= 4 && !base.ends_with('e');
        let mut pasts: Vec<String> = stems.collect();
        let mut gerunds: Vec<String> = gerund(base).into_iter().filter(|form| is(form, VerbForm::Gerund)).collect();
        if !short {
            pasts.reverse();
            if !base.ends_with('e') {
                gerunds.reverse();
            }
        }
        Some([third(base), pasts.into_iter().next()?, gerunds.into_iter().next()?])
    }

    pub fn get(&self, word: &str) -> Option<(Verb, VerbForm)> {
        self.forms.get(word).copied()
    }

    /// The verb in its base form, also with a typo.
    pub fn base(&self, word: &str) -> Option<Verb> {
        match self.get(word) {
            Some((verb, VerbForm::Base)) => Some(verb),
            Some(_) => None,
            None => self.slip(word),
        }
    }

    /// The base form that was probably meant; `None` when it could be another form as well: `deletd`.
    fn slip(&self, word: &str) -> Option<Verb> {
        // `kil` is so short that only a missing letter counts.
        let is_plain = word.len() + 1 >= MIN_SLIP && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let near = |form: &&(String, VerbForm)| {
            form.0.len() >= MIN_SLIP
                && form.0.len().abs_diff(word.len()) <= 1
                && (word.len() >= MIN_SLIP || form.0.starts_with(word))
                && strsim::osa_distance(word, &form.0) == 1
        };
        // The first letter is nearly always right.
        let list = word.bytes().next().filter(|_| is_plain).and_then(|letter| self.by_letter.get(&letter));
        let mut found = None;
        for (form, sort) in list.into_iter().flatten().filter(near) {
            if *sort != VerbForm::Base {
                return None;
            }
            // Of two equally near ones either may be meant; both are orders.
            found = found.or_else(|| self.get(form).map(|(verb, _)| verb));
        }
        found
    }
}

fn third(base: &str) -> String {
    match base {
        _ if ends_in_consonant_y(base) => format!("{}ies", base.get(..base.len() - 1).unwrap_or_default()),
        _ if ["s", "x", "z", "ch", "sh", "o"].iter().any(|end| base.ends_with(end)) => format!("{base}es"),
        _ => format!("{base}s"),
    }
}

fn past(base: &str) -> Vec<String> {
    match base {
        _ if base.ends_with('e') => vec![format!("{base}d")],
        _ if ends_in_consonant_y(base) => vec![format!("{}ied", base.get(..base.len() - 1).unwrap_or_default())],
        _ => doubled(base).into_iter().chain([base.to_owned()]).map(|stem| format!("{stem}ed")).collect(),
    }
}

fn gerund(base: &str) -> Vec<String> {
    match base.strip_suffix('e') {
        Some(stem) if !base.ends_with("ee") => vec![format!("{stem}ing"), format!("{base}ing")],
        _ => doubled(base).into_iter().chain([base.to_owned()]).map(|stem| format!("{stem}ing")).collect(),
    }
}

fn ends_in_consonant_y(base: &str) -> bool {
    base.strip_suffix('y').is_some_and(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u']))
}

/// `stopp`, where the last letter may be doubled.
fn doubled(base: &str) -> Option<String> {
    let last = base.chars().next_back().filter(char::is_ascii_lowercase)?;
    (!"aeiouwxy".contains(last)).then(|| format!("{base}{last}"))
}
