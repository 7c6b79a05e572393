//! Parses our tables: the subset of TOML that they use, one key a line. Much faster than a full parser, which matters since every process
//! that judges a line loads the tables. Skips examples (`hits`, `misses`).

/// One `[[name]]`, or one `[name]`.
pub struct Row<'t> {
    fields: Vec<(&'t str, &'t str)>,
}

/// The rows of this name, in order.
pub fn rows<'t>(table: &'t str, name: &str) -> Vec<Row<'t>> {
    let mut rows: Vec<Row<'t>> = Vec::new();
    let mut inside = false;
    for line in table.lines() {
        if let Some(header) = line.strip_prefix('[') {
            let header = header.trim_start_matches('[').trim_end_matches(']');
            inside = header == name;
            if inside {
                rows.push(Row { fields: Vec::new() });
            }
        } else if inside
            && let Some((key, value)) = line.split_once(" = ")
            && !matches!(key, "hits" | "misses")
            && !line.starts_with('#')
            && let Some(row) = rows.last_mut()
        {
            row.fields.push((key, value));
        }
    }
    rows
}

impl<'t> Row<'t> {
    pub fn keys(&self) -> impl Iterator<Item = &'t str> + '_ {
        self.fields.iter().map(|(key, _)| key.trim_matches('"'))
    }

    fn value(&self, key: &str) -> Option<&'t str> {
        self.fields.iter().find(|(known, _)| known.trim_matches('"') == key).map(|(_, value)| *value)
    }

    pub fn text(&self, key: &str) -> Option<String> {
        strings(self.value(key)?).into_iter().next()
    }

    pub fn list(&self, key: &str) -> Vec<String> {
        self.value(key).map(strings).unwrap_or_default()
    }

    pub fn is(&self, key: &str) -> bool {
        self.value(key) == Some("true")
    }

    pub fn number(&self, key: &str) -> Option<usize> {
        self.value(key)?.parse().ok()
    }
}

/// The strings in double quotes.
fn strings(value: &str) -> Vec<String> {
    let mut strings = Vec::new();
    let mut letters = value.chars();
    while letters.by_ref().any(|letter| letter == '"') {
        let mut text = String::new();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => break,
                '\\' => match letters.next() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some(other) => text.push(other),
                    None => {}
                },
                letter => text.push(letter),
            }
        }
        strings.push(text);
    }
    strings
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Checks that this parser and a TOML parser read a table alike.
    pub fn is_read_whole(table: &str) {
        let document: toml_edit::DocumentMut = table.parse().unwrap_or_else(|error| panic!("{error}"));
        let mut tables: Vec<(String, Vec<&toml_edit::Table>)> = Vec::new();
        for (name, item) in document.iter() {
            match (item.as_array_of_tables(), item.as_table()) {
                (Some(rows), _) => tables.push((name.to_owned(), rows.iter().collect())),
                (None, Some(table)) => {
                    tables.push((name.to_owned(), vec![table]));
                    for (inner, item) in table {
                        tables.extend(item.as_table().map(|inside| (format!("{name}.{inner}"), vec![inside])));
                    }
                }
                (None, None) => panic!("{name}"),
            }
        }
        for (name, expected) in tables {
            let found = rows(table, &name);
            assert_eq!(found.len(), expected.len(), "{name}");
            for (row, expected) in found.iter().zip(expected) {
                for (key, item) in expected.iter().filter(|(key, _)| !matches!(*key, "hits" | "misses")) {
                    if let Some(list) = item.as_array() {
                        let list: Vec<&str> = list.iter().filter_map(|item| item.as_str()).collect();
                        assert_eq!(row.list(key), list, "{name} {key}");
                    } else if let Some(text) = item.as_str() {
                        assert_eq!(row.text(key).as_deref(), Some(text), "{name} {key}");
                    } else if let Some(is) = item.as_bool() {
                        assert_eq!(row.is(key), is, "{name} {key}");
                    } else if let Some(number) = item.as_integer() {
                        assert_eq!(row.number(key), usize::try_from(number).ok(), "{name} {key}");
                    } else {
                        assert!(item.is_table(), "{name} {key}");
                    }
                }
            }
        }
    }

    #[test]
    fn texts_numbers_and_lists_are_read() {
        let table =
            "# x\n[[a]]\nb = [\"c\", \"d\\\"e\\\\\"]\nn = 3\nt = true\nhits = [\"no\"]\n\n[v]\n\"x.y\" = [\"-z\"]\n";
        is_read_whole(table);
        assert_eq!(rows(table, "v")[0].list("x.y"), ["-z"]);
        assert_eq!(rows(table, "v")[0].keys().collect::<Vec<_>>(), ["x.y"]);
        assert!(rows(table, "none").is_empty());
    }
}
