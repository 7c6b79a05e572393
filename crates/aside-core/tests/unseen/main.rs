//! Secrets, destructive lines and harmless requests, judged by sets whose writers have seen neither rules nor code (docs/security.md).
//! The sets are JSON lines below `crates/aside-core/eval/unseen`; `ASIDE_UNSEEN` names another directory with sets of your own, and
//! `ASIDE_UNSEEN_LIST=1` prints every case that came out wrong.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a measurement reads its cases from files and prints what it found"
)]

mod lines;
mod requests;
mod secrets;
mod sets;
mod teach;
