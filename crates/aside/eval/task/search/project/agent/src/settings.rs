//! What a gate has to know.

pub struct Settings {
    pub service_url: String,
    pub journal_path: String,
    pub log_level: String,
}

impl Settings {
    pub fn read(path: &str) -> Self {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("").to_owned();
        Self { service_url: value("service_url="), journal_path: value("journal_path="), log_level: value("log_level=") }
    }
}
