//! Reads a server's key from where the settings say it is. Keeps only the header, marked as sensitive so that it is never printed; no error
//! quotes it.

use reqwest::header::HeaderValue;

use crate::config::endpoint::Key;
use crate::exec::{self, Probe};
use crate::provider::Failure;

/// Blocks: the user may have to unlock a keyring first.
pub fn header(key: &Key, before: &str) -> Result<Option<HeaderValue>, Failure> {
    let (setting, found) = match key {
        Key::None => return Ok(None),
        Key::Variable(name) => {
            let missing =
                || format!("the daemon's environment has no {name}; run `aside daemon stop` in a shell that has it");
            ("api_key_env", std::env::var(name).map_err(|_| missing()))
        }
        Key::Command(line) => {
            let found = exec::probe(&Probe::Key(line));
            ("api_key_cmd", found.ok_or_else(|| "the command failed, or took too long".to_owned()))
        }
        Key::Keyring(name) => {
            let missing = || format!("the keyring has no key for service aside and user {name}, or cannot be asked");
            ("api_key_keyring", exec::probe(&Probe::Keyring(name)).ok_or_else(missing))
        }
    };
    let wrong = |why: &str| Failure::Settings(format!("llm.{setting}: {why}"));
    let found = found.map_err(|why| wrong(&why))?;
    // Further lines of a command's output are not part of the key.
    let line = found.trim().lines().next().unwrap_or_default();
    if line.is_empty() {
        return Err(wrong("there is no key where it says"));
    }
    let mut header =
        HeaderValue::from_str(&format!("{before}{line}")).map_err(|_| wrong("what is there cannot be a key"))?;
    header.set_sensitive(true);
    Ok(Some(header))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Result<Option<HeaderValue>, Failure> {
        header(&Key::Command(line.to_owned()), "Bearer ")
    }

    #[test]
    fn a_key_is_one_line_and_is_not_shown() {
        let key = command("printf 'sesame\\nuser: me\\n'").unwrap().unwrap();
        assert_eq!(key.to_str().unwrap(), "Bearer sesame");
        assert!(!format!("{key:?}").contains("sesame"));
        assert_eq!(header(&Key::None, ""), Ok(None));
    }

    #[test]
    fn a_key_that_is_not_there_is_named_by_its_setting() {
        let why = |key| header(&key, "").unwrap_err().to_string();
        assert_eq!(why(Key::Command("false".into())), "llm.api_key_cmd: the command failed, or took too long");
        assert_eq!(why(Key::Command("true".into())), "llm.api_key_cmd: there is no key where it says");
        assert_eq!(why(Key::Command("printf 'se\\001same'".into())), "llm.api_key_cmd: what is there cannot be a key");
        assert!(why(Key::Variable("ASIDE_NO_SUCH".into())).starts_with("llm.api_key_env: the daemon's environment"));
    }
}
