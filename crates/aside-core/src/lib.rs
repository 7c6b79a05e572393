//! Decides what Aside shows: text and facts in, values out. Touches no disk, network, clock or thread.

pub mod agent;
pub mod complete;
pub mod detect;
pub mod history;
pub mod line;
pub mod markdown;
pub mod model_output;
pub mod project;
pub mod proto;
pub mod redact;
pub mod safety;
pub mod screen;
pub mod shell_names;
pub mod spec;
pub mod speech_act;
pub mod suggest;
pub mod task;
pub mod text;
pub mod translate;
pub mod world;
