//! What a chat is told: nothing is left out without a word, no refusal takes the place of another, and a machine knows what a short
//! message may be about.

use std::time::Duration;

use aside_relay::chat::ChatMessage;
use aside_relay::protocol::{MAX_TEXT, ToMachine, ToRelay};
use aside_wecom::pace::Limits;
use serde_json::{Value, json};

use crate::harness::{Chat, Machine, Site, backends, site, site_with, sqlite};

const HOUR: Duration = Duration::from_secs(3600);

async fn slow(backend: &crate::harness::Backend, chat: &Chat, span: Duration, messages: usize) -> Site {
    site_with(backend, |settings| {
        settings.reply_url = chat.address.clone();
        settings.limits = Limits([(span, messages), (HOUR, 100_000)]);
    })
    .await
}

/// Sends replies about as many tasks, and waits until they are stored.
async fn floods(machine: &mut Machine, name: &str, chat: &str, count: usize) {
    for number in 0..count {
        let (id, topic) = (format!("{name} {number}"), format!("t{number}"));
        let text = format!("{name} {number}");
        machine.says(&ToRelay::Reply { id, chat: chat.to_owned(), topic, text }).await;
    }
    for _ in 0..count {
        assert!(matches!(machine.next().await, Some(ToMachine::Stored { .. })));
    }
}

#[tokio::test]
async fn what_is_left_out_of_a_chat_is_counted_audited_and_told_and_no_machine_pushes_out_another() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = slow(&backend, &chat, Duration::from_secs(1), 20).await;
        let (one, two) = (site.enrols("dev-1", &["li"]).await, site.enrols("dev-2", &["li"]).await);
        let (mut first, mut second) = (one.connects(&site).await, two.connects(&site).await);
        site.hears("m1", "li", "a").await;
        site.hears("m2", "li", "on dev-2: b").await;
        let place = first.delivered().await.chat;
        assert_eq!(second.delivered().await.chat, place);
        floods(&mut first, "one", &place, 3).await;
        floods(&mut second, "two", &place, 300).await;
        floods(&mut first, "one more", &place, 3).await;
        let (mut ones, mut twos, mut left_out) = (0, 0, 0);
        while ones < 6 || twos + left_out < 300 {
            let text = chat.hears().await.1;
            let told = text.split_once(" messages were left out from dev-2: ");
            let told = told.or_else(|| text.split_once(" message was left out from dev-2: "));
            match (told, text.starts_with("one"), text.starts_with("two")) {
                (Some((count, _)), ..) => left_out += count.parse::<usize>().unwrap(),
                (None, true, _) => ones += 1,
                (None, _, true) => twos += 1,
                (None, ..) => panic!("{text}"),
            }
        }
        assert_eq!((ones, twos + left_out), (6, 300));
        assert!(left_out > 0, "{twos} were told");
        let audited = site.audited().await.into_iter().filter(|event| event == "reply left out").count();
        assert_eq!(audited, left_out);
        let metrics = crate::harness::call(site.admin, "GET", "/metrics", &[], "").await.1;
        assert!(
            metrics.contains(&format!("aside_relay_replies_total{{result=\"left_out\"}} {left_out}\n")),
            "{metrics}"
        );
    }
}

#[tokio::test]
async fn each_refusal_is_told_also_when_they_wait_for_the_rate_limit() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = slow(&backend, &chat, Duration::from_millis(500), 1).await;
        site.enrols("dev-1", &["li"]).await;
        for (id, text) in [("m1", "on dev-8: eat"), ("m2", "on dev-9: drink"), ("m3", "on dev-9: sleep")] {
            assert_eq!(site.hears(id, "li", text).await, 202);
        }
        for expected in ["“on dev-8: eat”", "“on dev-9: drink”", "“on dev-9: sleep”"] {
            let told = chat.hears().await.1;
            assert!(told.starts_with("Not taken: ") && told.contains(expected), "{told}");
        }
    }
}

