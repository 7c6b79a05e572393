//! What the scripted daemon suggests when a command has ended, `Next::is("git push -u origin main")`, and the marks around commands.

use crate::harness::scene::Scene;

#[derive(Clone, Default)]
pub struct Suggestion {
    state: &'static str,
    command: String,
    source: &'static str,
    warning: String,
}

impl Suggestion {
    pub fn is(command: &str) -> Self {
        Self { state: "done", command: command.to_owned(), source: "rule", warning: String::new() }
    }

    pub fn nothing() -> Self {
        Self { state: "done", ..Self::default() }
    }

    /// No suggestion yet; more may follow.
    pub fn thinking() -> Self {
        Self { state: "thinking", ..Self::default() }
    }

    pub fn so_far(mut self) -> Self {
        self.state = "thinking";
        self
    }

    pub fn warns(mut self, warning: &str) -> Self {
        warning.clone_into(&mut self.warning);
        self
    }

    pub fn record(&self, number: &str) -> Vec<u8> {
        let Self { state, command, source, warning } = self;
        let fields = [number, "next", state, command, source, "it usually helps", warning, "0.75"];
        (fields.join("\x1f") + "\0").into_bytes()
    }
}

/// Aside's marks without their secret: `C 3 80x24` and `D 3 1`. fish 4 writes its own marks as well.
pub fn marks(scene: &Scene) -> Vec<String> {
    let brief = |mark: &str| {
        let (_, mark) = mark.split_once(';').expect("a number, then more");
        match mark.strip_prefix("C;aside=") {
            Some(begin) => {
                let parts: Vec<&str> = begin.split('.').collect();
                assert_eq!((parts.len(), parts[0].len()), (4, 16), "{mark}");
                format!("C {} {}x{}", parts[1], parts[2], parts[3])
            }
            None => {
                let (exit, end) = mark.strip_prefix("D;").and_then(|end| end.split_once(";aside=")).expect("an end");
                format!("D {} {exit}", end.split_once('.').expect("a number").1)
            }
        }
    };
    scene.command_marks().iter().filter(|(mark, _)| mark.contains(";aside=")).map(|(mark, _)| brief(mark)).collect()
}
