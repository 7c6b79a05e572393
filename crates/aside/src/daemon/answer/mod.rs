//! One file per request that takes thought.

pub mod ask;
pub mod complete;
pub mod detect;
pub mod explain;
pub mod finished;
pub mod hello;
pub mod outcome;
pub mod translate;
