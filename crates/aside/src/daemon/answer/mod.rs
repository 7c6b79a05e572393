//! One file per request that takes thought.

pub mod complete;
pub mod finished;
pub mod hello;
