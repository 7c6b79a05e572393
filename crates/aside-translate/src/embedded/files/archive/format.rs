//! Archive formats, by the end of a file's name and by the words for them.

use crate::embedded::entities::Entity;
use crate::embedded::files::scan::WordScan;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Tar,
    TarGz,
    TarBz2,
    TarXz,
    TarZst,
    Zip,
    Seven,
    Rar,
    Gz,
    Bz2,
    Xz,
    Zst,
}

impl Format {
    /// The format by the end of a name.
    pub fn of(name: &str) -> Option<Self> {
        let low = name.to_lowercase();
        const ENDS: &[(&str, Format)] = &[
            (".tar.gz", Format::TarGz),
            (".tgz", Format::TarGz),
            (".tar.bz2", Format::TarBz2),
            (".tbz2", Format::TarBz2),
            (".tbz", Format::TarBz2),
            (".tar.xz", Format::TarXz),
            (".txz", Format::TarXz),
            (".tar.zst", Format::TarZst),
            (".tar", Format::Tar),
            (".zip", Format::Zip),
            (".jar", Format::Zip),
            (".7z", Format::Seven),
            (".rar", Format::Rar),
            (".gz", Format::Gz),
            (".bz2", Format::Bz2),
            (".xz", Format::Xz),
            (".zst", Format::Zst),
        ];
        ENDS.iter().find(|(end, _)| low.ends_with(end)).map(|(_, format)| *format)
    }

    /// The format by a word for it.
    pub fn said(low: &str) -> Option<Self> {
        // `tar up`, `zip up` are one word of the reading.
        let low = low.strip_suffix(" up").unwrap_or(low);
        Some(match low.trim_start_matches("*.").trim_start_matches('.') {
            "tar.gz" | "tgz" | "tarball" | "targz" | "tarballs" => Format::TarGz,
            "tar" => Format::Tar,
            "tar.bz2" | "tbz2" | "tar.bzip2" => Format::TarBz2,
            "tar.xz" | "txz" => Format::TarXz,
            "tar.zst" | "tar.zstd" => Format::TarZst,
            "zip" | "zipfile" | "zips" | "unzip" | "zipped" => Format::Zip,
            "7z" | "7zip" | "7-zip" => Format::Seven,
            "rar" | "unrar" => Format::Rar,
            "gz" | "gzip" | "gunzip" | "gzipped" => Format::Gz,
            "bz2" | "bzip2" | "bunzip2" => Format::Bz2,
            "xz" | "unxz" => Format::Xz,
            "zst" | "zstd" => Format::Zst,
            _ => return None,
        })
    }

    pub fn ending(self) -> &'static str {
        match self {
            Format::Tar => "tar",
            Format::TarGz => "tar.gz",
            Format::TarBz2 => "tar.bz2",
            Format::TarXz => "tar.xz",
            Format::TarZst => "tar.zst",
            Format::Zip => "zip",
            Format::Seven => "7z",
            Format::Rar => "rar",
            Format::Gz => "gz",
            Format::Bz2 => "bz2",
            Format::Xz => "xz",
            Format::Zst => "zst",
        }
    }

    pub fn is_tar(self) -> bool {
        matches!(self, Format::Tar | Format::TarGz | Format::TarBz2 | Format::TarXz | Format::TarZst)
    }

    /// Formats that compress one file into one file.
    pub fn is_single(self) -> bool {
        matches!(self, Format::Gz | Format::Bz2 | Format::Xz | Format::Zst)
    }

    /// The same compression around a tar.
    pub fn with_tar(self) -> Self {
        match self {
            Format::Gz => Format::TarGz,
            Format::Bz2 => Format::TarBz2,
            Format::Xz => Format::TarXz,
            Format::Zst => Format::TarZst,
            other => other,
        }
    }

    pub fn tar_flags(self) -> &'static str {
        match self {
            Format::TarGz => "-czf",
            Format::TarBz2 => "-cjf",
            Format::TarXz => "-cJf",
            Format::TarZst => "--zstd -cf",
            _ => "-cf",
        }
    }
}

pub fn is_archive(path: &str) -> bool {
    Format::of(path).is_some() && Format::said(path).is_none()
}

/// The archive format that the query names, and where.
pub fn format_said(scan: &WordScan<'_, '_>) -> Option<(usize, Format)> {
    let last = |at: &usize| {
        let word = scan.word(*at)?;
        if matches!(word.thing, Some(Entity::Text(_))) {
            return None;
        }
        Format::said(&word.low).map(|format| (*at, format))
    };
    // `tar the folder into a tar.gz`: the more specific word wins.
    let all: Vec<(usize, Format)> = (0..scan.len()).collect::<Vec<_>>().iter().filter_map(last).collect();
    all.iter().find(|(_, format)| !matches!(format, Format::Tar | Format::Zip)).or_else(|| all.first()).copied()
}

/// Marks the words that name an archive and its format.
pub fn take_words(scan: &mut WordScan<'_, '_>) {
    for at in 0..scan.len() {
        if scan
            .word(at)
            .is_some_and(|word| Format::said(&word.low).is_some() && !matches!(word.thing, Some(Entity::Text(_))))
        {
            scan.mark(at);
        }
    }
    scan.take(&["archive", "file"]);
    scan.take_said(&["called", "named", "using", "zipped"]);
}
