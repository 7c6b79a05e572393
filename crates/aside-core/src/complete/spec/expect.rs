//! Which kinds of words are expected at the cursor, for the sources of files, commands and variables. Offers nothing
//! itself.

use crate::complete::ask::Ask;
use crate::complete::spec::reach::{self, Reach};
use crate::line::{Redirect, Role, Spot};
use crate::spec::kind::{Free, Kind};
use crate::spec::walk::Next;
use crate::world::Live;

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
    pub files: Option<Files>,
    pub live: Vec<Live>,
    /// A name that does not exist yet.
    pub new: bool,
    /// A package; a file must then be typed with a slash to be told from one.
    pub package: bool,
    /// Bytes at the beginning of `Spot::typed` that are not part of the value: `--file=`, `if=`, `-I`.
    pub skip: usize,
    /// The last argument repeats: given values need not be offered again.
    pub repeats: bool,
    /// Base directory of paths, when a flag such as `git -C` moved the command away from the shell's directory.
    pub directory: Option<String>,
}

/// Which files are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    pub which: Which,
    /// Accepted names when `which` is `File`; any when empty. Directories are included as the way there.
    pub globs: Vec<Box<str>>,
    /// A name that does not exist would be wrong.
    pub must_exist: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
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
        Self { anything: true, files: Some(Files::any()), ..Self::default() }
    }

    fn command() -> Self {
        Self { command: true, ..Self::default() }
    }

    fn file(which: Which, must_exist: bool) -> Self {
        Self { files: Some(Files { which, globs: Vec::new(), must_exist }), ..Self::default() }
    }
}

impl Files {
    fn any() -> Self {
        Self { which: Which::Any, globs: Vec::new(), must_exist: false }
    }
}

pub fn expected(ask: &Ask<'_>, spot: &Spot<'_>) -> Expected {
    match &spot.role {
        Role::Name => Expected::command(),
        Role::Argument(number) => match spot.command {
            Some(command) => argument(ask, command, *number, &spot.typed),
            None => Expected::anything(),
        },
        Role::Target(Redirect::Read) => Expected::file(Which::File, true),
        Role::Target(Redirect::Write | Redirect::Append) => Expected::file(Which::File, false),
        Role::Target(Redirect::Descriptor | Redirect::HereDocument | Redirect::HereString) => Expected::default(),
        Role::Value(_) => Expected::anything(),
        Role::Variable => Expected { variable: true, ..Expected::default() },
        Role::Other => Expected::default(),
    }
}

/// What the word with this number may be, given the typed part.
pub fn argument(ask: &Ask<'_>, command: &crate::line::Command, number: usize, typed: &str) -> Expected {
    let reached = match reach::reach(ask, command, number) {
        Reach::Spec(reached) => reached,
        Reach::Command => return Expected::command(),
        Reach::Unknown => return Expected::anything(),
    };
    let directory = match reached.walk.moves.as_slice() {
        [] => None,
        _ => match reach::directory(ask, &reached) {
            Some(moved) => Some(moved),
            // The directory is unknown, so the files are too.
            None => return Expected::default(),
        },
    };
    let expected = match reached.walk.next(typed) {
        Next::Nothing => Expected::default(),
        Next::Command => Expected::command(),
        Next::Flag => Expected { listed: true, ..Expected::default() },
        Next::Value { flag, skip } => {
            let kinds = flag.takes.as_ref().map_or(&[][..], |takes| &takes.kinds);
            Expected { skip, ..of(kinds) }
        }
        Next::Argument { kinds, subcommand } => {
            let expected = of(kinds);
            Expected { listed: expected.listed || subcommand, repeats: reached.walk.spec().args.repeats, ..expected }
        }
    };
    Expected { directory, ..expected }
}

/// The combination of several kinds.
pub fn of(kinds: &[Kind]) -> Expected {
    let mut expected = Expected::default();
    let mut may_be_new = false;
    for kind in kinds {
        match kind {
            Kind::File(globs) => add(&mut expected.files, Which::File, globs),
            Kind::Directory => add(&mut expected.files, Which::Directory, &[]),
            Kind::Path => add(&mut expected.files, Which::Any, &[]),
            Kind::Program => {
                add(&mut expected.files, Which::Program, &[]);
                expected.command = true;
            }
            Kind::List(_) => expected.listed = true,
            Kind::Free(Free::New) => {
                expected.new = true;
                may_be_new = true;
            }
            Kind::Free(Free::Package) => {
                expected.package = true;
                may_be_new = true;
            }
            Kind::Free(Free::Text | Free::Pattern | Free::Url) => may_be_new = true,
            Kind::Free(Free::Number | Free::Port | Free::Date | Free::Size | Free::Mode) | Kind::ManPage => {}
            Kind::Command => expected.command = true,
            Kind::Variable => expected.variable = true,
            Kind::Live(live) => expected.live.push(*live),
        }
    }
    if let Some(files) = &mut expected.files {
        files.must_exist &= !may_be_new;
    }
    expected
}

fn add(files: &mut Option<Files>, which: Which, globs: &[Box<str>]) {
    match files {
        None => *files = Some(Files { which, globs: globs.to_vec(), must_exist: true }),
        Some(files) => {
            let limited = files.which == which && !files.globs.is_empty() && !globs.is_empty();
            files.globs = if limited { [&*files.globs, globs].concat() } else { Vec::new() };
            if files.which != which {
                files.which = Which::Any;
            }
        }
    }
}
