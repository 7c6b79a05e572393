//! Both stores keep the same promises.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aside_relay::store::{Bucket, Item, LEASE, Note, PutOutcome, Queue};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::harness::{Backend, PATIENCE, backends};

const LIFE: Duration = Duration::from_secs(3600);

#[tokio::test]
async fn an_entry_is_changed_by_one_writer_and_is_another_once_it_was_removed() {
    for backend in backends() {
        let store = backend.store(LIFE).await;
        let (bucket, key) = (Bucket::Machines, "li. 王*");
        assert_eq!(store.get(bucket, key).await.unwrap(), None);
        let first = store.put(bucket, key, b"1".to_vec(), 0).await.unwrap().unwrap();
        assert_eq!(store.put(bucket, key, b"x".to_vec(), 0).await.unwrap(), None, "it is there");
        let second = store.put(bucket, key, b"2".to_vec(), first).await.unwrap().unwrap();
        assert_eq!(store.put(bucket, key, b"x".to_vec(), first).await.unwrap(), None, "it has changed");
        assert_eq!(store.get(bucket, key).await.unwrap().unwrap().value, b"2");
        assert_eq!(store.list(bucket).await.unwrap(), [(key.to_owned(), b"2".to_vec())]);
        assert_eq!(store.list(Bucket::Codes).await.unwrap(), []);
        assert!(!store.remove(bucket, key, first).await.unwrap());
        assert!(store.remove(bucket, key, second).await.unwrap());
        assert_eq!(store.get(bucket, key).await.unwrap(), None);
        let third = store.put(bucket, key, b"3".to_vec(), 0).await.unwrap().unwrap();
        assert!(![first, second].contains(&third));
    }
}

#[tokio::test]
async fn an_item_comes_until_it_is_settled_and_is_put_in_once() {
    for backend in backends() {
        let store = backend.store(LIFE).await;
        let queue = Queue::Machine("dev-1");
        assert_eq!(store.publish(queue, "li", "a", b"first".to_vec()).await.unwrap(), PutOutcome::New);
        assert_eq!(store.publish(queue, "li", "a", b"first".to_vec()).await.unwrap(), PutOutcome::Duplicate);
        assert_eq!(store.publish(queue, "li", "b", b"second".to_vec()).await.unwrap(), PutOutcome::New);
        assert_eq!(
            store.publish(Queue::Machine("dev-2"), "li", "c", b"third".to_vec()).await.unwrap(),
            PutOutcome::New
        );
        let mut items = store.open(queue).await.unwrap();
        let first = next(&mut items).await;
        let second = next(&mut items).await;
        assert_eq!((first.body.as_slice(), second.body.as_slice()), (&b"first"[..], &b"second"[..]));
        store.settle(&first.token).await.unwrap();
        drop(items);
        let mut items = store.open(queue).await.unwrap();
        let again = next(&mut items).await;
        assert_eq!(again.body, b"second");
        store.settle(&again.token).await.unwrap();
        drop(items);
        // Settled is settled, also for the next receiver; its id is still known.
        assert_eq!(store.publish(queue, "li", "b", b"second".to_vec()).await.unwrap(), PutOutcome::Duplicate);
        assert_eq!(store.publish(queue, "li", "d", b"fourth".to_vec()).await.unwrap(), PutOutcome::New);
        let mut items = store.open(queue).await.unwrap();
        assert_eq!(next(&mut items).await.body, b"fourth");
    }
}

/// As when a machine connects to another copy before its first connection is known to be dead.
#[tokio::test]
async fn a_new_receiver_takes_over_all_that_was_handed_out_in_order_and_the_one_before_gets_no_more() {
    for backend in backends() {
        let (one, two) = match &backend {
            Backend::Sqlite(_) => {
                let store = backend.store(LIFE).await;
                (Arc::clone(&store), store)
            }
            Backend::Nats(_) => (backend.store(LIFE).await, backend.store(LIFE).await),
        };
        let queue = Queue::Machine("dev-1");
        let put = async |number: usize| {
            let id = number.to_string();
            assert_eq!(one.publish(queue, "li", &id, id.clone().into_bytes()).await.unwrap(), PutOutcome::New);
        };
        for number in 0..20 {
            put(number).await;
        }
        let mut before = one.open(queue).await.unwrap();
        for number in 0..5 {
            assert_eq!(next(&mut before).await.body, number.to_string().into_bytes());
        }
        let begun = Instant::now();
        let mut after = two.open(queue).await.unwrap();
        put(20).await;
        for number in 0..=20 {
            let item = next(&mut after).await;
            assert_eq!(item.body, number.to_string().into_bytes());
            two.settle(&item.token).await.unwrap();
        }
        assert!(begun.elapsed() < LEASE, "it did not wait for the one before");
        // What was on its way to it still comes, and then nothing any more.
        while timeout(PATIENCE, before.recv()).await.expect("it is not closed").is_some() {}
        put(21).await;
        assert_eq!(next(&mut after).await.body, b"21");
    }
}

async fn next(items: &mut mpsc::Receiver<Item>) -> Item {
    timeout(PATIENCE, items.recv()).await.expect("nothing comes").unwrap()
}

#[tokio::test]
async fn notes_reach_every_copy_and_the_log_keeps_its_order() {
    for backend in backends() {
        let store = backend.store(LIFE).await;
        let mut notes = store.notes().await.unwrap();
        let note = Note::Changed { machine: "dev-1".to_owned() };
        store.tell(note.clone()).await.unwrap();
        assert_eq!(timeout(PATIENCE, notes.recv()).await.unwrap(), Some(note));
        for line in ["one", "two", "three"] {
            store.audit(line.to_owned()).await.unwrap();
        }
        assert_eq!(store.audited(2).await.unwrap(), ["two", "three"]);
        assert_eq!(store.audited(100).await.unwrap(), ["one", "two", "three"]);
    }
}
