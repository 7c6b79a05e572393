//! Ways to the daemon for clients that cannot open its socket. Each is a client of that socket itself, and decides nothing.

pub mod web;
