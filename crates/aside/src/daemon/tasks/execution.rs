//! Carries out an approved action once: a command through `exec`, a change through `apply`. Uses what the approval holds; the proposal is
//! only compared with it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aside_task::event::ActOutcome;
use aside_task::gate::approve::Approved;
use aside_task::proposal::Proposal;
use aside_task::route::intent::ApprovalAction;
use shell_line::Dialect;
use tokio::sync::watch;

use crate::apply;
use crate::apply::undo_log::UndoLog;
use crate::daemon::tasks::offer;
use crate::exec::run::{self, Limits, RunOutcome};
use crate::workspace::Workspace;

/// Where an action runs, and its limits.
pub struct ExecutionContext {
    pub workspace: Workspace,
    pub dialect: Dialect,
    /// `NAME=value` pairs of the terminal that approved; empty for the daemon's own environment.
    pub environment: Vec<String>,
    pub aside: PathBuf,
    pub undo_log: Arc<UndoLog>,
    pub timeout: Duration,
    pub bytes: usize,
    /// Identifies a change after a crash.
    pub label: String,
    pub approved: Approved,
}

/// Runs the action. The error is for the user.
pub async fn perform(
    action: ApprovalAction,
    proposal: Proposal,
    ground: ExecutionContext,
    stop: watch::Receiver<bool>,
    say: impl FnMut(&str) + Send,
) -> Result<ActOutcome, String> {
    match action {
        ApprovalAction::RunCommand => command(ground, stop, say).await,
        ApprovalAction::ApplyDiff => write(proposal, ground).await,
    }
}

async fn command(
    ground: ExecutionContext,
    stop: watch::Receiver<bool>,
    say: impl FnMut(&str) + Send,
) -> Result<ActOutcome, String> {
    let variables = ground.environment.iter().filter_map(|variable| variable.split_once('='));
    let variables: Vec<(OsString, OsString)> = variables.map(|(name, value)| (name.into(), value.into())).collect();
    let place = run::RunContext {
        workspace: ground.workspace.root(),
        dialect: ground.dialect,
        environment: &variables,
        aside: &ground.aside,
    };
    let limits = Limits { timeout: ground.timeout, bytes: ground.bytes };
    let finished = run::run(ground.approved, place, limits, stop, say).await.map_err(|error| format!("{error:#}"))?;
    match finished.ended {
        RunOutcome::Exit(exit) => {
            Ok(ActOutcome { summary: format!("exit status {exit}"), exit: Some(exit), ..ActOutcome::default() })
        }
        // The exit status that a shell would report.
        RunOutcome::Signal(signal) => Ok(ActOutcome {
            summary: format!("ended by signal {signal}"),
            exit: Some(128 + signal),
            ..ActOutcome::default()
        }),
        RunOutcome::TimedOut => Err(format!(
            "it took longer than {} seconds and was stopped; task.timeout_s allows more",
            ground.timeout.as_secs()
        )),
        RunOutcome::Stopped => Err("it was stopped".to_owned()),
    }
}

async fn write(proposal: Proposal, ground: ExecutionContext) -> Result<ActOutcome, String> {
    let Proposal::Diff { unified_diff, .. } = proposal else {
        return Err("there is no change in it".to_owned());
    };
    let written = tokio::task::spawn_blocking(move || {
        use aside_task::gate::offer::{OfferedAct, OfferedChange};
        let OfferedAct::Apply(OfferedChange { digest, .. }) = ground.approved.into_act() else {
            anyhow::bail!("something else was approved");
        };
        let proposal = apply::Proposal::new(ground.workspace.root(), unified_diff.as_bytes())?;
        anyhow::ensure!(
            offer::parse_digest(&proposal.digest().to_string()) == Some(digest),
            "the files are not what they were when you looked; retry it"
        );
        let files = proposal.changes().files().len();
        let receipt = apply::apply(&ground.undo_log, &proposal, proposal.digest(), &ground.label)?;
        anyhow::Ok((files, receipt))
    });
    match written.await {
        Ok(Ok((files, receipt))) => {
            let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
            Ok(ActOutcome {
                summary: format!("changed {files}"),
                undo: Some(receipt.to_string()),
                ..ActOutcome::default()
            })
        }
        Ok(Err(error)) => Err(format!("{error:#}")),
        Err(error) => Err(format!("the change was lost: {error}")),
    }
}