#[tokio::test]
async fn a_machine_is_told_what_a_message_without_a_name_may_be_about() {
    for backend in backends() {
        let chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let (one, _) = (site.enrols("dev-1", &["li"]).await, site.enrols("dev-2", &["li"]).await);
        let mut machine = one.connects(&site).await;
        let mut delivered = async |id: &str, text: &str| {
            assert_eq!(site.hears(id, "li", text).await, 202);
            let message = machine.delivered().await;
            machine.says(&ToRelay::Taken { id: message.id }).await;
            (message.text, message.others, message.after_refusal)
        };
        let others = vec!["dev-2".to_owned()];
        assert_eq!(delivered("m1", "cancel").await, ("cancel".to_owned(), others.clone(), false));
        assert_eq!(delivered("m2", "on dev-1: cancel").await, ("cancel".to_owned(), Vec::new(), false));
        assert_eq!(site.hears("m3", "li", "on dev-7: run it").await, 202);
        assert_eq!(delivered("m4", "cancel").await, ("cancel".to_owned(), others.clone(), true));
        // The machine remembers it from there on.
        assert_eq!(delivered("m5", "run it").await, ("run it".to_owned(), others, false));
    }
}

#[tokio::test]
async fn a_request_that_is_too_long_is_said_to_be_and_not_acted_upon() {
    let (backend, mut chat) = (sqlite(), Chat::start().await);
    let site = site(&backend, &chat).await;
    site.enrols("dev-1", &["li"]).await;
    let heard = |id: &str, user: &str, text: String| json!({ "id": id, "user": user, "text": text }).to_string();
    let post = async |body: String| {
        use aside_relay::chat::webhook;
        let (time, signature) = webhook::headers(crate::harness::KEY, aside_relay::seconds(), &body);
        let headers = [(webhook::TIMESTAMP, time.as_str()), (webhook::SIGNATURE, signature.as_str())];
        crate::harness::call(site.public, "POST", "/webhook", &headers, &body).await
    };
    let long = "x".repeat(MAX_TEXT + 1);
    let (status, told) = post(heard("m1", "li", long.clone())).await;
    assert_eq!((status, told.as_str()), (413, "a text has at most 8192 bytes\n"));
    assert!(chat.hears().await.1.contains("A request has at most 8192 bytes."));
    assert!(site.audited().await.contains(&"too long".to_owned()));
    // A user without a machine gets nothing, not even that.
    assert_eq!(post(heard("m2", "eve", long.clone())).await.0, 202);
    let (status, told) = post(heard("m3", &"l".repeat(200), "x".to_owned())).await;
    assert!(status == 400 && told.contains("1 to 128 bytes"), "{status} {told}");
    // WeCom would call again after an error; its user is told as well.
    let message = ChatMessage { id: "m4".into(), user: "li".into(), chat: "li".into(), text: long };
    assert_eq!(site.relay.accept("wecom", message).await.unwrap(), aside_relay::relay::Accepted::TooLong);
    assert!(chat.heard_nothing(), "it is told in the other chat");
}

#[tokio::test]
async fn a_user_is_taken_off_one_machine_and_keeps_the_others() {
    for backend in backends() {
        let chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let (_, two) = (site.enrols("dev-1", &["li", "wang"]).await, site.enrols("dev-2", &["li"]).await);
        let mut machine = two.connects(&site).await;
        let li = json!({ "user": "li", "machine": "dev-1" });
        assert_eq!(site.admin("POST", "/admin/unroute", &li).await.0, 200);
        assert_eq!(site.admin("POST", "/admin/unroute", &li).await.0, 404);
        site.hears("m1", "li", "to the machine that is left").await;
        assert_eq!(machine.takes().await, "to the machine that is left");
        let (_, machines) = site.admin("GET", "/admin/machines", &Value::Null).await;
        let users = |at: usize| machines["machines"][at]["users"].clone();
        assert_eq!((users(0), users(1)), (json!(["wang"]), json!(["li"])));
        // With its last one a user gets no answer any more.
        let li = json!({ "user": "li", "machine": "dev-2" });
        assert_eq!(site.admin("POST", "/admin/unroute", &li).await.0, 200);
        site.hears("m2", "li", "to none").await;
        assert!(site.audited().await.contains(&"unrouted".to_owned()));
    }
}
