//! What a relay is for: a message of a user reaches their machine once, whatever happens on the way, and the answer reaches the chat.

use std::sync::Arc;
use std::time::Duration;

use aside_relay::protocol::{ToMachine, ToRelay};
use aside_relay::relay::Accepted;
use aside_relay::store::{MAX_WAITING, MAX_WAITING_OF_USER};
use serde_json::{Value, json};

use crate::harness::{Backend, Chat, Nats, PATIENCE, backends, call, site, site_with, sqlite};

#[tokio::test]
async fn a_message_reaches_the_machine_and_its_answer_the_chat() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let dev = site.enrols("dev-1", &["li"]).await;
        let mut machine = dev.connects(&site).await;
        assert_eq!(site.hears("m1", "li", "run the tests").await, 202);
        let message = machine.delivered().await;
        assert_eq!((message.user.as_str(), message.text.as_str()), ("li", "run the tests"));
        machine.says(&ToRelay::Taken { id: message.id.clone() }).await;
        assert_eq!(
            machine.replies("r1", &message.chat, "[t1] Done.").await,
            Some(ToMachine::Stored { id: "r1".into() })
        );
        assert_eq!(chat.hears().await, ("li".to_owned(), "[t1] Done.".to_owned()));
        // A reply that is sent again after a lost connection is the same one.
        assert_eq!(
            machine.replies("r1", &message.chat, "[t1] Done.").await,
            Some(ToMachine::Stored { id: "r1".into() })
        );
        assert_eq!(machine.replies("r2", &message.chat, "more").await, Some(ToMachine::Stored { id: "r2".into() }));
        assert_eq!(chat.hears().await.1, "more");
        let (status, machines) = site.admin("GET", "/admin/machines", &Value::Null).await;
        assert_eq!((status, &machines["machines"][0]["users"]), (200, &json!(["li"])));
        assert!(machines["machines"][0]["connected"].is_u64(), "{machines}");
        assert_eq!(site.audited().await, ["invited", "enrolled", "connected", "accepted", "taken"]);
        let metrics = call(site.admin, "GET", "/metrics", &[], "").await.1;
        for line in [
            "aside_relay_messages_total{result=\"accepted\"} 1",
            "aside_relay_deliveries_total{result=\"taken\"} 1",
            "aside_relay_replies_total{result=\"duplicate\"} 1",
            "aside_relay_machines_connected 1",
        ] {
            assert!(metrics.contains(line), "{line} is not in\n{metrics}");
        }
        assert_eq!(call(site.public, "GET", "/healthz", &[], "").await, (200, "ok\n".to_owned()));
    }
}

#[tokio::test]
async fn what_comes_while_a_machine_is_away_waits_and_the_user_is_told() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let dev = site.enrols("dev-1", &["li"]).await;
        assert_eq!(site.hears("m1", "li", "运行测试").await, 202);
        let (to, told) = chat.hears().await;
        assert!(to == "li" && told.starts_with("dev-1 未连接。") && told.contains("60 分钟"), "{told}");
        let mut machine = dev.connects(&site).await;
        assert_eq!(machine.takes().await, "运行测试");
        assert_eq!(site.hears("m2", "li", "second").await, 202);
        assert_eq!(machine.takes().await, "second");
        drop(machine);
        let mut machine = dev.connects(&site).await;
        assert_eq!(site.hears("m3", "li", "third").await, 202);
        assert_eq!(machine.takes().await, "third", "nothing that was taken comes again");
    }
}

#[tokio::test]
async fn what_was_not_taken_comes_again_over_the_next_connection() {
    for backend in backends() {
        let chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let dev = site.enrols("dev-1", &["li"]).await;
        let mut machine = dev.connects(&site).await;
        site.hears("m1", "li", "run the tests").await;
        let message = machine.delivered().await;
        drop(machine);
        let mut machine = dev.connects(&site).await;
        assert_eq!(machine.delivered().await, message);
    }
}

