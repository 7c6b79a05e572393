//! Tests with real commands in real shells, approved by a real gate; and what they leave behind.

use std::cell::RefCell;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

use aside_commands::world::EmptyWorld;
use aside_task::gate::GateContext;
use aside_task::gate::approve::{ApprovalAnswer, ApprovalGate};
use aside_task::gate::offer::{GateOffer, OfferStep, OfferedChange, OfferedRun};
use aside_task::gate::rules::{RuleLayer, Rules, RulesFile};
use aside_task::proposal::RequestSource;
use tempfile::TempDir;

use super::*;
use crate::exec::presence::Presence;
use crate::exec::taint::{self, TrustLevel};
use crate::exec::{self, supervisor};

/// The role of the stand-in for our program.
const ROLE: &str = "ASIDE_TEST_KEEP";
/// Test deadline: what takes longer hangs.
const HANG: Duration = Duration::from_secs(60);

const SHELLS: [Dialect; 3] = [Dialect::Zsh, Dialect::Bash, Dialect::Fish];

/// A workspace, its surroundings, and a stand-in for our program, which is this test binary again.
struct Scene {
    _temp: TempDir,
    root: PathBuf,
    environment: Vec<(OsString, OsString)>,
    dialect: Dialect,
    limits: Limits,
    confine: WriteConfinement,
    shown: Vec<(String, String)>,
}

impl Scene {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for directory in ["workspace", "outside", "tmp", "bin"] {
            std::fs::create_dir(root.join(directory)).unwrap();
        }
        let tests = std::env::current_exe().unwrap();
        let aside = format!(
            "#!/bin/sh\n{ROLE}=\"$*\" exec '{}' --exact exec::run::tests::stand_in --nocapture --test-threads=1 3>&1 >/dev/null\n",
            tests.display()
        );
        let scene = Self {
            root,
            _temp: temp,
            environment: Vec::new(),
            dialect: Dialect::Bash,
            limits: Limits { timeout: HANG, bytes: 1024 * 1024 },
            confine: WriteConfinement::No,
            shown: Vec::new(),
        };
        scene.program("aside", &aside);
        let root = scene.root.display().to_string();
        scene
            .with("PATH", &format!("{root}/bin:{}", std::env::var("PATH").unwrap()))
            .with("HOME", &format!("{root}/outside"))
            .with("TMPDIR", &format!("{root}/tmp"))
    }

    fn program(&self, name: &str, text: &str) {
        let path = self.root.join("bin").join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.environment.retain(|(before, _)| before != name);
        self.environment.push((name.into(), value.into()));
        self
    }

    fn read_by(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    fn confined(mut self) -> Self {
        self.confine = WriteConfinement::Workspace;
        self
    }

    fn limited(mut self, timeout_ms: u64, bytes: usize) -> Self {
        self.limits = Limits { timeout: Duration::from_millis(timeout_ms), bytes };
        self
    }

    fn ground<'a>(&'a self, parts: &'a (PathBuf, PathBuf)) -> RunContext<'a> {
        RunContext { workspace: &parts.0, dialect: self.dialect, environment: &self.environment, aside: &parts.1 }
    }

    fn parts(&self) -> (PathBuf, PathBuf) {
        (self.root.join("workspace"), self.root.join("bin/aside"))
    }

    /// Passes the gate: shown, and approved for what was shown.
    fn approved(&self, cmd: &str, cwd: &str) -> Approved {
        let (offer, step) = self.offer(cmd, cwd, &Rules::none());
        let mut gate = gate();
        let digest = gate.show(offer).unwrap();
        gate.approve(&ApprovalAnswer { step, digest, from: RequestSource::LocalUi, by: "pts/1".to_owned() }).unwrap()
    }

    fn offer(&self, cmd: &str, cwd: &str, rules: &Rules) -> (GateOffer, OfferStep) {
        let step = OfferStep { task: "t1".to_owned(), number: 1 };
        let workspace = self.root.join("workspace").display().to_string();
        let cwd = self.root.join(cwd).display().to_string();
        let place = GateContext {
            source: RequestSource::LocalUi,
            untrusted: false,
            dialect: self.dialect,
            cwd: &cwd,
            workspace: &workspace,
        };
        let (environment, confine) = (self.shown.clone(), self.confine);
        let command = OfferedRun { cmd: cmd.to_owned(), cwd: cwd.clone(), environment, reason: None, confine };
        (GateOffer::run(step.clone(), command, &place, rules, &EmptyWorld).unwrap(), step)
    }

    async fn finish(&self, approved: Approved, stop: watch::Receiver<bool>) -> anyhow::Result<(Finished, String)> {
        let parts = self.parts();
        let said = RefCell::new(String::new());
        let ran = run(approved, self.ground(&parts), self.limits, stop, |piece| said.borrow_mut().push_str(piece));
        let finished = tokio::time::timeout(HANG, ran).await.expect("it hangs")?;
        Ok((finished, said.into_inner()))
    }

    async fn run(&self, cmd: &str) -> (Finished, String) {
        self.finish(self.approved(cmd, "workspace"), never()).await.unwrap()
    }

    /// How it ended and what it printed, in one line.
    async fn shows(&self, cmd: &str) -> String {
        let (finished, said) = self.run(cmd).await;
        format!("{:?} {said}", finished.ended)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.root.join(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.root.join(name)).unwrap_or_else(|error| error.kind().to_string())
    }

    fn names(&self, directory: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.join(directory)).unwrap().flatten();
        let mut names: Vec<String> = entries.map(|entry| entry.file_name().display().to_string()).collect();
        names.sort();
        names
    }

    /// A program that sleeps, under a unique name.
    fn sleeper(&self) -> Sleeper {
        let path = self.root.join("bin/sleeper");
        std::fs::copy(exec::find("sleep").unwrap(), &path).unwrap();
        Sleeper { path }
    }
}

