//! The threads for lookups, started when needed, ended when idle. Decides the order of questions; knows no answers.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use aside_commands::world::LiveKind;
use tokio::sync::watch;

use crate::world::locked;
use crate::world::mounts::mount_point;

/// Cap on threads that make progress. One that hangs on a dead network disk for longer than `STUCK` does not count.
const MAX_MOVING: usize = 4;
/// Of them, those that wait for another program.
const MAX_WAITING: usize = 2;
const STUCK: Duration = Duration::from_secs(2);
/// Cap on all threads; with so many disks dead, lookups stop until one responds.
const MAX_THREADS: usize = 16;
/// How long an idle thread stays.
const IDLE: Duration = Duration::from_secs(10);
/// Cap on queued questions. Drops the oldest first: the line has changed since.
const MAX_QUEUE: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    Entries(Arc<str>),
    /// By the value of PATH.
    Programs(Arc<str>),
    Repository(Arc<str>),
    Live(LiveKind, Arc<str>),
    Learnt {
        command: Arc<str>,
        path: Arc<str>,
        home: Arc<str>,
    },
    /// By the value of PATH, too.
    Manual {
        command: Arc<str>,
        path: Arc<str>,
    },
}

impl Question {
    /// The directory that it is about.
    fn directory(&self) -> Option<&str> {
        match self {
            Question::Entries(directory) | Question::Repository(directory) | Question::Live(_, directory) => {
                Some(directory)
            }
            Question::Programs(_) | Question::Learnt { .. } | Question::Manual { .. } => None,
        }
    }

    /// Whether it only reads a few files and asks no other program.
    pub fn is_quick(&self) -> bool {
        match self {
            Question::Entries(_) | Question::Programs(_) | Question::Repository(_) => true,
            Question::Live(what, _) => is_quick(*what),
            Question::Learnt { .. } | Question::Manual { .. } => false,
        }
    }
}

pub struct Pool {
    work: Mutex<Work>,
    bell: Condvar,
    /// How many questions were answered or dropped.
    answers: watch::Sender<u64>,
}

#[derive(Default)]
struct Work {
    quick: VecDeque<Question>,
    slow: VecDeque<Question>,
    /// Since when, including queued ones.
    under_way: HashMap<Question, Instant>,
    /// What each busy thread began, by its number.
    begun: HashMap<u64, (Instant, Question)>,
    threads: usize,
    idle: usize,
    numbers: u64,
    closed: bool,
}

impl Default for Pool {
    fn default() -> Self {
        Self { work: Mutex::default(), bell: Condvar::new(), answers: watch::Sender::new(0) }
    }
}

impl Pool {
    /// Makes sure that the question is answered, once, however often it is asked. A new thread runs `answer`.
    pub fn ask(self: &Arc<Self>, question: Question, answer: impl Fn(&Question) + Send + 'static) {
        let now = Instant::now();
        let mut work = self.work();
        if work.closed || work.under_way.contains_key(&question) || work.is_dead(&question, now) {
            return;
        }
        work.under_way.insert(question.clone(), now);
        let queue = if question.is_quick() { &mut work.quick } else { &mut work.slow };
        queue.push_back(question);
        let dropped = if queue.len() > MAX_QUEUE { queue.pop_front() } else { None };
        if let Some(dropped) = dropped {
            work.under_way.remove(&dropped);
            self.answers.send_modify(|count| *count += 1);
        }
        self.bell.notify_one();
        // An idle thread may already be notified for an earlier question, and hang on that.
        if work.idle < work.quick.len() + work.slow.len() && work.may_start(now) {
            work.threads += 1;
            work.numbers += 1;
            let number = work.numbers;
            let pool = Arc::clone(self);
            let started = std::thread::Builder::new().name("world".to_owned()).spawn(move || pool.run(number, answer));
            if started.is_err() {
                work.threads -= 1;
            }
        }
    }

    /// Those of the questions that are pending, and since when.
    pub fn under_way<'a>(&self, questions: &'a [Question]) -> impl Iterator<Item = (&'a Question, Instant)> + use<'a> {
        let work = self.work();
        let since: Vec<_> = questions.iter().filter_map(|one| Some((one, *work.under_way.get(one)?))).collect();
        since.into_iter()
    }

    pub fn answers(&self) -> watch::Receiver<u64> {
        self.answers.subscribe()
    }

    /// Ends every thread after its current question.
    pub fn close(&self) {
        self.work().closed = true;
        self.bell.notify_all();
    }

    fn run(&self, number: u64, answer: impl Fn(&Question)) {
        while let Some(question) = self.next(number) {
            // A panic loses the answer to this question only.
            let _ = catch_unwind(AssertUnwindSafe(|| answer(&question)));
            let mut work = self.work();
            work.begun.remove(&number);
            work.under_way.remove(&question);
            drop(work);
            self.answers.send_modify(|count| *count += 1);
        }
    }

    fn next(&self, number: u64) -> Option<Question> {
        let mut work = self.work();
        loop {
            if work.closed {
                break;
            }
            if let Some(question) = work.take() {
                work.begun.insert(number, (Instant::now(), question.clone()));
                return Some(question);
            }
            work.idle += 1;
            let (guard, waited) = self.bell.wait_timeout(work, IDLE).unwrap_or_else(|poisoned| poisoned.into_inner());
            work = guard;
            work.idle -= 1;
            if waited.timed_out() && work.quick.is_empty() && work.slow.is_empty() {
                break;
            }
        }
        work.threads -= 1;
        None
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        locked(&self.work)
    }
}

