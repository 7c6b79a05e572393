//! Tracks the terminal's text attributes, as far as needed to restore them.

/// Attributes of one bit each, by their number: bold is 1, crossed out 9.
const ATTRIBUTES: std::ops::RangeInclusive<u16> = 1..=9;
const REVERSE: u16 = 7;
/// Bytes of a colour; a longer one is invalid.
const MAX_COLOUR: usize = 32;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextColors {
    foreground: String,
    /// A background is set, with which a terminal also erases.
    background: bool,
    attributes: u16,
    /// Something else that lasts until the next reset.
    unknown: bool,
}

impl TextColors {
    /// Applies the parameters of an SGR sequence.
    pub fn select(&mut self, text: &[u8]) {
        let Ok(text) = str::from_utf8(text) else { return self.unknown = true };
        let mut parts = text.split(';');
        while let Some(part) = parts.next() {
            // Numbers joined by colons are one colour, or one kind of underline.
            let (code, is_whole) = match part.split_once(':') {
                Some((code, _)) => (code, true),
                None => (part, false),
            };
            let code = if code.is_empty() { Some(0) } else { code.parse::<u16>().ok() };
            match code {
                Some(38 | 48) if is_whole => self.colour(code, part.to_owned()),
                Some(38 | 48) => match colour(&mut parts) {
                    Some(rest) => self.colour(code, format!("{part};{rest}")),
                    None => self.unknown = true,
                },
                _ if is_whole => self.unknown = true,
                Some(code) => self.code(code, part),
                None => self.unknown = true,
            }
        }
    }

    fn colour(&mut self, code: Option<u16>, spelled: String) {
        match code {
            Some(38) if spelled.len() <= MAX_COLOUR => self.foreground = spelled,
            Some(48) => self.background = true,
            _ => self.unknown = true,
        }
    }

    fn code(&mut self, code: u16, part: &str) {
        let mut clear = |bits: &[u16]| bits.iter().for_each(|bit| self.attributes &= !(1 << bit));
        match code {
            0 => *self = Self::default(),
            code if ATTRIBUTES.contains(&code) => self.attributes |= 1 << code,
            22 => clear(&[1, 2]),
            23 => clear(&[3]),
            24 => clear(&[4]),
            25 => clear(&[5, 6]),
            27 => clear(&[7]),
            28 => clear(&[8]),
            29 => clear(&[9]),
            30..=37 | 90..=97 => part.clone_into(&mut self.foreground),
            39 => self.foreground.clear(),
            40..=47 | 100..=107 => self.background = true,
            49 => self.background = false,
            _ => self.unknown = true,
        }
    }

    /// Whether erasing or scrolling would paint blank cells.
    pub fn paints(&self) -> bool {
        self.unknown || self.background || self.attributes & (1 << REVERSE) != 0
    }

    /// The sequence that selects these attributes from any state; `None` where they are unknown, or where erasing would paint.
    pub fn restore(&self) -> Option<String> {
        if self.paints() {
            return None;
        }
        let attributes = ATTRIBUTES.filter(|code| self.attributes & (1 << code) != 0).map(|code| code.to_string());
        let colour = Some(self.foreground.clone()).filter(|colour| !colour.is_empty());
        let codes: Vec<String> = std::iter::once("0".to_owned()).chain(attributes).chain(colour).collect();
        Some(format!("\x1b[{}m", codes.join(";")))
    }
}

/// The rest of a colour: a palette index, or three RGB components.
fn colour<'a>(parts: &mut impl Iterator<Item = &'a str>) -> Option<String> {
    let kind = parts.next()?;
    let count = match kind {
        "5" => 1,
        "2" => 3,
        _ => return None,
    };
    let numbers: Vec<&str> = parts.take(count).collect();
    (numbers.len() == count).then(|| format!("{kind};{}", numbers.join(";")))
}
