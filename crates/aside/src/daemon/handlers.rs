//! Request handlers, one file per kind of request.

pub mod ask;
pub mod capture;
pub mod captured;
pub mod complete;
pub mod detect;
pub mod explain;
pub mod finished;
pub mod hello;
pub mod outcome;
pub mod recall;
pub mod suggest;
pub mod task;
pub mod translate;
