//! Captures what commands print, from outside the shell: at the end of a tmux pane's pipe (`sink`), or in a pty of ours around the shell
//! (`proxy`). Both send it to the daemon (`deliver`). Nothing is written to disk, and capturing never blocks the terminal.

pub mod deliver;
pub mod proxy;
pub mod sink;
pub mod tier_file;
pub mod tmux;
