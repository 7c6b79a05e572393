//! Which machine of its user a message is for.

/// Bytes of a machine's name.
pub const MAX_MACHINE: usize = 40;

/// Where a message goes.
#[derive(Debug, PartialEq, Eq)]
pub enum Addressed<'a> {
    Machine {
        machine: &'a str,
        text: &'a str,
        /// Not only the first one of the user.
        is_named: bool,
    },
    /// It names a machine that the user does not have.
    Unknown(&'a str),
    /// The user has no machine.
    Unrouted,
}

/// The machine that is meant, and the request: `on dev-2: run the tests`, or the first one of the user.
pub fn addressed<'a>(machines: &'a [String], text: &'a str) -> Addressed<'a> {
    let Some(first) = machines.first() else { return Addressed::Unrouted };
    let named = text.trim_start().split_once([':', '：']).and_then(|(head, rest)| {
        let head = head.trim();
        let is_on = head.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("on "));
        let name = match head.strip_prefix('在') {
            Some(name) => name.trim_end().trim_end_matches('上'),
            None => head.get(3..).filter(|_| is_on)?,
        };
        let name = name.trim();
        is_machine(&name.to_ascii_lowercase()).then_some((name, rest.trim_start()))
    });
    let Some((name, text)) = named else { return Addressed::Machine { machine: first, text, is_named: false } };
    match machines.iter().find(|machine| machine.eq_ignore_ascii_case(name)) {
        Some(machine) => Addressed::Machine { machine, text, is_named: true },
        None => Addressed::Unknown(name),
    }
}

/// Names that a machine can have.
pub fn is_machine(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= MAX_MACHINE
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_goes_to_the_machine_that_it_names_or_the_first() {
        let machines = ["dev-1".to_owned(), "dev-2".to_owned()];
        let to = |machine: &'static str, text: &'static str| Addressed::Machine { machine, text, is_named: true };
        let first = |text: &'static str| Addressed::Machine { machine: "dev-1", text, is_named: false };
        for (text, expected) in [
            ("run the tests", first("run the tests")),
            ("on dev-2: run the tests", to("dev-2", "run the tests")),
            ("On Dev-2: run the tests", to("dev-2", "run the tests")),
            ("在 dev-2 上：运行测试", to("dev-2", "运行测试")),
            ("在dev-2上：运行测试", to("dev-2", "运行测试")),
            // Not this user's machines: neither is another one meant.
            ("on dev-3: run the tests", Addressed::Unknown("dev-3")),
            ("在 dev-3 上：运行测试", Addressed::Unknown("dev-3")),
            // No name of a machine.
            ("on the second try: run the tests", first("on the second try: run the tests")),
            ("app: run the tests", first("app: run the tests")),
        ] {
            assert_eq!(addressed(&machines, text), expected);
        }
        assert_eq!(addressed(&[], "on dev-1: run the tests"), Addressed::Unrouted);
    }
}