fn gate() -> ApprovalGate {
    let digest = |bytes: &[u8]| ring::digest::digest(&ring::digest::SHA256, bytes).as_ref().try_into().unwrap();
    ApprovalGate::new(digest, [7; 32])
}

fn never() -> watch::Receiver<bool> {
    watch::channel(false).1
}

struct Sleeper {
    path: PathBuf,
}

impl Sleeper {
    fn pids(&self) -> Vec<Pid> {
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let runs_it = |number: &i32| {
            std::fs::read_link(format!("/proc/{number}/exe")).is_ok_and(|exe| exe == self.path) && !is_killed(*number)
        };
        numbers.filter(runs_it).filter_map(Pid::from_raw).collect()
    }

    async fn count(&self, wanted: usize) {
        let begun = std::time::Instant::now();
        while self.pids().len() != wanted {
            assert!(begun.elapsed() < HANG, "{} run, not {wanted}", self.pids().len());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Whether SIGKILL is pending: on a busy machine a killed process may take a while to die.
fn is_killed(number: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{number}/status")).unwrap_or_default();
    let pending = status.lines().filter_map(|line| line.strip_prefix("SigPnd:").or(line.strip_prefix("ShdPnd:")));
    let kill = 1 << (Signal::KILL.as_raw() - 1);
    pending.filter_map(|signals| u64::from_str_radix(signals.trim(), 16).ok()).any(|signals| signals & kill != 0)
}

/// Not a test of its own: with the variable it acts as `aside keep`, or as a process that runs a command.
#[test]
fn stand_in() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let report = || {
        let report = std::fs::File::options().write(true).open("/dev/fd/3").unwrap();
        assert!(report.as_raw_fd() > 3);
        exec::close_inherited(vec![3]);
        report
    };
    match role.split(' ').collect::<Vec<_>>().as_slice() {
        ["keep"] => supervisor::supervise(report()),
        ["keep", "--enter", parent] => supervisor::exec_shell(parent.parse().unwrap(), report()),
        ["run", cmd @ ..] => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let scene = Scene::new();
            let place = std::env::var("ASIDE_TEST_PLACE").unwrap();
            let sleeper = format!("{place}/bin/sleeper");
            runtime.block_on(scene.run(&cmd.join(" ").replace("SLEEPER", &sleeper)));
        }
        [role @ ("fifty" | "unstarted")] => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            if *role == "fifty" { runtime.block_on(fifty()) } else { runtime.block_on(unstarted()) }
        }
        other => panic!("{other:?}"),
    }
    std::process::exit(0);
}

