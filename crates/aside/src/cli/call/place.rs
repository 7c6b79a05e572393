//! Where bash or fish runs, told to a daemon that does not know it, and what that says about it, left for the shell in a
//! file: it waits for nobody, and looks there before its next command.

use std::io::Write;
use std::path::Path;

use aside_core::proto::ended::{Capture, Recall, Recalled};
use aside_core::proto::{Call, Request, record};

use crate::cli::call::ask;
use crate::paths::{self, Paths};

/// `knows` is the tier that the shell goes by. A file is left only when it is another one.
pub fn tell(paths: &Paths, asked: Capture, file: &Path, knows: &str) -> anyhow::Result<()> {
    let recall = Recall { session: asked.session.clone(), limit: 1, ..Recall::default() };
    // One that knows another tier than the shell does has to say more; one that knows none is new.
    if tier_of(&answer(paths, Request::Recall(recall))?).is_some_and(|tier| tier == knows) {
        return Ok(());
    }
    let said = answer(paths, Request::Capture(asked))?;
    let [_, verb, tier, _, skip, skip_bare] = &said[..] else { return Ok(()) };
    if verb == "capture" && tier != knows && file.parent().is_some_and(paths::is_private) {
        leave(file, &[tier, skip, skip_bare])?;
    }
    Ok(())
}

/// The fields of what the daemon says.
fn answer(paths: &Paths, request: Request) -> anyhow::Result<Vec<String>> {
    let answer = ask(paths, &record::encode_call(&Call::new(1, request)))?;
    Ok(answer.split('\x1f').map(str::to_owned).collect())
}

fn tier_of(said: &[String]) -> Option<String> {
    let [_, verb, recalled] = said else { return None };
    let recalled: Option<Recalled> = serde_json::from_str(recalled).ok().filter(|_| verb == "recall");
    recalled.map(|recalled| recalled.tier)
}

/// All at once: the shell may be reading.
fn leave(file: &Path, fields: &[&str]) -> anyhow::Result<()> {
    let fields: Vec<String> = fields.iter().map(|field| field.replace('\n', " ")).collect();
    let mut whole = tempfile::NamedTempFile::new_in(file.parent().unwrap_or(Path::new(".")))?;
    whole.write_all((fields.join("\x1f") + "\n").as_bytes())?;
    whole.persist(file)?;
    Ok(())
}