impl Work {
    /// The newest first: it belongs to what is being typed.
    fn take(&mut self) -> Option<Question> {
        if let Some(question) = self.quick.pop_back() {
            return Some(question);
        }
        let waiting = self.begun.values().filter(|(_, question)| !question.is_quick()).count();
        if waiting < MAX_WAITING { self.slow.pop_back() } else { None }
    }

    /// The questions on which threads hang.
    fn stuck(&self, now: Instant) -> impl Iterator<Item = &Question> {
        let is_stuck = move |since: Instant| now.saturating_duration_since(since) >= STUCK;
        self.begun.values().filter(move |(since, _)| is_stuck(*since)).map(|(_, question)| question)
    }

    /// Whether it is about a mount on which a thread already hangs: one is enough to notice when it responds.
    fn is_dead(&self, question: &Question, now: Instant) -> bool {
        let mut stuck = self.stuck(now).filter_map(Question::directory).peekable();
        let Some(directory) = question.directory().filter(|_| stuck.peek().is_some()) else { return false };
        let mount = mount_point(Path::new(directory));
        stuck.any(|stuck| mount_point(Path::new(stuck)) == mount)
    }

    fn may_start(&self, now: Instant) -> bool {
        let stuck = self.stuck(now).count();
        self.threads < MAX_THREADS && self.threads - stuck.min(self.threads) < MAX_MOVING
    }
}

/// Whether the lookup reads a few files and asks no other program.
pub fn is_quick(what: LiveKind) -> bool {
    !matches!(
        what,
        LiveKind::GitChanged
            | LiveKind::GitStaged
            | LiveKind::DockerContainer
            | LiveKind::DockerImage
            | LiveKind::TmuxSession
            | LiveKind::Package
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    fn entries(name: &str) -> Question {
        Question::Entries(name.into())
    }

    async fn settled(pool: &Pool, questions: &[Question]) {
        let mut answers = pool.answers();
        let all = async {
            while pool.under_way(questions).next().is_some() {
                answers.changed().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(30), all).await.unwrap();
    }

    #[tokio::test]
    async fn a_question_under_way_is_not_asked_twice_and_a_panic_loses_only_its_own() {
        let pool = Arc::new(Pool::default());
        let (sender, receiver) = mpsc::channel();
        let answer = move |question: &Question| {
            assert_ne!(*question, entries("/bad"));
            sender.send(question.clone()).unwrap();
        };
        for name in ["/bad", "/a", "/a", "/b"] {
            pool.ask(entries(name), answer.clone());
        }
        settled(&pool, &[entries("/bad"), entries("/a"), entries("/b")]).await;
        let mut answered: Vec<_> = receiver.try_iter().map(|question| format!("{question:?}")).collect();
        answered.sort();
        answered.dedup();
        assert_eq!(answered, ["Entries(\"/a\")", "Entries(\"/b\")"]);
    }

    #[tokio::test]
    async fn a_thread_that_hangs_does_not_hold_up_the_others() {
        let pool = Arc::new(Pool::default());
        let (gate, closed) = mpsc::channel::<()>();
        let closed = Arc::new(Mutex::new(closed));
        let answer = move |question: &Question| {
            if *question == entries("/dead") {
                let _ = locked(&closed).recv();
            }
        };
        pool.ask(entries("/dead"), answer.clone());
        for number in 0..100 {
            let question = entries(&format!("/{number}"));
            pool.ask(question.clone(), answer.clone());
            settled(&pool, &[question]).await;
        }
        assert!(pool.under_way(&[entries("/dead")]).next().is_some());
        drop(gate);
        settled(&pool, &[entries("/dead")]).await;
    }

    #[test]
    fn the_oldest_questions_are_dropped() {
        let pool = Arc::new(Pool::default());
        // As if every thread were busy.
        pool.work().threads = MAX_THREADS;
        let questions: Vec<_> = (0..MAX_QUEUE + 5).map(|number| entries(&format!("/{number}"))).collect();
        for question in &questions {
            pool.ask(question.clone(), |_| {});
        }
        assert_eq!(pool.under_way(&questions).count(), MAX_QUEUE);
        assert!(pool.under_way(&questions[..5]).next().is_none());
    }
}
