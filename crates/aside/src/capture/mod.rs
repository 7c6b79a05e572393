//! What commands print, seen from outside the shell: by the pipe of a tmux pane (tmux opens it, sink is at its end), or by a
//! terminal of ours around the shell (proxy). Whatever sees it delivers it to the daemon (deliver). Nothing is written to a
//! disk, and nobody who watches is in the way of what is watched.

pub mod deliver;
pub mod proxy;
pub mod sink;
pub mod tmux;
