//! Measures the specs from outside: by example command lines (`make eval-specs`) and by the programs installed on this machine.
//! Reads the files below `data/spec`, so that a changed spec is measured without a build. See docs/specs.md.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a measurement reads its cases from files, starts programs and prints what it found"
)]

mod examples;
mod learn;
mod library;
mod programs;
mod uses;
