//! One command that ran, as the history's index takes it in.

#[derive(Clone, Copy, Debug)]
pub struct RunRecord<'a> {
    pub command: &'a str,
    pub cwd: Option<&'a str>,
    pub exit: Option<i32>,
    /// The shell session it ran in.
    pub session: Option<&'a str>,
    /// That session was private.
    pub private: bool,
}
