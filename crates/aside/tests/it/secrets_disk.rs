//! No file of Aside's contains a secret that `redact` recognises: commands as recorded and imported, tasks with their inputs and
//! output, and files from an earlier version.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::home::{Home, Said};
use crate::harness::patience;
use crate::harness::scene::Scene;
use crate::harness::tasks::TaskClient;

const HISTORY: &str = ".local/share/aside/history.db";

/// Everyday command lines, and the secret in each.
const COMMANDS: [(&str, &str); 46] = [
    ("export DB_PASSWORD=kx81-Lantern", "kx81-Lantern"),
    ("PGPASSWORD='kx82-Lantern' psql -h db", "kx82-Lantern"),
    ("MYSQL_PWD=kx83-Lantern mysql shop", "kx83-Lantern"),
    ("mysql -u root -pkx84Lantern shop", "kx84Lantern"),
    ("mysqldump --password=kx85Lantern shop", "kx85Lantern"),
    ("psql postgres://me:kx86Lantern@db/shop", "kx86Lantern"),
    ("redis-cli -h db -a kx87Lantern ping", "kx87Lantern"),
    ("mongosh -u me -p kx88Lantern", "kx88Lantern"),
    ("curl -u me:kx89Lantern https://host/v1", "kx89Lantern"),
    ("curl -H 'Authorization: Bearer kx90LanternZq7Wm' https://host", "kx90LanternZq7Wm"),
    ("curl -H 'X-Api-Key: kx91LanternZq7Wm' https://host", "kx91LanternZq7Wm"),
    ("curl 'https://host/v1?access_token=kx92LanternZq7Wm'", "kx92LanternZq7Wm"),
    ("curl -b 'session=kx93LanternZq7WmT4' -H 'Cookie: session=kx93LanternZq7WmT4' https://host", "kx93LanternZq7WmT4"),
    ("git clone https://me:kx94Lantern@host/a/b.git", "kx94Lantern"),
    ("git push https://oauth2:glpat-kx95LanternZq7WmT4b@host/a.git", "glpat-kx95LanternZq7WmT4b"),
    ("sshpass -p kx96Lantern ssh host", "kx96Lantern"),
    ("docker login -u me -p kx97Lantern registry", "kx97Lantern"),
    ("echo kx98Lantern | docker login --password-stdin registry", "kx98Lantern"),
    ("echo kx99Lantern | sudo -S apt update", "kx99Lantern"),
    ("echo 'me:ky10Lantern' | sudo chpasswd", "ky10Lantern"),
    ("htpasswd -b passwords me ky11Lantern", "ky11Lantern"),
    ("zip -P ky12Lantern a.zip a", "ky12Lantern"),
    ("7z x -pky13Lantern a.7z", "ky13Lantern"),
    ("openssl enc -aes256 -pass pass:ky14Lantern -in a", "ky14Lantern"),
    ("gh secret set DEPLOY --body ky15Lantern", "ky15Lantern"),
    ("kubectl create secret generic s --from-literal=password=ky16Lantern", "ky16Lantern"),
    (
        "aws configure set aws_secret_access_key ky17LanternZq7WmT4bVx2NpRs8Kd3Hf6Jg9Ll1",
        "ky17LanternZq7WmT4bVx2NpRs8Kd3Hf6Jg9Ll1",
    ),
    ("export AWS_SECRET_ACCESS_KEY=ky18LanternZq7WmT4bVx2NpRs8Kd3Hf6Jg9Ll1", "ky18LanternZq7WmT4bVx2NpRs8Kd3Hf6Jg9Ll1"),
    ("echo AKIAZ3QWE7RTY2UIP5LK", "AKIAZ3QWE7RTY2UIP5LK"),
    ("export GITHUB_TOKEN=ghp_q8Zr4Tn2LwK7vB3xM9pS5dF1gH6jC0yT4aXe", "ghp_q8Zr4Tn2LwK7vB3xM9pS5dF1gH6jC0yT4aXe"),
    (
        "set -gx OPENAI_API_KEY sk-proj-q8Zr4Tn2LwK7vB3xM9pS5dF1gH6jC0yT4aXe7Ub2",
        "sk-proj-q8Zr4Tn2LwK7vB3xM9pS5dF1gH6jC0yT4aXe7Ub2",
    ),
    ("SLACK_TOKEN=xoxb-482910573846-q8Zr4Tn2LwK7vB3xM9pS5dF1 ./post", "xoxb-482910573846-q8Zr4Tn2LwK7vB3xM9pS5dF1"),
    ("stripe listen --api-key sk_live_q8Zr4Tn2LwK7vB3xM9pS5dF1", "sk_live_q8Zr4Tn2LwK7vB3xM9pS5dF1"),
    (
        "npm config set //registry/:_authToken npm_q8Zr4Tn2LwK7vB3xM9pS5dF1gH6jC0yT4aXe",
        "npm_q8Zr4Tn2LwK7vB3xM9pS5dF1gH6jC0yT4aXe",
    ),
    ("huggingface-cli login --token hf_q8Zr4Tn2LwKvBxMpSdFgHjCyTaXeUbQwNm", "hf_q8Zr4Tn2LwKvBxMpSdFgHjCyTaXeUbQwNm"),
    ("tool --client-secret ky19LanternZq7Wm", "ky19LanternZq7Wm"),
    ("az login --service-principal -u id --password ky20LanternZq7Wm", "ky20LanternZq7Wm"),
    ("curl -d '{\"user\":\"a\",\"password\":\"ky21Lantern\"}' https://host", "ky21Lantern"),
    ("wget --http-password=ky22Lantern https://host/a", "ky22Lantern"),
    ("ssh host \"mysql -pky23Lantern shop\"", "ky23Lantern"),
    ("docker run -e POSTGRES_PASSWORD=ky24Lantern postgres", "ky24Lantern"),
    ("snmpwalk -v3 -A ky25Lantern 10.0.0.1", "ky25Lantern"),
    ("wpa_passphrase HomeNet 'ky26 Lantern phrase'", "ky26 Lantern phrase"),
    ("echo eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.Qk3vZ9wLm2pTx7Rb", "eyJzdWIiOiIxMjM0In0.Qk3vZ9wLm2pTx7Rb"),
    ("ansible-playbook site.yml -e ansible_become_password=ky27Lantern", "ky27Lantern"),
    ("echo API_TOKEN=ky28LanternZq7Wm >> .env", "ky28LanternZq7Wm"),
];

