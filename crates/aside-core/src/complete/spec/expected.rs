//! Which kinds of words are expected at the cursor, for the sources of files, commands and variables. Offers nothing
//! itself.

use aside_commands::spec::kind::{ArgKind, FreeText};
use aside_commands::spec::walk::NextWord;
use aside_commands::world::LiveKind;
use shell_line::{CursorRole, CursorSpot, Redirect};

use crate::complete::context::CompletionContext;
use crate::complete::spec::resolve::{self, Resolution};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expected {
    /// Nothing is known about the command: anything may come, most likely a path.
    pub anything: bool,
    /// The name of a command, as after sudo.
    pub command: bool,
    /// The name of a variable of the environment, without `$`.
    pub variable: bool,
    /// The name of a subcommand, a flag, or a value from a list: the spec source offers these.
    pub listed: bool,
    pub files: Option<ExpectedFiles>,
    pub live: Vec<LiveKind>,
    /// A name that does not exist yet.
    pub new: bool,
    /// A package; a file must then be typed with a slash to be told from one.
    pub package: bool,
    /// Bytes at the beginning of `CursorSpot::typed` that are not part of the value: `--file=`, `if=`, `-I`.
    pub skip: usize,
    /// The last argument repeats: given values need not be offered again.
    pub repeats: bool,
    /// Base directory of paths, when a flag such as `git -C` moved the command away from the shell's directory.
    pub directory: Option<String>,
}

/// Which files are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedFiles {
    pub which: PathKind,
    /// Accepted names when `which` is `File`; any when empty. Directories are included as the way there.
    pub globs: Vec<Box<str>>,
    /// A name that does not exist would be wrong.
    pub must_exist: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// Files and directories.
    Any,
    /// Files; directories only as the way there.
    File,
    Directory,
    /// Executable files.
    Program,
}

impl Expected {
    fn anything() -> Self {
        Self { anything: true, files: Some(ExpectedFiles::any()), ..Self::default() }
    }

    fn command() -> Self {
        Self { command: true, ..Self::default() }
    }

    fn file(which: PathKind, must_exist: bool) -> Self {
        Self { files: Some(ExpectedFiles { which, globs: Vec::new(), must_exist }), ..Self::default() }
    }
}

impl ExpectedFiles {
    fn any() -> Self {
        Self { which: PathKind::Any, globs: Vec::new(), must_exist: false }
    }
}

pub fn expected(context: &CompletionContext<'_>, spot: &CursorSpot<'_>) -> Expected {
    match &spot.role {
        CursorRole::Name => Expected::command(),
        CursorRole::Argument(number) => match spot.command {
            Some(command) => argument(context, command, *number, &spot.typed),
            None => Expected::anything(),
        },
        CursorRole::Target(Redirect::Read) => Expected::file(PathKind::File, true),
        CursorRole::Target(Redirect::Write | Redirect::Append) => Expected::file(PathKind::File, false),
        CursorRole::Target(Redirect::Descriptor | Redirect::HereDocument | Redirect::HereString) => Expected::default(),
        CursorRole::Value(_) => Expected::anything(),
        CursorRole::Variable => Expected { variable: true, ..Expected::default() },
        CursorRole::Other => Expected::default(),
    }
}

/// What the word with this number may be, given the typed part.
pub fn argument(
    context: &CompletionContext<'_>,
    command: &shell_line::Command,
    number: usize,
    typed: &str,
) -> Expected {
    let reached = match resolve::resolve(context, command, number) {
        Resolution::Spec(reached) => reached,
        Resolution::Command => return Expected::command(),
        Resolution::Unknown => return Expected::anything(),
    };
    let directory = match reached.walk.moves.as_slice() {
        [] => None,
        _ => match resolve::directory(context, &reached) {
            Some(moved) => Some(moved),
            // The directory is unknown, so the files are too.
            None => return Expected::default(),
        },
    };
    let expected = match reached.walk.next(typed) {
        NextWord::Nothing => Expected::default(),
        NextWord::Command => Expected::command(),
        NextWord::Flag => Expected { listed: true, ..Expected::default() },
        NextWord::Value { flag, skip } => {
            let kinds = flag.takes.as_ref().map_or(&[][..], |takes| &takes.kinds);
            Expected { skip, ..of(kinds) }
        }
        NextWord::Argument { kinds, subcommand } => {
            let expected = of(kinds);
            Expected { listed: expected.listed || subcommand, repeats: reached.walk.spec().args.repeats, ..expected }
        }
    };
    Expected { directory, ..expected }
}

/// The combination of several kinds.
pub fn of(kinds: &[ArgKind]) -> Expected {
    let mut expected = Expected::default();
    let mut may_be_new = false;
    for kind in kinds {
        match kind {
            ArgKind::File(globs) => add(&mut expected.files, PathKind::File, globs),
            ArgKind::Directory => add(&mut expected.files, PathKind::Directory, &[]),
            ArgKind::Path => add(&mut expected.files, PathKind::Any, &[]),
            ArgKind::Program => {
                add(&mut expected.files, PathKind::Program, &[]);
                expected.command = true;
            }
            ArgKind::List(_) => expected.listed = true,
            ArgKind::Free(FreeText::New) => {
                expected.new = true;
                may_be_new = true;
            }
            ArgKind::Free(FreeText::Package) => {
                expected.package = true;
                may_be_new = true;
            }
            ArgKind::Free(FreeText::Text | FreeText::Pattern | FreeText::Url) => may_be_new = true,
            ArgKind::Free(FreeText::Number | FreeText::Port | FreeText::Date | FreeText::Size | FreeText::Mode)
            | ArgKind::ManPage => {}
            ArgKind::Command => expected.command = true,
            ArgKind::Variable => expected.variable = true,
            ArgKind::Live(live) => expected.live.push(*live),
        }
    }
    if let Some(files) = &mut expected.files {
        files.must_exist &= !may_be_new;
    }
    expected
}

fn add(files: &mut Option<ExpectedFiles>, which: PathKind, globs: &[Box<str>]) {
    match files {
        None => *files = Some(ExpectedFiles { which, globs: globs.to_vec(), must_exist: true }),
        Some(files) => {
            let limited = files.which == which && !files.globs.is_empty() && !globs.is_empty();
            files.globs = if limited { [&*files.globs, globs].concat() } else { Vec::new() };
            if files.which != which {
                files.which = PathKind::Any;
            }
        }
    }
}
