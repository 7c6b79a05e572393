//! A relay as chats, machines and its operator see it: over loopback, with SQLite in a file, and with a real nats-server where
//! `ASIDE_TEST_NATS` says where that is (`make test-relay`).

#![allow(clippy::disallowed_methods, reason = "the store may be a program")]

mod adversarial;
mod delivery;
mod harness;
mod replies;
mod store;
mod wecom;