/// Stored whatever the setting is.
const EVERYDAY: [&str; 6] = [
    "git checkout 8cb84041a2f3e5d6c7b8a9f0e1d2c3b4a5968778",
    "docker login --password-stdin",
    "export GITHUB_TOKEN=$(pass show github)",
    "mysql -u root -p shop",
    "ssh -i ~/.ssh/id_ed25519 me@host uptime",
    "curl -fsSL https://host:8080/a@b",
];

fn home(history: &str) -> Home {
    let home = Home::new();
    home.write(".config/aside/config.toml", format!("[history]\n{history}\n"));
    home
}

fn starts(home: &Home) {
    home.aside_does(&["daemon", "start"]);
}

fn records(home: &Home, seq: usize, command: &str) {
    let answer = home.wire().json(json!({
        "type": "finished", "request_id": 1, "session_id": "s", "seq": seq, "command": command, "cwd": "/tmp",
        "exit_status": 0, "start_ms": 1_700_000_000_000_u64 + seq as u64, "duration_ms": 1, "shell": "zsh",
    }));
    assert_eq!(answer["type"], "ok", "{command}: {answer}");
}

/// Every file that Aside writes. The test's own files are elsewhere.
fn files(home: &Home) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut left: Vec<PathBuf> =
        [".local/share/aside", ".local/state/aside", ".cache"].map(|dir| home.path(dir)).to_vec();
    left.extend(home.socket().parent().map(Path::to_owned));
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                left.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    assert!(!found.is_empty());
    found
}

/// The files that contain these bytes.
fn holding(home: &Home, secret: &str) -> Vec<PathBuf> {
    let holds = |file: &PathBuf| {
        let bytes = std::fs::read(file).unwrap_or_default();
        bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
    };
    files(home).into_iter().filter(holds).collect()
}

#[track_caller]
fn holds_no_secret(home: &Home) {
    for (command, secret) in COMMANDS {
        assert_eq!(holding(home, secret), Vec::<PathBuf>::new(), "{command}");
    }
}

fn stored(home: &Home) -> Vec<String> {
    let Said { stdout, .. } = home.aside(&["history", "search", "--json", "--limit", "10000"]);
    let rows: Vec<Value> = serde_json::from_str(&stdout).unwrap();
    rows.iter().map(|row| row["command"].as_str().unwrap().to_owned()).collect()
}

