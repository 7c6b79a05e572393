//! What a simulated user works on: projects with directories, files, branches and services, all of which change over time.

use super::rng::Rng;

const TOPICS: &str = "billing auth search upload gateway ledger mailer catalog metrics scheduler inventory checkout \
    profile router importer reports sync billing-api telemetry cache-proxy webhooks notifier pricing fraud feed";
const AREAS: &str = "src lib tests docs scripts config api core models handlers utils internal pkg components hooks \
    pages migrations fixtures deploy tools";
pub const THINGS: &str = "user session token order invoice cart payment event queue worker parser client server schema \
    filter cursor batch retry timeout cache index layout button form modal table header theme login export import report \
    metric alert budget quota report region bucket shard replica migration plan account address coupon";
const VERBS: &str = "fix add drop tune rename test document simplify handle remove refactor speed-up guard split move \
    update revert bump allow forbid validate log hide";
const REASONS: &str = "when empty|on retry|for new accounts|after timeout|without a region|in the worker|for admins|\
    on slow networks|behind a flag|before release|for old clients|in tests|with unicode names|when offline|in production";

pub struct Project {
    pub name: String,
    pub ending: &'static str,
    pub areas: Vec<String>,
    /// The last touched file is last.
    files: Vec<String>,
    pub branch: String,
    /// The newest branch is last.
    pub branches: Vec<String>,
    pub ticket: usize,
    pub services: Vec<String>,
}

impl Project {
    pub fn new(dice: &mut Rng, ending: &'static str) -> Self {
        let name = match dice.below(3) {
            0 => format!("{}-{}", dice.word(TOPICS), dice.word("service web app tools infra lib")),
            1 => dice.word(TOPICS).to_owned(),
            _ => format!("{}_{}", dice.word(TOPICS), dice.word("v2 ui jobs cli data")),
        };
        let mut areas: Vec<String> = vec!["src".to_owned()];
        for _ in 0..dice.between(2, 5) {
            let area = dice.word(AREAS).to_owned();
            if !areas.contains(&area) {
                areas.push(area);
            }
        }
        let services = (0..dice.between(2, 4)).map(|_| dice.word(TOPICS).to_owned()).collect();
        let (branch, ticket) = ("main".to_owned(), dice.between(100, 4000));
        let mut project =
            Self { name, ending, areas, files: Vec::new(), branches: vec![branch.clone()], branch, ticket, services };
        (0..6).for_each(|_| _ = project.new_file(dice));
        project
    }

    pub fn new_file(&mut self, dice: &mut Rng) -> String {
        let area = self.areas[dice.zipf(self.areas.len())].clone();
        let name = if dice.chance(60) {
            dice.word(THINGS).to_owned()
        } else {
            format!("{}_{}", dice.word(THINGS), dice.word(THINGS))
        };
        let file = format!("{area}/{name}.{}", self.ending);
        self.touch(&file);
        file
    }

    /// Most likely one of those touched last.
    pub fn file(&mut self, dice: &mut Rng) -> String {
        if dice.chance(20) {
            return self.new_file(dice);
        }
        let file = self.files[self.files.len() - 1 - dice.zipf(self.files.len())].clone();
        self.touch(&file);
        file
    }

    fn touch(&mut self, file: &str) {
        self.files.retain(|other| other != file);
        self.files.push(file.to_owned());
    }

    pub fn new_branch(&mut self, dice: &mut Rng) -> String {
        self.ticket += dice.between(1, 17);
        let subject = format!("{}-{}", dice.word(VERBS), dice.word(THINGS));
        let branch = match dice.below(3) {
            0 => subject,
            1 => format!("feature/{}-{subject}", self.ticket),
            _ => format!("{}/{subject}", dice.word("fix feat chore")),
        };
        self.branches.push(branch.clone());
        self.branch = branch.clone();
        branch
    }

    pub fn old_branch(&mut self, dice: &mut Rng) -> String {
        self.branch = self.branches[self.branches.len() - 1 - dice.zipf(self.branches.len())].clone();
        self.branch.clone()
    }

    /// Hardly ever the same twice.
    pub fn message(&mut self, dice: &mut Rng) -> String {
        let (verb, thing, other) = (dice.word(VERBS), dice.word(THINGS), dice.word(THINGS));
        match dice.below(6) {
            0 => "wip".to_owned(),
            1 => format!("{verb} {thing}"),
            2 => format!("{verb} {thing} {}", reason(dice)),
            3 => format!("{verb} {thing} and {other}"),
            4 => format!("{verb} {thing} {other} {} (#{})", reason(dice), self.ticket),
            _ => format!("{}: {verb} {thing} {other}", dice.word("fix feat chore docs test")),
        }
    }

    pub fn service(&self, dice: &mut Rng) -> &str {
        &self.services[dice.zipf(self.services.len())]
    }
}

fn reason(dice: &mut Rng) -> &'static str {
    let reasons: Vec<&str> = REASONS.split('|').collect();
    reasons[dice.below(reasons.len())].trim()
}
