//! What a chat is told: nothing is left out without a word, refusals are told or counted, and a machine knows what a short
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

/// How many refusals a message tells.
fn refusals(told: &str) -> usize {
    assert!(told.starts_with("Not taken: "), "{told}");
    let count = told.split_once(" requests were not taken for this reason");
    count.map_or(1, |(before, _)| before.rsplit(' ').next().unwrap().parse().unwrap())
}

#[tokio::test]
async fn each_refusal_is_told_or_counted_by_one_of_the_same_reason() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = slow(&backend, &chat, Duration::from_millis(500), 1).await;
        site.enrols("dev-1", &["li"]).await;
        let long = "x".repeat(MAX_TEXT + 1);
        for (id, text) in [("m1", "on dev-8: eat"), ("m2", "on dev-9: drink"), ("m3", &long), ("m4", "on dev-7: sleep")]
        {
            site.hears(id, "li", text).await;
        }
        let mut told = Vec::new();
        while told.iter().map(|text: &String| refusals(text)).sum::<usize>() < 4 {
            told.push(chat.hears().await.1);
        }
        assert!(told.iter().any(|text| text.contains("“on dev-7: sleep”")), "{told:?}");
        assert!(told.iter().any(|text| text.contains("at most 8192 bytes")), "{told:?}");
    }
}

/// Chats at their limit, for refusals and for replies of a machine.
#[tokio::test]
async fn no_chat_holds_back_another_one() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = slow(&backend, &chat, Duration::from_secs(600), 2).await;
        let one = site.enrols("dev-1", &["eve", "li"]).await;
        let mut machine = one.connects(&site).await;
        let hears = async |id: String, user: &str, chat: &str, text: &str| {
            let message = ChatMessage { id, user: user.into(), chat: chat.into(), text: text.into() };
            site.relay.accept("webhook", message).await.unwrap()
        };
        for group in 0..12 {
            let group = format!("group-{group}");
            hears(format!("{group} first"), "eve", &group, "hello").await;
            let message = machine.delivered().await;
            machine.says(&ToRelay::Taken { id: message.id }).await;
            floods(&mut machine, &group, &message.chat, 60).await;
            for number in 0..20 {
                hears(format!("{group} {number}"), "eve", &group, &format!("on nope: hello {number}")).await;
            }
        }
        hears("m1".to_owned(), "li", "li", "status").await;
        let message = machine.delivered().await;
        floods(&mut machine, "for li", &message.chat, 1).await;
        let asked = std::time::Instant::now();
        while chat.hears().await.0 != "li" {}
        assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    }
}

#[tokio::test]
async fn that_a_machine_is_away_is_said_once_and_not_once_it_is_back() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let one = site.enrols("dev-1", &["li"]).await;
        for number in 0..8 {
            site.hears(&format!("m{number}"), "li", &format!("hello {number}")).await;
        }
        assert!(chat.hears().await.1.starts_with("dev-1 is not connected."));
        let mut machine = one.connects(&site).await;
        for number in 0..8 {
            assert_eq!(machine.takes().await, format!("hello {number}"));
        }
        drop(machine);
        // Away once more: that is news, and told again.
        let mut number = 8;
        while chat.heard_nothing() {
            tokio::time::sleep(Duration::from_millis(100)).await;
            site.hears(&format!("m{number}"), "li", "hello again").await;
            number += 1;
            assert!(number < 200, "it is not told");
        }
    }
}

#[tokio::test]
async fn a_notice_that_is_no_longer_true_is_not_sent() {
    let (backend, mut chat) = (sqlite(), Chat::start().await);
    let site = slow(&backend, &chat, Duration::from_secs(2), 1).await;
    let (one, _) = (site.enrols("dev-1", &["li"]).await, site.enrols("dev-2", &["li"]).await);
    site.hears("m0", "li", "on dev-9: eat").await;
    assert_eq!(refusals(&chat.hears().await.1), 1);
    // This one waits for the rate limit, and the machine is back before.
    site.hears("m1", "li", "on dev-1: run it").await;
    let mut machine = one.connects(&site).await;
    assert_eq!(machine.takes().await, "run it");
    site.hears("m2", "li", "on dev-9: drink").await;
    assert_eq!(refusals(&chat.hears().await.1), 1, "and nothing about dev-1");
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

#[tokio::test]
async fn a_machine_that_takes_the_name_of_a_revoked_one_inherits_nothing_of_it() {
    for backend in backends() {
        let mut chat = Chat::start().await;
        let site = site(&backend, &chat).await;
        let first = site.enrols("dev-2", &["li", "wang"]).await;
        site.hears("m1", "li", "read my notes").await;
        assert!(chat.hears().await.1.starts_with("dev-2 is not connected."));
        let name = json!({ "machine": "dev-2" });
        assert_eq!(site.admin("POST", "/admin/revoke", &name).await.0, 200);
        let (to, told) = chat.hears().await;
        assert!(
            to == "li" && told.starts_with("dev-2 was taken off the relay: your request “read my notes”"),
            "{told}"
        );
        drop(first);
        let second = site.enrols("dev-2", &["zhao"]).await;
        let (_, machines) = site.admin("GET", "/admin/machines", &Value::Null).await;
        assert_eq!(machines["machines"][0]["users"], json!(["zhao"]));
        let mut machine = second.connects(&site).await;
        // The chat wrote to the machine before it, not to this one.
        let text = "hello".to_owned();
        machine.says(&ToRelay::Reply { id: "r1".into(), chat: "webhook/li".into(), topic: String::new(), text }).await;
        assert!(matches!(machine.next().await, Some(ToMachine::Rejected { .. })), "and not the message of li");
        site.hears("m2", "zhao", "to the new one").await;
        assert_eq!(machine.takes().await, "to the new one");
    }
}