#[tokio::test]
async fn a_second_delivery_of_a_chat_is_dropped_and_anothers_message_with_the_same_id_is_not() {
    for backend in backends() {
        let chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let dev = site.enrols("dev-1", &["li", "wang"]).await;
        let mut machine = dev.connects(&site).await;
        for (user, text) in [("li", "first"), ("li", "first"), ("wang", "second"), ("li", "first")] {
            assert_eq!(site.hears("same", user, text).await, 202);
        }
        site.hears("other", "li", "third").await;
        assert_eq!([machine.takes().await, machine.takes().await, machine.takes().await], ["first", "second", "third"]);
    }
}

#[tokio::test]
async fn a_user_has_machines_of_their_own_and_names_one_of_several() {
    let backend = sqlite();
    let mut chat = Chat::start().await;
    let site = site(&backend, &chat).await;
    let (one, two) = (site.enrols("dev-1", &["li"]).await, site.enrols("dev-2", &["li", "wang"]).await);
    let (mut first, mut second) = (one.connects(&site).await, two.connects(&site).await);
    site.hears("m1", "li", "a").await;
    site.hears("m2", "li", "on dev-2: b").await;
    // A name that is not one of theirs goes to no machine.
    site.hears("m3", "wang", "on dev-1: c").await;
    let (to, told) = chat.hears().await;
    assert_eq!(to, "wang");
    assert_eq!(
        told,
        "Not taken: “on dev-1: c”. You have no machine dev-1. Yours: dev-2. Next: send it again, beginning with `on dev-2:`."
    );
    site.hears("m6", "li", "on dev-3: c").await;
    assert!(chat.hears().await.1.contains("Yours: dev-1, dev-2."));
    assert!(site.audited().await.contains(&"misaddressed".to_owned()));
    site.hears("m7", "wang", "c").await;
    assert_eq!(first.takes().await, "a");
    assert_eq!([second.takes().await, second.takes().await], ["b", "c"]);
    // A stranger is told nothing, and the caller learns nothing either.
    assert_eq!(site.hears("m4", "eve", "a").await, 202);
    assert!(site.audited().await.contains(&"unrouted".to_owned()));
    let (status, _) = site.admin("POST", "/admin/route", &json!({ "user": "li", "machine": "dev-2" })).await;
    assert_eq!(status, 200);
    site.hears("m5", "li", "d").await;
    assert_eq!(second.takes().await, "d");
    assert_eq!(site.admin("POST", "/admin/route", &json!({ "user": "li", "machine": "dev-9" })).await.0, 404);
    assert!(chat.heard_nothing());
}

#[tokio::test]
async fn the_user_of_a_message_that_waited_too_long_is_told_once() {
    let backend = sqlite();
    let mut chat = Chat::start().await;
    let site = site_with(&backend, |settings| {
        settings.expire = Duration::from_secs(2);
        settings.reply_url.clone_from(&chat.address);
    })
    .await;
    let dev = site.enrols("dev-1", &["li"]).await;
    site.hears("m1", "li", "too late").await;
    assert!(chat.hears().await.1.contains("is not connected"));
    // Its machine is away the whole time.
    let (to, told) = chat.hears().await;
    assert_eq!(to, "li");
    assert!(told.contains("your request “too late” was not delivered"), "{told}");
    assert_eq!(site.audited().await.iter().filter(|event| *event == "expired").count(), 1);
    let metrics = call(site.admin, "GET", "/metrics", &[], "").await.1;
    assert!(metrics.contains("aside_relay_deliveries_total{result=\"expired\"} 1"), "{metrics}");
    let mut machine = dev.connects(&site).await;
    site.hears("m2", "li", "in time").await;
    assert_eq!(machine.takes().await, "in time");
    assert!(chat.heard_nothing(), "it is told once");
}

#[tokio::test]
async fn a_relay_that_is_started_again_has_forgotten_nothing() {
    for backend in backends() {
        let chat = Chat::start().await;
        let first = site(&backend, &chat).await;
        let dev = first.enrols("dev-1", &["li"]).await;
        first.hears("m1", "li", "run the tests").await;
        drop(first);
        let second = site(&backend, &chat).await;
        second.hears("m1", "li", "run the tests").await;
        second.hears("m2", "li", "and more").await;
        let mut machine = dev.connects(&second).await;
        assert_eq!([machine.takes().await, machine.takes().await], ["run the tests", "and more"]);
    }
}

