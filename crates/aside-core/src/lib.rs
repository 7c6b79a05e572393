//! Decides what Aside shows: text and facts in, values out. Touches no disk, network, clock or thread.

pub mod agent;
pub mod complete;
pub mod detect;
pub mod history;
pub mod suggest;
