//! A small language model on the CPU: `merge` makes one file of a base and the update of its weights, `model` maps it and runs it in int8,
//! `search` finds the likeliest continuations of a text. Knows nothing of shells, and not how a prompt is written.

pub mod error;
mod file;
mod forward;
mod gguf;
mod hash;
mod kernel;
pub mod merge;
pub mod model;
mod pool;
mod safetensors;
pub mod search;
pub mod tokenizer;
mod unicode;
