//! Both stores keep the same promises.

use std::time::Duration;

use aside_relay::store::{Bucket, Note, Put, Queue};
use tokio::time::timeout;

use crate::harness::{PATIENCE, backends};

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
        assert_eq!(store.publish(queue, "a", b"first".to_vec()).await.unwrap(), Put::New);
        assert_eq!(store.publish(queue, "a", b"first".to_vec()).await.unwrap(), Put::Duplicate);
        assert_eq!(store.publish(queue, "b", b"second".to_vec()).await.unwrap(), Put::New);
        assert_eq!(store.publish(Queue::Machine("dev-2"), "c", b"third".to_vec()).await.unwrap(), Put::New);
        let mut items = store.open(queue).await.unwrap();
        let next = async |items: &mut tokio::sync::mpsc::Receiver<aside_relay::store::Item>| {
            timeout(PATIENCE, items.recv()).await.expect("nothing comes").unwrap()
        };
        let first = next(&mut items).await;
        let second = next(&mut items).await;
        assert_eq!((first.body.as_slice(), second.body.as_slice()), (&b"first"[..], &b"second"[..]));
        store.settle(&first.token).await.unwrap();
        store.give_back(&second.token).await.unwrap();
        let again = next(&mut items).await;
        assert_eq!(again.body, b"second");
        store.settle(&again.token).await.unwrap();
        drop(items);
        // Settled is settled, also for the next receiver; its id is still known.
        assert_eq!(store.publish(queue, "b", b"second".to_vec()).await.unwrap(), Put::Duplicate);
        assert_eq!(store.publish(queue, "d", b"fourth".to_vec()).await.unwrap(), Put::New);
        let mut items = store.open(queue).await.unwrap();
        assert_eq!(next(&mut items).await.body, b"fourth");
    }
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
