//! Fuzz targets: for arbitrary input nothing panics, nothing hangs, and the stated properties hold. `make fuzz` runs each for ten minutes,
//! guided by coverage; `make test` replays the corpus and a fixed number of mutations.

mod edits;
mod histories;
mod lines;
mod patches;
mod replies;
mod rules;
mod screen;
mod secrets;
mod specs;
mod wecom;
mod wire;
