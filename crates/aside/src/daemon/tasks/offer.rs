//! Builds the offer that the user is asked to approve from a proposal and this machine: judged by the rules, checked against the files,
//! with a digest of everything. The gate shows and approves it.

use std::path::Path;
use std::sync::Arc;

use aside_proto as proto;
use aside_proto::task::OfferRow;
use aside_task::diff::resolve::ResolvedChanges;
use aside_task::event::{ApprovalDigest, TaskId};
use aside_task::gate::offer::{GateOffer, OfferStep, OfferedAct, OfferedChange, OfferedRun};
use aside_task::gate::render;
use aside_task::gate::{Decision, GateContext};
use aside_task::input::ProposalDraft;
use aside_task::proposal::{FileSummary, Proposal, UserRequest};
use aside_task::remote::asked_by;
use ring::digest::{SHA256, digest};
use shell_line::Dialect;

use crate::apply;
use crate::daemon::blocking_io;
use crate::daemon::state::{SessionRef, State};
use crate::daemon::tasks::rules;
use crate::workspace::Workspace;
use crate::world::Environment;
use crate::world::blocking::BlockingWorld;

/// Bytes of a reason that the user reads before approving.
const MAX_REASON: usize = 2000;

/// Everything that an offer depends on besides the proposal.
pub struct OfferBuilder {
    pub state: Arc<State>,
    pub id: TaskId,
    pub request: UserRequest,
    pub workspace: Workspace,
}

impl OfferBuilder {
    pub async fn of(state: Arc<State>, id: TaskId, request: UserRequest) -> Result<Self, String> {
        let workspace = workspace(&request).await.map_err(|error| format!("{error:#}"))?;
        Ok(Self { state, id, request, workspace })
    }

    /// Builds the offer, or none for a proposal that only says something. Blocks: reads files. The error is for the user.
    pub fn make(&self, mut draft: ProposalDraft, number: u32) -> Result<(ProposalDraft, Option<GateOffer>), String> {
        let step = OfferStep { task: self.id.to_string(), number };
        let offer = match &mut draft.proposal {
            Proposal::Plan { .. } | Proposal::Answer { .. } | Proposal::SearchResults { .. } => {
                return Ok((draft, None));
            }
            Proposal::Command { cmd, cwd, reason, confine } => {
                let place = self.within(cwd.as_deref())?;
                // The user approves what is shown, so the directory is shown by its real path.
                *cwd = Some(place.clone());
                let reason = reason.as_ref().map(|reason| bounded(reason));
                let command =
                    OfferedRun { cmd: cmd.clone(), cwd: place, environment: Vec::new(), reason, confine: *confine };
                self.command(step, command)?
            }
            Proposal::Diff { diff_id, unified_diff, files } => {
                let read = |diff: &str| {
                    let proposal = apply::Proposal::new(self.workspace.root(), diff.as_bytes());
                    proposal.map_err(|error| format!("{error:#}"))
                };
                // The rendered diff is parsed again, so that what is shown is what is written.
                let shown = read(unified_diff)?.changes().diff();
                *unified_diff = String::from_utf8(shown)
                    .map_err(|_| "a file is not UTF-8, so its change cannot be shown; change it by hand")?;
                let proposal = read(unified_diff)?;
                let changes = proposal.changes();
                *files = summaries(changes);
                *diff_id = format!("{}.{number}", self.id);
                let digest = parse_digest(proposal.digest().to_string().as_str()).ok_or("the change has no digest")?;
                let (rows, names) = (changes.rows(), changes.names());
                let change = OfferedChange { digest, rows, names, reason: Some(bounded(&draft.summary)) };
                GateOffer::apply(step, change, self.request.source).map_err(|unfit| unfit.to_string())?
            }
        };
        if offer.verdict().decision() == Decision::Deny {
            return Err(format!("a rule forbids it: {}; `aside task rules` lists them", offer.verdict().explain()));
        }
        draft.digest = Some(plain(&offer));
        Ok((draft, Some(offer)))
    }

    fn command(&self, step: OfferStep, command: OfferedRun) -> Result<GateOffer, String> {
        let (names, dialect) = self.shell();
        let rules = rules::load(self.state.paths(), self.workspace.root());
        let rules = rules.blocking(&self.state.config().security.command_blocklist);
        // Looked up now instead of cached, so that what a command would overwrite is shown at once, and is the same for every daemon.
        let mut environment = Environment::own();
        if let Some(path) = &names.path {
            environment.path = Arc::from(path.as_ref());
        }
        let now = BlockingWorld::new(environment);
        let root = self.workspace.root().to_str().ok_or("the path of the workspace is not UTF-8")?;
        let cwd = command.cwd.clone();
        let UserRequest { source, ref meta, .. } = self.request;
        let place = GateContext { source, untrusted: meta.untrusted, dialect, cwd: &cwd, workspace: root };
        GateOffer::run(step, command, &place, &rules, &now).map_err(|unfit| unfit.to_string())
    }

