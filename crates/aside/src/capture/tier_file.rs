//! The file in which bash and fish find what the daemon captures of them: the shell waits for nothing, and looks there before its next
//! command.

use std::io::Write;
use std::path::Path;

use crate::paths;

/// Writes by atomic rename, since the shell may be reading, and only where no other user can write.
pub fn leave(file: &Path, fields: &[&str]) -> anyhow::Result<()> {
    let Some(dir) = file.parent().filter(|dir| paths::is_private(dir)) else { return Ok(()) };
    let fields: Vec<String> = fields.iter().map(|field| field.replace('\n', " ")).collect();
    let mut whole = tempfile::NamedTempFile::new_in(dir)?;
    whole.write_all((fields.join("\x1f") + "\n").as_bytes())?;
    whole.persist(file)?;
    Ok(())
}
