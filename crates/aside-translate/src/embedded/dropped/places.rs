//! Directories that a request names, and where a command goes.

use crate::embedded::dropped::Order;

const FOLDERS: &[&str] = &["folder", "folders", "directory", "directories", "dir", "dirs", "subfolder", "subdirectory"];
const ARTICLES: &[&str] = &["the", "my", "a", "of", "any", "our", "your"];

/// Whether the word names the directory, or something in it.
fn mentions(word: &str, directory: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    word.match_indices(directory).any(|(at, _)| {
        let before = word[..at].chars().next_back();
        let after = word[at + directory.len()..].chars().next();
        !before.is_some_and(|letter| is_part(letter) && letter != '.') && !after.is_some_and(is_part)
    })
}

impl Order<'_> {
    /// `outside docs`: the directory is left out, and not searched.
    pub fn turns_exclusion(&self) -> bool {
        let excluded = self.excluded();
        excluded.iter().any(|name| {
            let count = excluded.iter().filter(|other| *other == name).count();
            let is_said_again =
                self.words.iter().filter(|word| word.text.trim_matches(['.', '/']) == name).count() > count;
            let prunes = self.command.contains("-prune");
            let mut is_out = false;
            for (second, before, word) in self.arguments().filter(|(_, _, word)| mentions(&word.value, name)) {
                let is_turned = matches!(second, "-not" | "!" | "--exclude")
                    || before == "--exclude"
                    || word.value.starts_with("--exclude")
                    || word.value.starts_with(":!")
                    || prunes && before.ends_with("path")
                    || prunes && before.ends_with("name");
                is_out |= is_turned;
                if !is_turned && !is_said_again {
                    return true;
                }
            }
            !is_out
        })
    }

    /// The directories that the request leaves out.
    fn excluded(&self) -> Vec<String> {
        const INSIDE: &[&str] = &["in", "inside", "under", "within", "below", "from"];
        const NOTS: &[&str] = &[
            "not",
            "aren't",
            "isn't",
            "arent",
            "isnt",
            "except",
            "excluding",
            "exclude",
            "those",
            "ones",
            "without",
            "than",
            "besides",
            "never",
            "don't",
        ];
        const EXCEPTS: &[&str] =
            &["except", "excluding", "exclude", "besides", "skip", "skipping", "ignore", "ignoring"];
        let mut found = Vec::new();
        for place in 0..self.words.len() {
            let word = self.at(place);
            let is_outside = word == "outside" || word == "außerhalb" || word == "fuera";
            // `except those in`, and not `those in`
            let before = place.checked_sub(1).map_or("", |at| self.at(at));
            let excepts = match before {
                "those" | "ones" | "files" => self.is_behind(place, 4, EXCEPTS) || self.is_behind(place, 3, &["not"]),
                _ => true,
            };
            let is_not_in = INSIDE.contains(&word) && (NOTS.contains(&before) || before == "files") && excepts;
            let is_except = EXCEPTS.contains(&word);
            if !(is_outside || is_not_in || is_except) {
                continue;
            }
            for at in place + 1..self.words.len() {
                let said = &self.words[at];
                let is_folder = FOLDERS.contains(&self.at(at + 1));
                let is_named = self.is_directory(&said.text) && (!is_except || is_folder || said.text.contains('/'));
                let is_glue = ARTICLES.contains(&said.low.as_str())
                    || ["and", "or", "nor", "but", "in"].contains(&said.low.as_str())
                    || FOLDERS.contains(&said.low.as_str());
                let is_here = ["this", "here", "current"].contains(&said.low.as_str());
                if is_named || is_outside && at == place + 1 && !is_glue && !is_here {
                    found.push(said.text.trim_start_matches("./").trim_end_matches('/').to_owned());
                } else if !is_glue {
                    break;
                }
            }
        }
        found.extend(self.chinese_places().into_iter().filter(|(_, is_out)| *is_out).map(|(name, _)| name));
        found
    }

    /// The directories here that stand in a Chinese request as places, and whether each is left out.
    fn chinese_places(&self) -> Vec<(String, bool)> {
        const NOUNS: &[&str] = &["目录", "文件夹"];
        const OUT: &[&str] = &["以外", "之外", "外的", "外面"];
        const IN: &[&str] = &["里", "中", "下", "内", "底下"];
        if !self.is_chinese() {
            return Vec::new();
        }
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
        let mut found = Vec::new();
        for (name, _) in self.entries.iter().filter(|(_, is_directory)| *is_directory) {
            for (at, _) in self.request.match_indices(name.as_str()) {
                let before = self.request[..at].trim_end_matches([' ', '"', '“', '\'', '/', '.']);
                let after = self.request[at + name.len()..].trim_start_matches(['/', '"', '”', '\'']);
                if self.request[..at].ends_with(is_part) || after.starts_with(is_part) {
                    continue;
                }
                let after = after.trim_start();
                let noun = NOUNS.iter().find_map(|noun| after.strip_prefix(noun));
                let rest = noun.unwrap_or(after).trim_start_matches('中').trim_start_matches(['里', '下', '内']);
                let is_out = OUT.iter().any(|word| rest.starts_with(word)) || before.ends_with("不在");
                // `除了 logs 里的`
                let is_removal = ["删除", "移除", "清除"].iter().any(|word| before.ends_with(word));
                let is_excepted =
                    !is_removal && ["除了", "除", "不包括", "不含"].iter().any(|word| before.ends_with(word));
                let is_in = noun.is_some() || before.ends_with('在') || IN.iter().any(|word| after.starts_with(word));
                if is_out || is_excepted && is_in {
                    found.push((name.clone(), true));
                } else if is_in {
                    found.push((name.clone(), false));
                }
            }
        }
        found
    }

    /// A directory that a Chinese request is about.
    pub fn loses_directory(&self) -> bool {
        self.chinese_places().iter().any(|(name, is_out)| {
            !is_out && !self.line.commands.iter().flat_map(|run| &run.words).any(|word| mentions(&word.value, name))
        })
    }

    /// `ls logs | xargs rm`: the names are in that directory, and the command takes them here.
    pub fn reads_names_elsewhere(&self) -> bool {
        let runs = &self.line.commands;
        runs.iter().enumerate().any(|(at, run)| {
            let Some((name, operands)) = run.words.split_first() else { return false };
            let is_place = |value: &str| {
                !value.starts_with('-') && !value.contains(['*', '?', '[']) && !matches!(value, "." | "./")
            };
            let place = operands.iter().map(|word| word.value.as_str()).find(|value| is_place(value));
            let Some(place) = place.filter(|_| name.value == "ls") else { return false };
            let below = format!("{}/", place.trim_end_matches('/'));
            let is_there = |next: &shell_line::Command| next.words.iter().any(|word| word.value.starts_with(&below));
            let changes = |next: &shell_line::Command| {
                let programs =
                    ["rm", "mv", "cp", "gzip", "chmod", "chown", "truncate", "trash", "shred", "sed", "zip", "tar"];
                next.words.iter().any(|word| programs.contains(&word.value.as_str()))
            };
            runs[at + 1..].iter().any(|next| changes(next) && !is_there(next))
                || run.inside.is_some_and(|outer| changes(&runs[outer]) && !is_there(&runs[outer]))
        })
    }

    /// `up one level` is up from where the files are.
    pub fn loses_parent(&self) -> bool {
        const UP: &[&str] = &[
            "up one",
            "up a ",
            "one level up",
            "a level up",
            "one directory up",
            "one folder up",
            "a directory up",
            "a folder up",
            "parent dir",
            "parent folder",
            "the parent",
            "its parent",
            "their parent",
            "上一级",
            "上级",
            "上一层",
            "父目录",
        ];
        let words = || self.line.commands.iter().flat_map(|run| run.words.iter().map(|word| word.value.as_str()));
        let goes_up = words().any(|word| matches!(word, ".." | "../"));
        let is_elsewhere = words().any(|word| {
            word.trim_start_matches("./").contains('/')
                && !matches!(word, "../" | "*/.*" | "*/")
                && !word.starts_with('*')
        });
        let starts = self.line.commands.iter().filter(|run| run.words.first().is_some_and(|word| word.value == "find"));
        let searches = starts.into_iter().any(|run| {
            let start = run.words.get(1).map_or("", |word| word.value.as_str());
            !matches!(start, "." | "./") || !run.words.iter().any(|word| word.value == "-maxdepth")
        });
        self.has_text(UP) && goes_up && (is_elsewhere || searches)
    }

    /// `chmod 700 .` is no answer to an order for all directories here.
    pub fn changes_only_here(&self) -> bool {
        let is_all = self.says(&["all", "every", "each", "alle", "todos", "todas", "tous", "toutes"])
            || self.has_text(&["所有", "全部", "每个"]);
        is_all
            && self.line.commands.iter().any(|run| {
                let name = run.words.first().map_or("", |word| word.value.as_str());
                let is_deep = run
                    .words
                    .iter()
                    .any(|word| word.value.starts_with('-') && word.value.contains('R') || word.value == "--recursive");
                let last = run.words.last().map_or("", |word| word.value.as_str());
                ["chmod", "chown", "chgrp"].contains(&name) && !is_deep && matches!(last, "." | "./")
            })
    }

    /// `rename every pdf to a.pdf`: each but the last would be lost.
    pub fn moves_onto_one(&self) -> bool {
        let is_loop = self.command.contains("for ") || self.command.contains("while ");
        is_loop
            && self.line.commands.iter().any(|run| {
                let (Some(name), Some(last)) = (run.words.first(), run.words.last()) else { return false };
                let takes_each = run.words.iter().skip(1).any(|word| !word.fixed && word.value.contains('$'));
                let is_target = run.words.iter().any(|word| word.value == "-t") || last.value.ends_with(['/', '.']);
                let moves = matches!(name.value.as_str(), "mv" | "cp");
                moves && takes_each && last.fixed && !is_target && !self.is_directory(&last.value)
            })
    }

    /// `a folder` is not the folder `a`.
    pub fn takes_article(&self) -> bool {
        const ARTICLES: &[&str] = &["a", "an", "the", "it", "i", "me", "them", "this", "that"];
        const PROGRAMS: &[&str] = &[
            "mkdir", "rmdir", "cp", "mv", "rm", "touch", "ln", "chmod", "chown", "rsync", "zip", "tar", "find",
            "truncate", "gzip", "trash",
        ];
        self.line.commands.iter().any(|run| {
            let is_program = run.words.first().is_some_and(|word| PROGRAMS.contains(&word.value.as_str()));
            is_program
                && run.words.iter().skip(1).any(|word| {
                    let name = word.value.trim_start_matches("./").trim_end_matches('/');
                    ARTICLES.contains(&name) && !self.is_named(name)
                })
        })
    }

    /// Whether the short word stands as a name: quoted, with a slash, behind a noun, or where no noun follows an article.
    fn is_named(&self, name: &str) -> bool {
        const ENDS: &[&str] =
            &["", "to", "into", "and", "in", "from", "as", "with", "or", "recursively", "completely", "onto"];
        const NOUNS: &[&str] = &["file", "folder", "directory", "dir", "named", "called", "user", "group"];
        (0..self.words.len()).any(|place| {
            let said = &self.words[place];
            let is_word = said.low == name;
            let next = self.at(place + 1);
            let is_bare = name == "a" && (ENDS.contains(&next) || next.chars().count() == 1 || said.is_last);
            let spelled = said.text.trim_start_matches("./").trim_end_matches('/') == name && said.text.contains('/');
            let noun = place.checked_sub(1).is_some_and(|at| NOUNS.contains(&self.at(at)));
            spelled || is_word && (said.is_quoted || is_bare || noun)
        }) || self.is_chinese()
    }
}