    /// The dialect in which the command is parsed.
    pub fn dialect(&self) -> Dialect {
        self.shell().1
    }

    fn shell(&self) -> (Arc<aside_commands::shell_names::ShellNames>, Dialect) {
        let meta = &self.request.meta;
        let (names, dialect) = self.state.shell(SessionRef { session: &meta.session, shell: &meta.shell, wait: true });
        // The shell named in the request counts, even after its session has ended.
        (names, if meta.shell.is_empty() { dialect } else { Dialect::of(&meta.shell) })
    }

    /// A directory of the workspace, absolute and with links resolved.
    fn within(&self, cwd: Option<&str>) -> Result<String, String> {
        let wanted = cwd.map_or(self.workspace.cwd().to_owned(), |cwd| self.workspace.root().join(cwd));
        let real = wanted.canonicalize().map_err(|error| format!("could not open {}: {error}", wanted.display()))?;
        if !real.starts_with(self.workspace.root()) || !real.is_dir() {
            return Err(format!("{} is no directory of the workspace; ask there", real.display()));
        }
        let real = real.to_str().ok_or("the path of the directory is not UTF-8")?;
        Ok(real.to_owned())
    }
}

/// The digest of the offer alone, independent of the daemon that shows it.
pub fn plain(offer: &GateOffer) -> ApprovalDigest {
    let hex = hex(&sha256(&offer.bytes()));
    ApprovalDigest::of_hex(&hex).unwrap_or_else(|| unreachable!("SHA-256 has 64 digits"))
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest(&SHA256, bytes).as_ref());
    out
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Parses a digest that a client sent.
pub fn parse_digest(hex: &str) -> Option<[u8; 32]> {
    let hex = ApprovalDigest::of_hex(hex)?;
    let mut out = [0; 32];
    for (place, byte) in out.iter_mut().enumerate() {
        *byte = u8::from_str_radix(hex.as_str().get(place * 2..place * 2 + 2)?, 16).ok()?;
    }
    Some(out)
}

/// The wire form of an offer.
pub fn to_wire(
    offer: &GateOffer,
    digest: &[u8; 32],
    proposal: &Proposal,
    request: &UserRequest,
) -> proto::task::ApprovalOffer {
    let rows = render::offer_rows(offer).into_iter();
    let rows = rows.map(|row| OfferRow { label: row.label.name().to_owned(), text: row.text });
    // The remote user comes first, since the user who is asked to approve may take the request for their own.
    let from = asked_by(request).map(|text| OfferRow { label: "from".to_owned(), text });
    let rows = from.into_iter().chain(rows).collect();
    let (action, confine) = match offer.act() {
        OfferedAct::Run(command) => ("run_command", command.confine.name()),
        OfferedAct::Apply(_) => ("apply_diff", "no"),
    };
    let text = match proposal {
        Proposal::Command { cmd, .. } => cmd.clone(),
        Proposal::Diff { unified_diff, .. } => unified_diff.clone(),
        Proposal::Plan { text } | Proposal::Answer { text } => text.clone(),
        Proposal::SearchResults { .. } => String::new(),
    };
    proto::task::ApprovalOffer {
        task_id: offer.step().task.clone(),
        step: offer.step().number,
        digest: hex(digest),
        action: action.to_owned(),
        rows,
        text,
        confine: confine.to_owned(),
    }
}

fn summaries(changes: &ResolvedChanges) -> Vec<FileSummary> {
    let one = |change: &aside_task::diff::resolve::ResolvedFile| {
        let (additions, deletions) = change.counts();
        FileSummary { path: change.name().to_string(), additions, deletions }
    };
    changes.files().iter().map(one).collect()
}

fn bounded(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_REASON)).unwrap_or_default().replace('\0', "")
}

/// The workspace of a request. Fails if the directory belongs to another workspace now.
pub async fn workspace(request: &UserRequest) -> anyhow::Result<Workspace> {
    let cwd = request.meta.cwd.clone();
    let workspace = blocking_io::run(&request.meta.cwd, move || Workspace::of(Path::new(&cwd))).await??;
    anyhow::ensure!(
        workspace.root().to_str() == Some(request.meta.workspace.as_str()),
        "{} is in another workspace now; ask anew",
        request.meta.cwd
    );
    Ok(workspace)
}
