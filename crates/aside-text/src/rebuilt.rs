//! Values that take much memory and can be made again, such as compiled expressions: made when they are used, kept while the process is
//! busy, and dropped by `release`, which the daemon calls when it is idle.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Made on first use, and again on the first use after `release`.
pub struct Rebuilt<T>(Arc<Slot<T>>);

struct Slot<T>(Mutex<Option<Arc<T>>>);

trait Release: Send + Sync {
    fn release(&self);
}

/// What was made since the last release.
static MADE: Mutex<Vec<Weak<dyn Release>>> = Mutex::new(Vec::new());
/// Entries before those are looked for whose owner is gone. Values that live for one request would fill the list otherwise.
const SWEEP_AT: usize = 4096;

/// Drops everything that is not in use and can be made again.
pub fn release() {
    let made = std::mem::take(&mut *locked(&MADE));
    for slot in made.iter().filter_map(Weak::upgrade) {
        slot.release();
    }
}

impl<T: Send + Sync + 'static> Rebuilt<T> {
    /// The value, if it is there.
    pub fn get(&self) -> Option<Arc<T>> {
        locked(&self.0.0).clone()
    }

    /// `None` when the value cannot be made; the next call tries again.
    pub fn get_or_try_make(&self, make: impl FnOnce() -> Option<T>) -> Option<Arc<T>> {
        let mut slot = locked(&self.0.0);
        if let Some(value) = &*slot {
            return Some(Arc::clone(value));
        }
        let value = Arc::new(make()?);
        *slot = Some(Arc::clone(&value));
        drop(slot);
        let owner: Arc<dyn Release> = Arc::clone(&self.0) as _;
        let mut made = locked(&MADE);
        if made.len() >= SWEEP_AT && made.len() == made.capacity() {
            made.retain(|slot| slot.strong_count() > 0);
        }
        made.push(Arc::downgrade(&owner));
        Some(value)
    }
}

impl<T: Send + Sync> Release for Slot<T> {
    fn release(&self) {
        *locked(&self.0) = None;
    }
}

impl<T> Default for Rebuilt<T> {
    fn default() -> Self {
        Self(Arc::new(Slot(Mutex::new(None))))
    }
}

/// Both copies use one value.
impl<T> Clone for Rebuilt<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Rebuilt<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Rebuilt")
    }
}

fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_value_is_made_again_when_it_is_used() {
        let numbers = Rebuilt::default();
        assert_eq!(*numbers.get_or_try_make(|| Some(1)).unwrap(), 1);
        let kept = numbers.clone().get_or_try_make(|| Some(2)).unwrap();
        release();
        assert_eq!(numbers.get(), None);
        assert_eq!(
            (*kept, *numbers.get_or_try_make(|| Some(3)).unwrap()),
            (1, 3),
            "a value that is in use stays whole"
        );
    }

    #[test]
    fn values_whose_owner_is_gone_do_not_pile_up() {
        for number in 0..3 * SWEEP_AT {
            Rebuilt::default().get_or_try_make(|| Some(number));
        }
        assert!(locked(&MADE).len() <= 2 * SWEEP_AT);
    }
}
