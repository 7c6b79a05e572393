//! The two shapes around a callback: the outer one, which holds the ciphertext, and the message inside. WeCom's XML is flat, with the
//! texts in CDATA, so the reader takes that and nothing else: no entities of its own, no document types, no attributes. An intelligent
//! robot that is called back sends JSON instead.

use serde::Deserialize;

/// A message as its sender wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Empty for an event.
    pub id: String,
    pub user: String,
    /// The corp id.
    pub to: String,
    /// `text`, `event`, `image` …
    pub kind: String,
    pub text: String,
    /// Of an event: `enter_agent` …
    pub event: String,
    /// Seconds since 1970.
    pub created: u64,
    pub agent: String,
}

/// Fields of one message; WeCom's have about ten.
const MAX_FIELDS: usize = 64;

/// The ciphertext in the body of a callback, XML or JSON.
pub fn encrypted(body: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Outer {
        encrypt: String,
    }
    let body = body.trim();
    if body.starts_with('{') {
        return serde_json::from_str(body).ok().map(|Outer { encrypt }| encrypt);
    }
    fields(body)?.into_iter().find(|(name, _)| name == "Encrypt").map(|(_, value)| value)
}

impl Message {
    /// `None` for what is not a message of WeCom's.
    pub fn of_xml(xml: &str) -> Option<Self> {
        let mut message = Self::default();
        for (name, value) in fields(xml.trim())? {
            match name.as_str() {
                "MsgId" => message.id = value,
                "FromUserName" => message.user = value,
                "ToUserName" => message.to = value,
                "MsgType" => message.kind = value,
                "Content" => message.text = value,
                "Event" => message.event = value,
                "CreateTime" => message.created = value.trim().parse().ok()?,
                "AgentID" => message.agent = value,
                _ => {}
            }
        }
        (!message.user.is_empty() && !message.kind.is_empty()).then_some(message)
    }

    /// By what a second delivery is known. An event has no id, and its sender and second alone are those of several events.
    pub fn key(&self) -> String {
        match self.id.as_str() {
            "" => format!("{}\n{}\n{}\n{}", self.user, self.created, self.event, self.agent),
            id => id.to_owned(),
        }
    }
}

/// The fields of a flat `<xml>…</xml>`, in order. Fields that hold further elements are taken as empty.
fn fields(xml: &str) -> Option<Vec<(String, String)>> {
    let mut rest = xml.strip_prefix("<xml>")?.trim_start();
    let mut fields = Vec::new();
    while !rest.starts_with("</xml>") {
        let (name, behind) = rest.strip_prefix('<')?.split_once('>')?;
        if !is_name(name) || fields.len() == MAX_FIELDS {
            return None;
        }
        let (value, behind) = value(behind, &format!("</{name}>"))?;
        fields.push((name.to_owned(), value));
        rest = behind.trim_start();
    }
    rest.strip_prefix("</xml>").filter(|rest| rest.trim().is_empty()).map(|_| fields)
}

/// What is before a closing tag: CDATA sections, or text.
fn value<'a>(mut rest: &'a str, close: &str) -> Option<(String, &'a str)> {
    let mut value = String::new();
    loop {
        if let Some(behind) = rest.strip_prefix(close) {
            return Some((value, behind));
        }
        if let Some(section) = rest.strip_prefix("<![CDATA[") {
            let (text, behind) = section.split_once("]]>")?;
            value.push_str(text);
            rest = behind;
            continue;
        }
        if rest.starts_with('<') {
            // Elements within: nothing that is read.
            let (_, behind) = rest.split_once(close)?;
            return Some((String::new(), behind));
        }
        let end = rest.find('<')?;
        value.push_str(&unescaped(&rest[..end])?);
        rest = &rest[end..];
    }
}

fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        let (name, after) = behind.split_once(';')?;
        plain.push_str(before);
        plain.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            _ => return None,
        });
        rest = after;
    }
    plain.push_str(rest);
    Some(plain)
}

fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