#[tokio::test]
async fn too_many_messages_for_one_machine_are_refused_and_told_and_no_user_fills_the_queue() {
    let backend = sqlite();
    let mut chat = Chat::start().await;
    let site = site(&backend, &chat).await;
    let users: Vec<String> = (0..MAX_WAITING / MAX_WAITING_OF_USER).map(|number| format!("user-{number}")).collect();
    let names: Vec<&str> = users.iter().map(String::as_str).chain(["li"]).collect();
    site.enrols("dev-1", &names).await;
    let heard = |number: usize, user: &str| aside_relay::chat::ChatMessage {
        id: number.to_string(),
        user: user.to_owned(),
        chat: user.to_owned(),
        text: "x".to_owned(),
    };
    let mut accepts = tokio::task::JoinSet::new();
    for number in 0..MAX_WAITING {
        let (relay, heard) = (Arc::clone(&site.relay), heard(number, &users[number % users.len()]));
        accepts.spawn(async move { relay.accept("webhook", heard).await.unwrap() });
    }
    while let Some(accepted) = accepts.join_next().await {
        assert_eq!(accepted.unwrap(), Accepted::New);
    }
    let accepts = async |number, user| site.relay.accept("webhook", heard(number, user)).await.unwrap();
    assert_eq!(accepts(0, "li").await, Accepted::Full);
    loop {
        let (to, told) = chat.hears().await;
        if to == "li" {
            assert_eq!(told, "Not taken: “x”. Too many requests wait for dev-1. Next: ask again later.");
            break;
        }
    }
}

#[tokio::test]
async fn a_user_with_many_chats_takes_no_room_from_the_others_and_is_told_why() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        site.enrols("dev-1", &["wang", "li"]).await;
        let heard = |number: usize, user: &str| aside_relay::chat::ChatMessage {
            id: number.to_string(),
            user: user.to_owned(),
            chat: format!("group-{number}"),
            text: "x".to_owned(),
        };
        for number in 0..MAX_WAITING_OF_USER {
            assert_eq!(site.relay.accept("webhook", heard(number, "wang")).await.unwrap(), Accepted::New);
        }
        let more = heard(MAX_WAITING_OF_USER, "wang");
        let place = more.chat.clone();
        assert_eq!(site.relay.accept("webhook", more).await.unwrap(), Accepted::FullForUser);
        assert_eq!(site.relay.accept("webhook", heard(0, "li")).await.unwrap(), Accepted::New);
        loop {
            let (to, told) = chat.hears().await;
            if to == place {
                assert!(told.contains(" 100 of your requests wait for dev-1"), "{told}");
                break;
            }
        }
    }
}

/// The relay stores, hands out and hands out again in the order in which a chat has written.
#[tokio::test]
async fn messages_of_one_chat_keep_their_order() {
    for backend in backends() {
        let chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let dev = site.enrols("dev-1", &["li"]).await;
        let texts: Vec<String> = (0..20).map(|number| format!("message {number}")).collect();
        let mut accepts = Vec::new();
        for text in &texts {
            let (id, user, chat) = (text.clone(), "li".to_owned(), "li".to_owned());
            let heard = aside_relay::chat::ChatMessage { id, user, chat, text: text.clone() };
            accepts.push(site.relay.accept("webhook", heard));
        }
        // They are under way at once, and begin in this order.
        futures_util::future::join_all(accepts).await;
        let mut machine = dev.connects(&site).await;
        assert_eq!(machine.delivered().await.text, texts[0]);
        assert_eq!(machine.delivered().await.text, texts[1]);
        drop(machine);
        let mut machine = dev.connects(&site).await;
        for text in &texts {
            assert_eq!(machine.takes().await, *text);
        }
    }
}