/// The daemon's candidates for a line that begins with `left`.
fn offered(home: &Home, left: &str) -> String {
    let asked = json!({
        "type": "complete", "request_id": 1, "session_id": "s", "cwd": "/tmp", "buffer_left": left, "left": left,
        "shell": "zsh", "wait": true,
    });
    home.wire().json(asked).to_string()
}

fn records_all(home: &Home) {
    let everyday = EVERYDAY.iter().copied();
    for (number, command) in COMMANDS.iter().map(|(command, _)| *command).chain(everyday).enumerate() {
        records(home, number + 1, command);
    }
}

#[test]
fn secrets_are_not_recorded_by_default() {
    let home = home("");
    starts(&home);
    records_all(&home);
    assert_eq!(stored(&home), EVERYDAY);
    let status = home.aside_does(&["daemon", "status"]).stdout;
    assert!(status.contains(&format!("withheld  {} commands", COMMANDS.len())), "{status}");
    holds_no_secret(&home);
    assert!(!offered(&home, "export DB_P").contains("Lantern"));
    home.aside_does(&["daemon", "stop"]);
    holds_no_secret(&home);
}

#[test]
fn secrets_are_recorded_redacted_and_never_offered() {
    let home = home("secrets = 'redact'");
    home.write(".ssh/id_ed25519", "");
    starts(&home);
    records_all(&home);
    let stored = stored(&home);
    assert_eq!(stored.len(), COMMANDS.len() + EVERYDAY.len());
    assert!(stored.contains(&"sshpass -p [redacted] ssh host".to_owned()), "{stored:#?}");
    holds_no_secret(&home);
    for left in ["sshpass", "sshpass -p ", "mysql -u root -p", "docker login -u me "] {
        let offered = offered(&home, left);
        assert!(!offered.contains("[redacted]") && !offered.contains("Lantern"), "{left}: {offered}");
    }
    // Nor are they offered by a daemon that reads them from disk.
    home.aside_does(&["daemon", "stop"]);
    starts(&home);
    assert!(!offered(&home, "sshpass").contains("[redacted]"));
    assert!(offered(&home, "ssh -i").contains("uptime"));
    holds_no_secret(&home);
}

#[test]
fn secrets_are_kept_when_the_user_says_so() {
    let home = home("secrets = 'keep'");
    starts(&home);
    records_all(&home);
    assert_eq!(stored(&home).len(), COMMANDS.len() + EVERYDAY.len());
    assert!(offered(&home, "export DB_P").contains("kx81-Lantern"));
    for (command, secret) in COMMANDS {
        assert_ne!(holding(&home, secret), Vec::<PathBuf>::new(), "{command}");
    }
    // With that setting it is not an error, and the clean-up leaves it alone.
    let said = home.aside_does(&["privacy", "clean"]);
    assert!(said.stdout.contains("history.secrets is keep"), "{}", said.stdout);
    assert_eq!(stored(&home).len(), COMMANDS.len() + EVERYDAY.len());
}

