//! Tells a daemon that does not know it where bash or fish runs, and leaves the reply in a file: the shell waits for nothing, and looks
//! there before its next command.

use std::path::Path;

use aside_proto::command_ended::{CaptureParams, RecallParams, RecallResult};
use aside_proto::{Call, Request, record};

use crate::capture::tier_file;
use crate::cli::call::ask;
use crate::paths::Paths;

/// `knows` is the tier that the shell goes by. Writes the file only if the daemon knows another one.
pub fn announce(paths: &Paths, asked: CaptureParams, file: &Path, knows: &str) -> anyhow::Result<()> {
    let recall = RecallParams { session: asked.session.clone(), limit: 1, ..RecallParams::default() };
    // A daemon with the same tier has nothing to add. One with another tier does, and one that has none is new.
    if tier_of(&answer(paths, Request::Recall(recall))?).is_some_and(|tier| tier == knows) {
        return Ok(());
    }
    let said = answer(paths, Request::Capture(asked))?;
    let [_, verb, tier, _, skip, skip_bare] = &said[..] else { return Ok(()) };
    if verb == "capture" && tier != knows {
        tier_file::leave(file, &[tier, skip, skip_bare])?;
    }
    Ok(())
}

/// The fields of the daemon's reply.
fn answer(paths: &Paths, request: Request) -> anyhow::Result<Vec<String>> {
    let answer = ask(paths, &record::encode_call(&Call::new(1, request)))?;
    Ok(answer.split('\x1f').map(str::to_owned).collect())
}

fn tier_of(said: &[String]) -> Option<String> {
    let [_, verb, recalled] = said else { return None };
    let recalled: Option<RecallResult> = serde_json::from_str(recalled).ok().filter(|_| verb == "recall");
    recalled.map(|recalled| recalled.tier)
}