#[tokio::test]
async fn a_machine_that_falls_silent_is_noticed_and_the_user_is_told() {
    let backend = sqlite();
    let mut chat = Chat::start().await;
    let site = site_with(&backend, |settings| {
        (settings.ping, settings.silence) = (Duration::from_millis(50), Duration::from_millis(300));
        settings.reply_url.clone_from(&chat.address);
    })
    .await;
    let dev = site.enrols("dev-1", &["li"]).await;
    // It answers no ping, since it does not read.
    let machine = dev.connects(&site).await;
    assert_eq!(site.hears("m1", "li", "run the tests").await, 202);
    let (to, told) = chat.hears().await;
    assert!(to == "li" && told.starts_with("dev-1 is not connected."), "{told}");
    let begun = std::time::Instant::now();
    loop {
        let (_, machines) = site.admin("GET", "/admin/machines", &Value::Null).await;
        if machines["machines"][0]["connected"].is_null() {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{machines}");
    }
    drop(machine);
    let mut machine = dev.connects(&site).await;
    assert_eq!(machine.takes().await, "run the tests");
    // One that answers is not taken for dead.
    assert_eq!(tokio::time::timeout(Duration::from_millis(900), machine.next()).await.ok(), None);
}

#[tokio::test]
async fn a_machine_that_was_connected_before_a_restart_of_the_relay_is_not_connected() {
    let backend = sqlite();
    let mut chat = Chat::start().await;
    let first = site(&backend, &chat).await;
    let dev = first.enrols("dev-1", &["li"]).await;
    let _machine = dev.connects(&first).await;
    drop(first);
    let second = site(&backend, &chat).await;
    let (_, machines) = second.admin("GET", "/admin/machines", &Value::Null).await;
    assert_eq!(machines["machines"][0]["connected"], Value::Null, "{machines}");
    second.hears("m1", "li", "run the tests").await;
    assert!(chat.hears().await.1.starts_with("dev-1 is not connected."));
}

/// Two copies of a relay on one real server.
#[tokio::test]
async fn copies_share_machines_messages_and_replies() {
    let Some(nats) = Nats::start() else {
        eprintln!("skipped: ASIDE_TEST_NATS is not set; `make test-relay` sets it");
        return;
    };
    let backend = Backend::Nats(nats);
    let mut chat = Chat::start().await;
    let (one, two) = (site(&backend, &chat).await, site(&backend, &chat).await);
    let dev = one.enrols("dev-1", &["li"]).await;
    let mut machine = dev.connects(&one).await;
    assert_eq!(two.hears("m1", "li", "through the other copy").await, 202);
    let message = machine.delivered().await;
    assert!(chat.heard_nothing(), "the machine is connected, to the other copy");
    machine.says(&ToRelay::Taken { id: message.id.clone() }).await;
    machine.replies("r1", &message.chat, "done").await;
    assert_eq!(chat.hears().await.1, "done");
    // It connects to the other copy: its connection here ends, and it alone gets what comes.
    let mut moved = dev.connects(&two).await;
    assert_eq!(machine.next().await, None);
    one.hears("m2", "li", "after it moved").await;
    assert_eq!(moved.takes().await, "after it moved");
    // Revoked at one copy, gone at the other.
    assert_eq!(one.admin("POST", "/admin/revoke", &json!({ "machine": "dev-1" })).await.0, 200);
    assert!(matches!(moved.next().await, Some(ToMachine::Refused { .. })));
}

#[tokio::test]
async fn a_server_that_is_killed_and_restarted_loses_nothing() {
    let Some(nats) = Nats::start() else {
        eprintln!("skipped: ASIDE_TEST_NATS is not set; `make test-relay` sets it");
        return;
    };
    let mut backend = Backend::Nats(nats);
    let mut chat = Chat::start().await;
    let site = site(&backend, &chat).await;
    let dev = site.enrols("dev-1", &["li"]).await;
    assert_eq!(site.hears("m1", "li", "before").await, 202);
    chat.hears().await;
    let Backend::Nats(nats) = &mut backend else { panic!("it is NATS") };
    nats.kill();
    assert_eq!(site.hears("m2", "li", "meanwhile").await, 503, "what is not stored is not taken");
    assert_eq!(call(site.public, "GET", "/healthz", &[], "").await.0, 503);
    nats.restart();
    let begun = std::time::Instant::now();
    while site.hears("m2", "li", "meanwhile").await != 202 {
        assert!(begun.elapsed() < PATIENCE, "the relay does not find the server again");
    }
    let mut machine = dev.connects(&site).await;
    assert_eq!([machine.takes().await, machine.takes().await], ["before", "meanwhile"]);
}
