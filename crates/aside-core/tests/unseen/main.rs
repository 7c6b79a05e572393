//! Secrets, destructive lines and harmless requests, measured by sets whose authors have seen neither rules nor code
//! (docs/security.md). The sets are JSON lines below `crates/aside-core/eval/unseen`; `ASIDE_UNSEEN` names another directory with
//! your own sets, and `ASIDE_UNSEEN_LIST=1` prints every case that failed.

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
