//! Tracks the open connections of a server and evicts one when there are too many, so that no process can lock the others out.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use crate::exec::taint::Caller;

pub struct Connections {
    most: usize,
    /// Cap on all callers together that are not the user.
    most_of_commands: usize,
    began: Instant,
    open: Mutex<Vec<Arc<Open>>>,
}

struct Open {
    process: Option<i32>,
    caller: Caller,
    /// Milliseconds since the daemon started.
    used: AtomicU64,
    evicted: Notify,
}

/// A connection's slot, held for as long as it is open.
pub struct ConnectionSlot {
    connections: Arc<Connections>,
    open: Arc<Open>,
}

impl Connections {
    pub fn new(most: usize, most_of_commands: usize) -> Arc<Self> {
        Arc::new(Self { most, most_of_commands, began: Instant::now(), open: Mutex::default() })
    }

    pub fn count(&self) -> usize {
        self.locked().len()
    }

    /// When all slots are taken, evicts the longest idle connection of the process that has the most. Returns `None` if commands of tasks
    /// have too many already.
    pub fn admit(self: &Arc<Self>, process: Option<i32>, caller: Caller) -> Option<ConnectionSlot> {
        let mut open = self.locked();
        let of_commands = open.iter().filter(|open| open.caller != Caller::User).count();
        if caller != Caller::User && of_commands >= self.most_of_commands {
            return None;
        }
        while open.len() >= self.most {
            let Some(victim) = victim(&open) else { break };
            open.swap_remove(victim).evicted.notify_one();
        }
        let used = AtomicU64::new(self.now());
        let new = Arc::new(Open { process, caller, used, evicted: Notify::new() });
        open.push(Arc::clone(&new));
        Some(ConnectionSlot { connections: Arc::clone(self), open: new })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn locked(&self) -> MutexGuard<'_, Vec<Arc<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The longest idle connection of the process that has the most.
fn victim(open: &[Arc<Open>]) -> Option<usize> {
    let mut counts: HashMap<Option<i32>, usize> = HashMap::new();
    for open in open {
        *counts.entry(open.process).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    let of_most = open.iter().enumerate().filter(|(_, open)| counts.get(&open.process) == Some(&most));
    of_most.min_by_key(|(_, open)| open.used.load(Ordering::Relaxed)).map(|(number, _)| number)
}

impl ConnectionSlot {
    /// Called when the client has sent something or has read a reply.
    pub fn touch(&self) {
        self.open.used.store(self.connections.now(), Ordering::Relaxed);
    }

    /// Returns when this connection is evicted in favour of another.
    pub async fn evicted(&self) {
        self.open.evicted.notified().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.connections.locked().retain(|open| !Arc::ptr_eq(open, &self.open));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 100;
    const FEW: usize = 10;

    #[test]
    fn one_process_cannot_lock_the_others_out() {
        let connections = Connections::new(MOST, FEW);
        let shell = connections.admit(Some(1), Caller::User).unwrap();
        let flood: Vec<ConnectionSlot> =
            (0..2 * MOST).map(|_| connections.admit(Some(2), Caller::User).unwrap()).collect();
        assert_eq!(connections.count(), MOST);
        assert!(connections.locked().iter().any(|open| Arc::ptr_eq(open, &shell.open)));
        let other = connections.admit(Some(3), Caller::User).unwrap();
        assert_eq!(connections.count(), MOST);
        drop(flood);
        assert_eq!(connections.count(), 2);
        drop((shell, other));
        assert_eq!(connections.count(), 0);
    }

    #[test]
    fn where_all_have_one_the_longest_idle_is_closed() {
        let connections = Connections::new(MOST, FEW);
        let places: Vec<ConnectionSlot> =
            (0..MOST).map(|process| connections.admit(i32::try_from(process).ok(), Caller::User).unwrap()).collect();
        for (number, place) in places.iter().enumerate() {
            place.open.used.store(if number == 7 { 1 } else { 2 }, Ordering::Relaxed);
        }
        let _new = connections.admit(Some(-1), Caller::User).unwrap();
        assert!(!connections.locked().iter().any(|open| Arc::ptr_eq(open, &places[7].open)));
        assert_eq!(connections.count(), MOST);
    }

    #[test]
    fn commands_have_few_places_together() {
        let connections = Connections::new(MOST, FEW);
        let callers = [Caller::Command, Caller::Unknown].into_iter().cycle();
        let admitted: Vec<Option<ConnectionSlot>> = callers
            .take(MOST)
            .enumerate()
            .map(|(process, caller)| connections.admit(i32::try_from(process).ok(), caller))
            .collect();
        assert_eq!(admitted.iter().flatten().count(), FEW);
        assert!(connections.admit(Some(9), Caller::User).is_some());
    }

    #[tokio::test]
    async fn an_evicted_connection_hears_of_it() {
        let connections = Connections::new(MOST, FEW);
        let first = connections.admit(Some(1), Caller::User).unwrap();
        let _others: Vec<ConnectionSlot> =
            (0..MOST).map(|_| connections.admit(Some(1), Caller::User).unwrap()).collect();
        tokio::time::timeout(std::time::Duration::from_secs(5), first.evicted()).await.unwrap();
    }
}