fn oneself(role: &str, place: &Path) -> std::process::Command {
    let mut command = exec::command(std::env::current_exe().unwrap());
    command.args(["--exact", "exec::run::tests::stand_in", "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role).env("ASIDE_TEST_PLACE", place).stdin(Stdio::null());
    command
}

#[tokio::test]
async fn it_ends_as_the_shell_says() {
    for dialect in SHELLS {
        let scene = Scene::new().read_by(dialect);
        assert_eq!(scene.shows("true").await, "Exit(0) ", "{dialect:?}");
        assert_eq!(scene.shows("exit 3").await, "Exit(3) ", "{dialect:?}");
        assert_eq!(scene.shows("sh -c 'kill -KILL $PPID'; true").await, "Signal(9) ", "{dialect:?}");
        let missing = scene.shows("frobnicate").await;
        assert!(missing.starts_with("Exit(127) ") && missing.contains("frobnicate"), "{dialect:?}: {missing}");
    }
}

#[tokio::test]
async fn the_text_reaches_the_shell_as_it_was_approved() {
    for dialect in SHELLS {
        let scene = Scene::new().read_by(dialect);
        let text = "echo \"a  b\" 'c\\d' $HOME\necho \"it's\" # \"\necho ä; pwd";
        let home = scene.root.join("outside");
        let wanted =
            format!("Exit(0) a  b c\\d {}\nit's\nä\n{}\n", home.display(), scene.root.join("workspace").display());
        assert_eq!(scene.shows(text).await, wanted, "{dialect:?}");
        // Not options of the shell, whatever they look like.
        for text in ["-x; echo x", "--version; echo x", "+x; echo x", "-- ; echo x"] {
            let shown = scene.shows(text).await;
            assert!(
                shown.starts_with("Exit(0) ")
                    && shown.contains("not found") | shown.contains("nknown")
                    && shown.contains("x\n"),
                "{dialect:?} {text}: {shown}"
            );
        }
    }
}

#[tokio::test]
async fn a_shell_reads_nothing_else_and_knows_nothing_else() {
    let evil = "echo evil";
    for dialect in SHELLS {
        let scene = Scene::new().read_by(dialect);
        for name in [".zshenv", ".zshrc", ".bashrc", ".bash_profile", ".profile"] {
            scene.write(&format!("outside/{name}"), evil);
        }
        let fish = scene.root.join("outside/.config/fish");
        std::fs::create_dir_all(fish.join("functions")).unwrap();
        std::fs::write(fish.join("config.fish"), evil).unwrap();
        std::fs::write(fish.join("functions/frobnicate.fish"), "function frobnicate; echo evil; end").unwrap();
        std::fs::create_dir(scene.root.join("workspace/usr")).unwrap();
        let rc = scene.root.join("outside/.profile").display().to_string();
        let scene = scene
            .with("BASH_ENV", &rc)
            .with("ENV", &rc)
            .with("ZDOTDIR", &rc.replace("/.profile", ""))
            .with("BASH_FUNC_frobnicate%%", "() { echo evil; }")
            .with("BASH_FUNC_true%%", "() { echo evil; }")
            .with("SHELLOPTS", "xtrace:verbose")
            .with("PS4", "$(echo evil)")
            .with("NULLCMD", "uname")
            .with("fish_function_path", fish.join("functions").to_str().unwrap())
            .with("fish_trace", "1")
            .with("CDPATH", "/");
        let shown = scene.shows("true; frobnicate 2>/dev/null; cd usr; pwd; echo $ASIDE_DISABLE").await;
        let wanted = format!("Exit(0) {}\n1\n", scene.root.join("workspace/usr").display());
        // fish itself reports a missing command, and not on stderr.
        let shown: String =
            shown.lines().filter(|line| !line.contains("nknown")).map(|line| format!("{line}\n")).collect();
        if dialect == Dialect::Fish {
            assert!(!shown.contains("evil") && shown.contains("workspace/usr\n1\n"), "{shown}");
        } else {
            assert_eq!(shown, wanted, "{dialect:?}");
        }
    }
}

#[tokio::test]
async fn variables_are_those_of_the_terminal_and_those_that_were_shown() {
    let mut scene = Scene::new().with("STAGE", "a").with("KEPT", "b").with("ASIDE_API_KEY", "secret");
    scene.shown = vec![("STAGE".to_owned(), "c d".to_owned())];
    assert_eq!(scene.shows("echo $STAGE $KEPT $CARGO_PKG_NAME ${ASIDE_API_KEY-none}").await, "Exit(0) c d b none\n");
    scene.shown = vec![("BASH_ENV".to_owned(), "/dev/null".to_owned())];
    let refused = scene.finish(scene.approved("true", "workspace"), never()).await.unwrap_err();
    assert!(refused.to_string().contains("BASH_ENV would change"), "{refused}");
}

#[tokio::test]
async fn nobody_can_be_asked_for_anything() {
    for dialect in SHELLS {
        let scene = Scene::new().read_by(dialect);
        let asks = "cat; sh -c 'read x || echo nothing to read; (: </dev/tty) 2>/dev/null || echo no terminal'";
        assert_eq!(scene.shows(asks).await, "Exit(0) nothing to read\nno terminal\n", "{dialect:?}");
    }
}

#[tokio::test]
async fn what_it_prints_is_one_stream_of_whole_letters_as_it_comes() {
    let scene = Scene::new();
    assert_eq!(scene.shows("echo a; echo b >&2; echo c").await, "Exit(0) a\nb\nc\n");
    let halves = r"printf '\342\202'; sleep 0.3; printf '\254 \377\000 \303'";
    assert_eq!(scene.shows(halves).await, "Exit(0) € \u{fffd}\0 \u{fffd}");
    // Before it has ended.
    let (stopper, stop) = watch::channel(false);
    let parts = scene.parts();
    let approved = scene.approved("echo begun; sleep 600", "workspace");
    let heard = |piece: &str| {
        assert_eq!(piece, "begun\n");
        stopper.send_replace(true);
    };
    let ran = run(approved, scene.ground(&parts), scene.limits, stop, heard);
    let finished = tokio::time::timeout(HANG, ran).await.unwrap().unwrap();
    assert_eq!(finished, Finished { ended: RunOutcome::Stopped, bytes: 6, cut: false });
}

#[tokio::test]
async fn what_is_too_much_is_counted_and_not_kept() {
    let scene = Scene::new().limited(60_000, 10);
    let (finished, said) = scene.run("printf '%01000d' 0").await;
    assert_eq!(finished, Finished { ended: RunOutcome::Exit(0), bytes: 1000, cut: true });
    assert_eq!(said, "0000000000\n… 990 bytes more were not kept\n");
    let (finished, said) = scene.run("yes | head -c 20000000").await;
    assert_eq!(finished, Finished { ended: RunOutcome::Exit(0), bytes: 20_000_000, cut: true });
    assert_eq!(said, "y\ny\ny\ny\ny\n\n… 19999990 bytes more were not kept\n");
    // An endless command: stopped as soon as some of its output arrived.
    let (stopper, stop) = watch::channel(false);
    let parts = scene.parts();
    let said = RefCell::new(String::new());
    let say = |piece: &str| {
        said.borrow_mut().push_str(piece);
        stopper.send_replace(true);
    };
    let ran = run(scene.approved("yes", "workspace"), scene.ground(&parts), scene.limits, stop, say);
    let finished = tokio::time::timeout(HANG, ran).await.unwrap().unwrap();
    assert_eq!((finished.ended, finished.cut), (RunOutcome::Stopped, true));
    assert!(said.borrow().starts_with("y\ny\ny\ny\ny\n\n… ") && said.borrow().len() < 100, "{said:?}");
}

#[tokio::test]
async fn when_time_is_up_it_ends() {
    let scene = Scene::new().limited(500, 1000);
    let sleeper = scene.sleeper();
    assert_eq!(scene.run("sleeper 600 & sleeper 600").await.0.ended, RunOutcome::TimedOut);
    assert_eq!(sleeper.pids(), []);
}

#[tokio::test]
async fn what_is_stopped_ends_with_everything_that_it_started() {
    let scene = Scene::new();
    let sleeper = scene.sleeper();
    // In its group, orphaned, in another group, in a session of its own, with a child there, ignoring signals.
    let cmd = "sleeper 600 & (sleeper 600 &); set -m; sleeper 600 & set +m; setsid sleeper 600 & \
               setsid sh -c 'sleeper 600 & sleeper 600' & (trap '' TERM HUP INT; sleeper 600 & sleeper 600) & wait";
    let (stopper, stop) = watch::channel(false);
    let (finished, ()) = tokio::join!(scene.finish(scene.approved(cmd, "workspace"), stop), async {
        sleeper.count(8).await;
        // And some of them are stopped.
        for pid in sleeper.pids().into_iter().step_by(3) {
            rustix::process::kill_process(pid, Signal::STOP).unwrap();
        }
        stopper.send_replace(true);
    });
    assert_eq!(finished.unwrap().0.ended, RunOutcome::Stopped);
    assert_eq!(sleeper.pids(), []);
}

#[tokio::test]
async fn a_polite_command_may_clean_up_when_it_is_stopped() {
    let scene = Scene::new();
    let (stopper, stop) = watch::channel(false);
    let cmd = "trap 'echo bye; exit 0' TERM; echo hi; while :; do sleep 0.05; done";
    let parts = scene.parts();
    let said = RefCell::new(String::new());
    let say = |piece: &str| {
        said.borrow_mut().push_str(piece);
        stopper.send_replace(true);
    };
    let ran = run(scene.approved(cmd, "workspace"), scene.ground(&parts), scene.limits, stop, say);
    let finished = tokio::time::timeout(HANG, ran).await.unwrap().unwrap();
    assert_eq!(finished.ended, RunOutcome::Stopped);
    assert!(said.borrow().starts_with("hi\n") && said.borrow().ends_with("bye\n"), "{said:?}");
}

#[tokio::test]
async fn what_is_stopped_before_it_began_never_runs() {
    let scene = Scene::new();
    let (_stopper, stop) = watch::channel(true);
    let (finished, _) = scene.finish(scene.approved("echo x >ran", "workspace"), stop).await.unwrap();
    assert_eq!(finished.ended, RunOutcome::Stopped);
    assert!(scene.names("workspace").is_empty());
}

#[tokio::test]
async fn who_does_not_wait_for_it_ends_it() {
    let scene = Scene::new();
    let sleeper = scene.sleeper();
    let parts = scene.parts();
    let approved = scene.approved("setsid sleeper 600 & sleeper 600", "workspace");
    {
        let ran = run(approved, scene.ground(&parts), scene.limits, never(), |_| {});
        tokio::select! {
            _ = ran => panic!("it ended"),
            () = sleeper.count(2) => {}
        }
    }
    sleeper.count(0).await;
}

#[tokio::test]
async fn what_stays_in_the_background_neither_holds_it_up_nor_stays() {
    let scene = Scene::new();
    let sleeper = scene.sleeper();
    let shown = scene.shows("sleeper 600 & nohup sleeper 600 & (sleeper 600 &); echo done").await;
    assert_eq!(numbered(&shown), "Exit(0) done\n… it left 3 × sleeper in the background, which ended with it\n");
    assert_eq!(sleeper.pids(), []);
    // A background process that needs only a moment gets it.
    assert_eq!(scene.shows("echo x > >(sleep 0.1; tr x y)").await, "Exit(0) y\n");
}

#[tokio::test]
async fn a_server_that_was_to_be_started_stays_unless_it_is_confined() {
    let scene = Scene::new();
    let sleeper = scene.sleeper();
    // It even holds the pipe.
    let shown = scene.shows("setsid sleeper 600 & echo done").await;
    let goes_on = "… 1 × sleeper goes on in the background; as long as it does, the page approves nothing\n";
    assert_eq!(numbered(&shown), format!("Exit(0) done\n{goes_on}"));
    let pids = sleeper.pids();
    assert_eq!(pids.len(), 1);
    rustix::process::kill_process(pids[0], Signal::KILL).unwrap();
    sleeper.count(0).await;
    if sandbox::check().is_err() {
        return;
    }
    let shown = scene.confined().shows("setsid sleeper 600 & echo done").await;
    assert_eq!(numbered(&shown), "Exit(0) done\n… it left 1 × sleeper in the background, which ended with it\n");
    assert_eq!(sleeper.pids(), []);
}

/// Replaces names and pids with the number of processes.
fn numbered(shown: &str) -> String {
    let names = regex::Regex::new(r"sleeper \(pid \d+\)(, sleeper \(pid \d+\))*").unwrap();
    let count = shown.matches("(pid ").count();
    names.replace(shown, format!("{count} × sleeper")).into_owned()
}

#[tokio::test]
async fn it_dies_with_who_runs_it_and_with_who_watches_it() {
    let scene = Scene::new();
    let sleeper = scene.sleeper();
    let mut daemon =
        oneself("run setsid SLEEPER 600 & SLEEPER 600", &scene.root).stdout(Stdio::null()).spawn().unwrap();
    sleeper.count(2).await;
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    sleeper.count(0).await;
    // The supervisor is the shell's parent.
    let approved = scene.approved("sleeper 600 & sh -c 'kill -KILL $1' x $PPID; sleeper 600", "workspace");
    let error = scene.finish(approved, never()).await.unwrap_err();
    assert!(error.to_string().contains("was killed"), "{error}");
    sleeper.count(0).await;
}

fn may_be_spawned<T: Send>(future: T) -> T {
    future
}

#[tokio::test]
async fn every_process_of_a_command_carries_its_mark() {
    let scene = Scene::new();
    let sleeper = scene.sleeper();
    let parts = scene.parts();
    let approved = scene.approved("(setsid sleeper 600 &); sleeper 600", "workspace");
    let ran = may_be_spawned(run(approved, scene.ground(&parts), scene.limits, never(), |_| {}));
    tokio::select! {
        _ = ran => panic!("it ended"),
        () = sleeper.count(2) => for pid in sleeper.pids() {
            assert_eq!(taint::of_process(pid.as_raw_pid()), Some(TrustLevel::Command));
        },
    }
    sleeper.count(0).await;
}

#[tokio::test]
async fn it_runs_in_the_very_directory_that_was_approved() {
    let scene = Scene::new();
    let cwd = scene.root.join("workspace/a/b");
    std::fs::create_dir_all(&cwd).unwrap();
    let in_it = |scene: &Scene| scene.approved("pwd; pwd -P; echo x >ran", "workspace/a/b");
    let (_, said) = scene.finish(in_it(&scene), never()).await.unwrap();
    assert_eq!(said, format!("{0}\n{0}\n", cwd.display()));
    let why = async |scene: &Scene, approved| {
        scene.finish(approved, never()).await.unwrap_err().to_string().replace(&scene.root.display().to_string(), "")
    };
    // Replaced after the approval: the directory itself, and its parent.
    for place in ["workspace/a/b", "workspace/a"] {
        let approved = in_it(&scene);
        let kept = scene.root.join("kept");
        std::fs::rename(scene.root.join(place), &kept).unwrap();
        std::fs::create_dir_all(scene.root.join("outside/b")).unwrap();
        symlink(scene.root.join("outside"), scene.root.join(place)).unwrap();
        assert_eq!(
            why(&scene, approved).await,
            "/workspace/a/b is or is behind a link now, and may be another directory; ask again"
        );
        std::fs::remove_file(scene.root.join(place)).unwrap();
        std::fs::rename(&kept, scene.root.join(place)).unwrap();
    }
    let approved = in_it(&scene);
    std::fs::remove_dir_all(&cwd).unwrap();
    assert_eq!(why(&scene, approved).await, "/workspace/a/b is no directory any more; ask again from one that is");
    let approved = in_it(&scene);
    std::fs::write(&cwd, "").unwrap();
    assert_eq!(why(&scene, approved).await, "/workspace/a/b is no directory any more; ask again from one that is");
    assert_eq!((scene.names("outside"), scene.names("outside/b")), (vec!["b".to_owned()], vec![]));
}

#[tokio::test]
async fn a_change_to_files_is_no_command() {
    let scene = Scene::new();
    let step = OfferStep { task: "t1".to_owned(), number: 1 };
    let change = OfferedChange { digest: [1; 32], rows: vec!["rm -rf x".to_owned()], names: Vec::new(), reason: None };
    let mut gate = gate();
    let digest = gate.show(GateOffer::apply(step.clone(), change, RequestSource::LocalUi).unwrap()).unwrap();
    let answer = ApprovalAnswer { step, digest, from: RequestSource::LocalUi, by: "pts/1".to_owned() };
    let error = scene.finish(gate.approve(&answer).unwrap(), never()).await.unwrap_err();
    assert_eq!(error.to_string(), "a change to files was approved, and that is not a command");
}

/// Prints what it could do, inside and outside of the workspace.
const WORKER: &str = r#"#!/usr/bin/env -S zsh -f
zmodload zsh/net/tcp zsh/system
could() { "${@:2}" >/dev/null 2>&1 && print -r -- $1 }
write() { print x >$1 }
append() { print x >>$1 }
empty() { : >$1 }
link() { ln $1 $2 && print x >>$2 }
through() { ln -s $1 $2 && print x >>$2 }
could null write /dev/null
could errors write /dev/stderr
could read cat ../outside/kept
for place in . ../outside; do
  could $place/write write $place/new
  could $place/append append $place/kept
  could $place/empty empty $place/kept
  could $place/truncate truncate -s 0 $place/kept
  could $place/directory mkdir $place/directory
  could $place/symlink ln -s x $place/dangling
  could $place/fifo mkfifo $place/fifo
  could $place/move mv $place/moved $place/moved.to
  could $place/remove rm $place/removed
done
could out-rename mv mine ../outside/mine
could out-link ln mine2 ../outside/mine2
could in-rename mv ../outside/theirs theirs
could in-link link ../outside/theirs2 theirs2
could through through ../outside/kept through
could leads ln -s ../outside leads
could into write leads/new
could temp write $TMPDIR/x
could temp-over mv mine3 $TMPDIR/mine3
could terminal sh -c 'test -w /dev/pts/ptmx && : >/dev/pts/ptmx'
could network ztcp 127.0.0.1 PORT
print -r -- $TMPDIR
"#;

fn stage(scene: &Scene) -> std::net::TcpListener {
    let network = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = network.local_addr().unwrap().port().to_string();
    for place in ["workspace", "outside"] {
        for name in ["kept", "moved", "removed"] {
            scene.write(&format!("{place}/{name}"), "kept\n");
        }
    }
    for name in ["workspace/mine", "workspace/mine2", "workspace/mine3", "outside/theirs", "outside/theirs2"] {
        scene.write(name, "kept\n");
    }
    scene.program("worker", &WORKER.replace("PORT", &port));
    network
}

fn could(shown: &str) -> String {
    let words = shown.split_whitespace().filter(|word| !word.starts_with('/'));
    words.collect::<Vec<_>>().join(" ")
}

const INSIDE: &str = "./write ./append ./empty ./truncate ./directory ./symlink ./fifo ./move ./remove";

#[tokio::test]
async fn a_confined_command_writes_in_the_workspace_only() {
    if sandbox::check().is_err() {
        return;
    }
    let free = Scene::new();
    let _network = stage(&free);
    let outside = INSIDE.replace("./", "../outside/");
    assert_eq!(
        // Not every machine has a terminal.
        could(&free.shows("worker").await).replace(" terminal", ""),
        format!(
            "Exit(0) null errors read {INSIDE} {outside} out-rename out-link in-rename in-link through leads into temp temp-over network"
        ),
        "the worker itself is able to do all of it"
    );
    let scene = Scene::new().confined();
    let _network = stage(&scene);
    let shown = scene.shows("worker").await;
    assert_eq!(could(&shown), format!("Exit(0) null errors read {INSIDE} leads temp temp-over network"));
    assert_eq!(scene.names("outside"), ["kept", "moved", "removed", "theirs", "theirs2"]);
    for name in scene.names("outside") {
        assert_eq!(scene.text(&format!("outside/{name}")), "kept\n", "{name}");
    }
    // Its temporary directory was its own, and has been removed.
    let temp = shown.lines().last().unwrap();
    assert!(temp.starts_with(scene.root.join("tmp/aside-").to_str().unwrap()), "{temp}");
    assert!(scene.names("tmp").is_empty());
}

#[tokio::test]
async fn a_confined_shell_has_its_here_documents_and_leaves_no_temporary_file() {
    if sandbox::check().is_err() {
        return;
    }
    for dialect in SHELLS {
        let scene = Scene::new().read_by(dialect).confined();
        let text = match dialect {
            Dialect::Zsh => "cat <<<here; cat <<E\nthere\nE\ncat =(echo where)",
            Dialect::Bash => "cat <<<here; cat <<E\nthere\nE\ncat <(echo where)",
            Dialect::Fish => "echo here; echo there; cat (echo where | psub -f)",
        };
        assert_eq!(scene.shows(text).await, "Exit(0) here\nthere\nwhere\n", "{dialect:?}");
        scene.run("sh -c 'mkdir -p $TMPDIR/a/b; ln -s / $TMPDIR/a/root; echo x >$TMPDIR/a/b/c; chmod 500 $TMPDIR/a/b $TMPDIR/a'").await;
        assert!(scene.names("tmp").is_empty(), "{dialect:?}");
    }
}

#[tokio::test]
async fn a_confined_command_reads_no_shared_memory_and_sets_no_priority_but_its_own() {
    if sandbox::check().is_err() {
        return;
    }
    let memory = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    let name = memory.path().file_name().unwrap().display();
    let reads = format!(
        "for place in /dev/shm /run/shm /var/run/shm /proc/self/root/dev/shm /proc/self/root/run/shm; do cat $place/{name} 2>/dev/null && echo $place; done"
    );
    // Groups stand for users here: if it were not refused, all processes of this user would be slowed down.
    let sets = r#"perl -e 'foreach my $kind (0, 1) { print "kind $kind\n" if setpriority($kind, 0, 19) }'"#;
    let free = Scene::new();
    assert!(free.shows(&reads).await.contains("/dev/shm"));
    assert_eq!(free.shows(sets).await, "Exit(0) kind 0\nkind 1\n");
    let scene = Scene::new().confined();
    assert!(!scene.shows(&reads).await.contains("shm"));
    assert_eq!(scene.shows(sets).await, "Exit(0) kind 0\n");
}

#[tokio::test]
async fn what_git_may_run_later_is_told_when_a_confined_command_changed_it() {
    if sandbox::check().is_err() {
        return;
    }
    let scene = Scene::new().confined();
    exec::git_in(&scene.root.join("workspace"), &["init", "-q"]);
    assert_eq!(scene.shows("git status --porcelain; echo x >y; git add y").await, "Exit(0) ");
    let shown = scene.shows("echo x >.git/hooks/pre-commit; git config alias.x y; echo done").await;
    let note = |name: &str| format!("… it changed {name}, by which git may run commands later\n");
    assert_eq!(shown, format!("Exit(0) done\n{}{}", note(".git/config"), note(".git/hooks/pre-commit")));
}

#[tokio::test]
async fn what_nobody_looked_at_reads_and_does_nothing_else() {
    if sandbox::check().is_err() {
        return;
    }
    for dialect in SHELLS {
        let scene = Scene::new().read_by(dialect);
        let _network = stage(&scene);
        let worker = scene.text("bin/worker");
        scene.program("whoami", &worker.replace("print -r -- $TMPDIR", "print -r -- pager $PAGER $LD_PRELOAD $TOKEN"));
        // One in the workspace, first on PATH, is not used.
        std::fs::create_dir(scene.root.join("workspace/bin")).unwrap();
        scene.write("workspace/bin/whoami", "#!/bin/sh\necho evil\n");
        let path = scene.root.join("workspace/bin/whoami");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let before = scene.environment.iter().find(|(name, _)| name == "PATH").unwrap().1.display().to_string();
        let path = format!("{}:bin:{before}", scene.root.join("workspace/bin").display());
        let scene = scene.with("PATH", &path).with("TOKEN", "secret").with("PAGER", "less");
        let rules = "[[allow]]\nprogram = 'whoami'\nwhy = 'it reads'\nhits = ['whoami']\nmisses = ['rm x']\n";
        let rules = Rules::new(RulesFile::read(rules, RuleLayer::Person), RulesFile::default());
        let (offer, step) = scene.offer("whoami", "workspace", &rules);
        let mut gate = gate();
        gate.show(offer).unwrap();
        let approved = gate.pass(&step).unwrap();
        assert_eq!(approved.leave(), Permission::Rules);
        let (finished, said) = scene.finish(approved, never()).await.unwrap();
        assert_eq!(
            (finished.ended, could(&said).as_str()),
            (RunOutcome::Exit(0), "null errors read temp pager cat"),
            "{dialect:?}"
        );
        assert_eq!(scene.names("workspace"), ["bin", "kept", "mine", "mine2", "mine3", "moved", "removed"]);
        assert!(scene.names("tmp").is_empty());
    }
}

#[test]
fn fifty_runs_leave_nothing_behind() {
    let scene = Scene::new();
    let said = oneself("fifty", &scene.root).output().unwrap();
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
}

/// Runs in a process of its own.
async fn fifty() {
    let confined = sandbox::check().is_ok();
    let scene = Scene::new();
    let sleeper = scene.sleeper();
    scene.run("true").await;
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let children = || {
        let own = std::process::id();
        std::fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default()
    };
    let before = (open(), children());
    let scene = if confined { scene.confined() } else { scene };
    for round in 0..50 {
        // Background processes are killed only after a while.
        let leaves = if round % 10 == 0 { "sleeper 600 & (sleeper 600 &);" } else { "" };
        let cmd = format!("echo {round} >$TMPDIR/x; {leaves} echo {round}; exit {round}");
        let shown = scene.shows(&cmd).await;
        assert!(shown.starts_with(&format!("Exit({round}) {round}\n")), "{shown}");
        assert_eq!(shown.contains("in the background"), !leaves.is_empty(), "{shown}");
        assert_eq!(sleeper.pids(), []);
    }
    assert_eq!((open(), children()), before);
    if confined {
        assert!(scene.names("tmp").is_empty());
    }
}

#[test]
fn a_keeper_that_does_not_start_leaves_nothing() {
    for aside in ["#!/nonexistent/interpreter\n", "#!/bin/sh\nexit 127\n", "#!/bin/sh\necho strange\n"] {
        let scene = Scene::new();
        let mut test = oneself("unstarted", &scene.root);
        let said = test.env("ASIDE_TEST_PROGRAM", aside).output().unwrap();
        assert!(said.status.success(), "{aside}: {}", String::from_utf8_lossy(&said.stderr));
    }
}

/// Runs in a process of its own.
async fn unstarted() {
    let scene = Scene::new();
    let program = std::env::var("ASIDE_TEST_PROGRAM").unwrap();
    scene.program("aside", &program);
    let error = scene.finish(scene.approved("true", "workspace"), never()).await.unwrap_err();
    let expected = if program.contains("strange") { Presence::Lost } else { Presence::None };
    assert_eq!(Presence::known(), expected, "{error:#}");
}
