//! The frames of the long connection, as Tencent's own SDK sends and takes them.

use aside_wecom::frame::{self, Incoming, Message};
use serde_json::{Value, json};

fn read(frame: Value) -> Option<Incoming> {
    Incoming::of(&frame.to_string())
}

#[test]
fn what_the_server_sends_is_read() {
    let message = |chattype: &str| {
        json!({ "cmd": "aibot_msg_callback", "headers": { "req_id": "R1" }, "body": { "msgid": "m1", "aibotid": "b",
            "chatid": "g1", "chattype": chattype, "from": { "userid": "li" }, "create_time": 1, "msgtype": "text",
            "text": { "content": "run the tests" } } })
    };
    let expected = |chat: &str, is_group| Message {
        req_id: "R1".into(),
        id: "m1".into(),
        user: "li".into(),
        chat: chat.into(),
        is_group,
        text: "run the tests".into(),
    };
    assert_eq!(read(message("single")), Some(Incoming::Message(expected("li", false))));
    assert_eq!(read(message("group")), Some(Incoming::Message(expected("g1", true))));
    let answer = json!({ "headers": { "req_id": "R2" }, "errcode": 0, "errmsg": "ok" });
    assert_eq!(read(answer), Some(Incoming::Answer { req_id: "R2".into(), code: 0, text: "ok".into() }));
    let entered = json!({ "cmd": "aibot_event_callback", "headers": { "req_id": "R3" }, "body": { "msgtype": "event",
        "event": { "eventtype": "enter_chat" } } });
    assert_eq!(read(entered), Some(Incoming::Entered { req_id: "R3".into() }));
    assert_eq!(read(json!({ "cmd": "something_new", "body": { "x": 1 } })), Some(Incoming::Other));
    assert_eq!(read(json!([1])), None);
    assert_eq!(Incoming::of("{"), None);
}

#[test]
fn what_a_robot_sends_has_the_shape_that_the_server_takes() {
    let read = |frame: String| -> Value { serde_json::from_str(&frame).unwrap() };
    assert_eq!(
        read(frame::subscribe("s1", "bot", "sesame")),
        json!({ "cmd": "aibot_subscribe", "headers": { "req_id": "s1" }, "body": { "bot_id": "bot", "secret": "sesame" } })
    );
    assert_eq!(read(frame::ping("p1")), json!({ "cmd": "ping", "headers": { "req_id": "p1" } }));
    assert_eq!(
        read(frame::respond("R1", "stream_1", "done")),
        json!({ "cmd": "aibot_respond_msg", "headers": { "req_id": "R1" }, "body": { "msgtype": "stream",
            "stream": { "id": "stream_1", "finish": true, "content": "done" } } })
    );
    assert_eq!(
        read(frame::send("n1", "li", "done")),
        json!({ "cmd": "aibot_send_msg", "headers": { "req_id": "n1" }, "body": { "chatid": "li", "msgtype": "markdown",
            "markdown": { "content": "done" } } })
    );
}
