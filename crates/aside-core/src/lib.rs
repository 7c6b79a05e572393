//! Decides what Aside shows: text and facts in, values out. Touches no disk, network, clock or thread.

pub mod agent;
pub mod complete;
pub mod detect;
pub mod history;
pub mod line;
pub mod markdown;
pub mod mood;
pub mod names;
pub mod project;
pub mod proto;
pub mod redact;
pub mod safety;
pub mod said;
pub mod screen;
pub mod spec;
pub mod suggest;
pub mod task;
pub mod text;
pub mod translate;
pub mod world;
