//! The whole way from two files to answers, with a tiny made-up model, and with the real one where ASIDE_TEST_READER names its merged file.

mod adversarial;
mod answers;
mod damage;
mod real;
mod tiny;
