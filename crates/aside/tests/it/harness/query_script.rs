//! The scripted daemon's replies to a query: `Say::done("rm -r old").warns("deletes files").or("trash old")`.

#[derive(Clone)]
pub struct QueryReply {
    state: &'static str,
    note: String,
    commands: Vec<Command>,
}

#[derive(Clone)]
struct Command {
    text: String,
    description: String,
    warning: String,
    nearness: &'static str,
}

impl QueryReply {
    pub fn waiting() -> Self {
        Self { state: "waiting", note: String::new(), commands: Vec::new() }
    }

    pub fn thinking() -> Self {
        Self { state: "thinking", ..Self::waiting() }
    }

    /// A model's partial output; more follows.
    pub fn partial(text: &str) -> Self {
        Self { state: "partial", ..Self::waiting() }.or(text)
    }

    pub fn done(text: &str) -> Self {
        Self { state: "done", ..Self::waiting() }.or(text)
    }

    pub fn nothing(note: &str) -> Self {
        Self { state: "done", note: note.to_owned(), commands: Vec::new() }
    }

    /// Adds another command; what follows in the chain describes it.
    pub fn or(mut self, text: &str) -> Self {
        let (description, warning) = (String::new(), String::new());
        self.commands.push(Command { text: text.to_owned(), description, warning, nearness: "answer" });
        self
    }

    pub fn means(mut self, description: &str) -> Self {
        description.clone_into(&mut self.last().description);
        self
    }

    pub fn warns(mut self, warning: &str) -> Self {
        warning.clone_into(&mut self.last().warning);
        self
    }

    pub fn closest(mut self) -> Self {
        self.last().nearness = "closest";
        self
    }

    pub fn notes(mut self, note: &str) -> Self {
        note.clone_into(&mut self.note);
        self
    }

    pub fn record(&self, number: &str) -> Vec<u8> {
        let Self { state, note, commands } = self;
        let mut record = format!("{number}\x1ftranslate\x1f{state}\x1f{note}\x1f{}", commands.len());
        for Command { text, description, warning, nearness } in commands {
            record += &format!("\x1f{text}\x1fembedded\x1f0.9\x1f{description}\x1f{warning}\x1f{nearness}");
        }
        record.push('\0');
        record.into_bytes()
    }

    fn last(&mut self) -> &mut Command {
        self.commands.last_mut().expect("a command to speak of")
    }
}
