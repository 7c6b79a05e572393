//! Detects a model that repeats itself endlessly, as small ones do. Looks at the end of an answer only.

/// Bytes that have to repeat, and how often: a table of zeros or a row of dashes does not count.
const LEAST: usize = 1500;
const TIMES: usize = 12;
/// Bytes of the repeated unit.
const LONGEST: usize = 400;

/// Where the repetition began, after its first occurrence; `None` without one.
pub fn repetition_start(said: &str) -> Option<usize> {
    let bytes = said.as_bytes();
    let period = (1..=LONGEST).find(|period| {
        let length = LEAST.max(period * TIMES);
        let Some(tail) = bytes.len().checked_sub(length).and_then(|start| bytes.get(start..)) else { return false };
        tail.iter().zip(tail.iter().skip(*period)).all(|(one, next)| one == next)
    })?;
    let again = bytes.iter().rev().zip(bytes.iter().rev().skip(period)).take_while(|(one, next)| one == next).count();
    Some(said.ceil_char_boundary(bytes.len() - again))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_over_and_over_is_noticed() {
        let stuttered = format!("It prints a line. {}", "print(\"helo world\")\n".repeat(90));
        let end = repetition_start(&stuttered).unwrap();
        assert_eq!(&stuttered[..end], "It prints a line. print(\"helo world\")\n");
        let chinese = format!("一。{}", "打印。".repeat(400));
        assert_eq!(&chinese[..repetition_start(&chinese).unwrap()], "一。打印");
        let long = "a paragraph of some length that comes back, ".repeat(4) + "whole\n";
        assert!(repetition_start(&long.repeat(13)).is_some());
    }

    #[test]
    fn what_has_a_reason_to_repeat_is_not() {
        let numbered: String = (0..500).map(|number| format!("line {number}\n")).collect();
        for said in ["", "ls", &"-".repeat(1000), &"0, ".repeat(300), &numbered] {
            assert_eq!(repetition_start(said), None, "{}", said.len());
        }
        let over = format!("{}The end.", "x = 1\n".repeat(400));
        assert_eq!(repetition_start(&over), None, "it went on");
    }
}