#[test]
fn secrets_typed_into_a_shell_are_not_recorded() {
    let mut scene = Scene::zsh().start();
    scene.runs("echo one");
    scene.runs("export DB_PASSWORD=kx81-Lantern");
    scene.runs("true mysql -pkx84Lantern; MYSQL_PWD=kx83-Lantern true");
    scene.runs("echo two");
    let deadline = Instant::now() + patience();
    while stored(&scene.home).len() < 2 {
        assert!(Instant::now() < deadline, "{:?}", stored(&scene.home));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(stored(&scene.home), ["echo one", "echo two"]);
    holds_no_secret(&scene.home);
}

/// The same commands in each program's own history format.
fn written(home: &Home, source: &str) -> PathBuf {
    let file = home.path(&format!("theirs/{source}"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let commands = || COMMANDS.iter().map(|(command, _)| *command).chain(EVERYDAY);
    let number = |number: usize| 1_700_000_000 + number;
    let text: String = match source {
        "zsh" => commands().enumerate().map(|(at, command)| format!(": {}:0;{command}\n", number(at))).collect(),
        "bash" => commands().enumerate().map(|(at, command)| format!("#{}\n{command}\n", number(at))).collect(),
        "fish" => {
            let escaped = |command: &str| command.replace('\\', "\\\\");
            let entry = |(at, command)| format!("- cmd: {}\n  when: {}\n", escaped(command), number(at));
            commands().enumerate().map(entry).collect()
        }
        _ => {
            let database = rusqlite::Connection::open(&file).unwrap();
            database.execute_batch("CREATE TABLE history (command TEXT, timestamp INTEGER)").unwrap();
            for (at, command) in commands().enumerate() {
                let row = rusqlite::params![command, (number(at) as i64) * 1_000_000_000];
                database.execute("INSERT INTO history VALUES (?, ?)", row).unwrap();
            }
            return file;
        }
    };
    std::fs::write(&file, text).unwrap();
    file
}

#[test]
fn secrets_are_not_imported_from_any_history() {
    for source in ["zsh", "bash", "fish", "atuin"] {
        for (setting, rows) in [
            ("skip", EVERYDAY.len()),
            ("redact", COMMANDS.len() + EVERYDAY.len()),
            ("keep", COMMANDS.len() + EVERYDAY.len()),
        ] {
            let home = home(&format!("secrets = '{setting}'"));
            let file = written(&home, source);
            let said = home.aside_does(&["history", "import", source, file.to_str().unwrap()]);
            assert_eq!(stored(&home).len(), rows, "{source} {setting}: {}", said.stdout);
            match setting {
                "keep" => assert_ne!(holding(&home, "kx96Lantern"), Vec::<PathBuf>::new()),
                _ => holds_no_secret(&home),
            }
            if setting == "skip" {
                let left_out = format!("{} left out for a secret in them", COMMANDS.len());
                assert!(said.stdout.contains(&left_out), "{}", said.stdout);
            }
        }
    }
}

#[test]
fn secrets_are_not_imported_by_the_daemon_either() {
    let home = home("");
    let file = written(&home, "zsh");
    starts(&home);
    let hello = json!({
        "type": "hello", "request_id": 1, "protocol": 1, "shell": "zsh", "session_id": "s",
        "histfile": file.to_str().unwrap(),
    });
    home.wire().json(hello);
    let deadline = Instant::now() + patience();
    while stored_if_any(&home).len() < EVERYDAY.len() {
        assert!(Instant::now() < deadline, "the history was not imported");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(stored(&home).len(), EVERYDAY.len());
    holds_no_secret(&home);
}

fn stored_if_any(home: &Home) -> Vec<String> {
    if home.path(HISTORY).exists() { stored(home) } else { Vec::new() }
}

#[test]
fn secrets_of_an_earlier_version_are_found_and_cleaned_up() {
    for daemon in [false, true] {
        let home = home("secrets = 'keep'");
        let file = written(&home, "zsh");
        home.aside_does(&["history", "import", "zsh", file.to_str().unwrap()]);
        let theirs = std::fs::read(&file).unwrap();
        home.write(".config/aside/config.toml", "");
        home.write(
            ".local/state/aside/interactions.jsonl",
            "{\"ts\":\"2026-01-01T00:00:00Z\",\"session\":\"s\",\"action\":\"run\",\"buffer\":\"mysql -pkx84Lantern shop\",\
             \"suggestion\":\"x\",\"source\":\"llm\",\"confidence\":0.5,\"cwd\":\"/\"}\n{\"torn\":\"mysql -pkx84Lantern sh",
        );
        home.write(
            ".local/state/aside/wrong.jsonl",
            "{\"ts\":\"2026-01-01T00:00:00Z\",\"line\":\"make sure mysql -pkx84Lantern works\"}\n",
        );
        home.write(".local/state/aside/tasks/t1.damaged", "{\"text\":\"mysql -pkx84Lantern shop\"}\nnonsense\n");
        let tasks = home.path(".local/state/aside/tasks");
        std::fs::set_permissions(tasks, std::fs::Permissions::from_mode(0o700)).unwrap();
        if daemon {
            starts(&home);
            assert!(offered(&home, "export DB_P").contains("kx81-Lantern"));
        }
        let doctor = home.aside(&["doctor"]).stdout;
        let wants = format!("secrets are stored in {} commands, 4 lines of logs", COMMANDS.len());
        assert!(doctor.contains(&wants) && doctor.contains("aside privacy clean"), "{doctor}");
        assert!(!doctor.contains("Lantern"), "{doctor}");
        let dry = home.aside_does(&["privacy", "clean", "--dry-run"]).stdout;
        assert!(dry.contains(&format!("{} commands of the history would be removed", COMMANDS.len())), "{dry}");
        assert!(dry.contains("[redacted]") && !dry.contains("Lantern"), "{dry}");
        assert_eq!(stored(&home).len(), COMMANDS.len() + EVERYDAY.len(), "nothing is changed yet");

        let said = home.aside_does(&["privacy", "clean"]).stdout;
        let wants = format!("{} commands of the history removed\n4 other lines: secrets taken out\n", COMMANDS.len());
        assert_eq!(said, wants);
        assert_eq!(stored(&home), EVERYDAY);
        holds_no_secret(&home);
        for file in files(&home).iter().filter(|file| file.starts_with(home.path(".local"))) {
            let mode = std::fs::metadata(file).unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{}", file.display());
        }
        assert_eq!(std::fs::read(&file).unwrap(), theirs, "the shell's own file is not ours");
        assert_eq!(home.aside_does(&["privacy", "clean"]).stdout, "no secret found in what is stored\n");
        assert!(home.aside(&["doctor"]).stdout.contains("no secret found in what is stored"));
        if daemon {
            let deadline = Instant::now() + patience();
            while offered(&home, "export DB_P").contains("Lantern") {
                assert!(Instant::now() < deadline, "the daemon still offers it");
                std::thread::sleep(Duration::from_millis(20));
            }
            records(&home, 1000, "echo after");
            assert!(stored(&home).contains(&"echo after".to_owned()));
        }
    }
}

#[test]
fn secrets_are_redacted_in_place_when_the_user_says_so() {
    let home = home("secrets = 'keep'");
    let file = written(&home, "bash");
    home.aside_does(&["history", "import", "bash", file.to_str().unwrap()]);
    home.write(".config/aside/config.toml", "[history]\nsecrets = 'redact'\n");
    let said = home.aside_does(&["privacy", "clean"]).stdout;
    assert_eq!(said, format!("{} commands of the history redacted\n", COMMANDS.len()));
    assert_eq!(stored(&home).len(), COMMANDS.len() + EVERYDAY.len());
    holds_no_secret(&home);
    assert_eq!(home.aside_does(&["privacy", "clean"]).stdout, "no secret found in what is stored\n");
}

fn project(settings: &str) -> (Home, TaskClient) {
    let home = Home::new();
    home.write(".config/aside/config.toml", settings);
    home.write("project/.git/HEAD", "ref: refs/heads/main\n");
    home.write(
        "project/show.sh",
        "printf 'DB_PASS'; sleep 0.2; printf 'WORD=kx8'; sleep 0.1; echo 1-Lantern; echo done\n",
    );
    starts(&home);
    let person = TaskClient::at(&home, &home.path("project"));
    (home, person)
}

#[test]
fn secrets_of_a_task_are_in_no_file() {
    let (home, mut ada) = project("");
    let cwd = home.path("project").display().to_string();
    let asked = ada.says(
        "ask",
        json!({
            "text": "run `sh show.sh mysql -pkx84Lantern`", "cwd": cwd, "shell": "bash",
            "selection": "PASSWORD = 'kx85Lantern'", "diagnostics": "error near token=kx92LanternZq7Wm",
        }),
    );
    let task = asked["tasks"][0]["taskId"].as_str().unwrap_or_else(|| panic!("{asked}")).to_owned();
    assert!(!asked.to_string().contains("Lantern"), "{asked}");
    ada.watches(&task, 0);
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    holds_no_secret(&home);
    // The user approves the unredacted command, and exactly that one runs.
    let shown = ada.sees(&task);
    assert_eq!(shown.row("command"), ["sh show.sh mysql -pkx84Lantern"]);
    assert_eq!(ada.approves(&shown)["type"], "task");
    let events = ada.hears_until(&task, &["COMPLETED", "FAILED"]);
    let output: String = events.iter().filter_map(|event| event["chunk"].as_str()).collect();
    assert!(output.contains("[redacted]") && output.ends_with("done\n"), "{output}");
    assert_eq!(events.last().unwrap()["state"], "COMPLETED", "{events:#?}");
    holds_no_secret(&home);
    // A retry in the same daemon still has the original in memory.
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(ada.says("retry", json!({ "taskId": task }))["type"], "task");
    ada.watches(&task, 0);
    ada.hears_until(&task, &["COMPLETED"]);
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    assert_eq!(ada.sees(&task).row("command"), ["sh show.sh mysql -pkx84Lantern"]);
    // The next daemon does not, and says so instead of running something else.
    home.aside_does(&["daemon", "stop"]);
    starts(&home);
    let mut ada = TaskClient::at(&home, &home.path("project"));
    ada.watches(&task, 0);
    let end = ada.hears_until(&task, &["FAILED"]).pop().unwrap();
    assert_eq!(end["message"], "it had a secret in it, which is not kept on disk; retry it", "{end}");
    holds_no_secret(&home);
}

#[test]
fn a_proposal_without_a_secret_still_waits_for_the_next_daemon() {
    let (home, mut ada) = project("");
    let task = ada.asks("run `sh show.sh`");
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    home.aside_does(&["daemon", "stop"]);
    starts(&home);
    let mut ada = TaskClient::at(&home, &home.path("project"));
    ada.says("list", json!({}));
    let deadline = Instant::now() + patience();
    while ada.says("show", json!({ "taskId": task }))["offer"].is_null() {
        assert!(Instant::now() < deadline);
    }
    assert_eq!(ada.sees(&task).row("command"), ["sh show.sh"]);
    holds_no_secret(&home);
}

#[test]
fn a_change_with_a_secret_in_it_is_written_and_taken_back_byte_for_byte() {
    let model = crate::model::Model::start();
    let url = model.base_url();
    let (home, mut ada) = project(&format!(
        "[complete]\nmodel_min_chars = 100\n[llm]\nprovider = 'openai'\nbase_url = '{url}'\nmodel = 'scripted'\n\
         timeout_connect_ms = 10000\n"
    ));
    home.write("project/app.py", "PORT = 1\n");
    let diff = "--- a/app.py\n+++ b/app.py\n@@ -1 +1,2 @@\n-PORT = 1\n+PORT = 2\n+DB_PASSWORD = 'kx81-Lantern'\n";
    model.next(crate::model::scripted_reply::ScriptedReply::chat(&format!("So.\n\n```diff\n{diff}```\n")));
    let task = ada.asks("change PORT to 2 in app.py and add DB_PASSWORD = 'kx81-Lantern'");
    assert_eq!(ada.rests(&task)["state"], "WAITING_APPROVAL");
    holds_no_secret(&home);
    let shown = ada.sees(&task);
    assert!(shown.text.contains("+DB_PASSWORD = 'kx81-Lantern'"), "{}", shown.text);
    ada.approves(&shown);
    assert_eq!(ada.ends(&task)["state"], "COMPLETED");
    assert_eq!(home.read("project/app.py"), "PORT = 2\nDB_PASSWORD = 'kx81-Lantern'\n");
    let undone = ada.says("undo", json!({ "taskId": task, "by": "a test" }));
    assert_eq!(undone["type"], "task", "{undone}");
    assert_eq!(home.read("project/app.py"), "PORT = 1\n");
}

#[test]
fn logs_of_tasks_of_an_earlier_version_are_cleaned_up() {
    for daemon in [false, true] {
        let (home, mut ada) = project("");
        let task = ada.asks("run `sh show.sh`");
        ada.rests(&task);
        let shown = ada.sees(&task);
        ada.approves(&shown);
        ada.ends(&task);
        home.aside_does(&["daemon", "stop"]);
        // As an earlier version would have written it.
        let log = format!(".local/state/aside/tasks/{task}.jsonl");
        let old = home
            .read(&log)
            .replace("[redacted]", "kx81-Lantern")
            .replace("sh show.sh", "sh show.sh; mysql -pkx84Lantern");
        home.write(&log, &old);
        assert!(old.contains("kx81-Lantern") && old.contains("kx84Lantern"), "{old}");
        if daemon {
            starts(&home);
            TaskClient::at(&home, &home.path("project")).says("list", json!({}));
        }
        assert!(home.aside(&["doctor"]).stdout.contains("secrets are stored in 1 log of a task"));
        assert!(home.aside_does(&["privacy", "clean", "--dry-run"]).stdout.contains("1 task log would be redacted"));
        assert_eq!(home.aside_does(&["privacy", "clean"]).stdout, "1 task log: secrets taken out\n");
        holds_no_secret(&home);
        assert_eq!(home.aside_does(&["privacy", "clean"]).stdout, "no secret found in what is stored\n");
        starts(&home);
        let list = TaskClient::at(&home, &home.path("project")).says("list", json!({}));
        assert!(list["tasks"][0]["text"].as_str().unwrap().contains("-p[redacted]"), "{list}");
        let mut ada = TaskClient::at(&home, &home.path("project"));
        ada.watches(&task, 0);
        assert_eq!(ada.ends(&task)["state"], "COMPLETED", "it can still be read");
    }
}
