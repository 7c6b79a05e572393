//! The built-in specs, each parsed on first use.

use std::sync::{Arc, OnceLock};

use crate::spec::format::{self, Spec};

struct BuiltIn {
    name: &'static str,
    text: &'static str,
    parsed: OnceLock<Option<Arc<Spec>>>,
}

macro_rules! built_in {
    ($($name:literal)*) => {
        static BUILT_IN: [BuiltIn; [$($name),*].len()] = [$(BuiltIn {
            name: $name,
            text: include_str!(concat!("../../data/spec/", $name, ".toml")),
            parsed: OnceLock::new(),
        }),*];
    };
}

// Sorted by name. A test compares the list with the directory.
built_in! {
    "7z" "VBoxManage" "a2ensite" "ab" "ack" "act" "adb" "add-apt-repository" "addgroup" "addr2line" "adduser" "ag" "age"
    "age-keygen" "aircrack-ng" "airflow" "airmon-ng" "airodump-ng" "alias" "alsamixer" "amixer" "ansible"
    "ansible-config" "ansible-doc" "ansible-galaxy" "ansible-inventory" "ansible-lint" "ansible-playbook" "ansible-pull"
    "ansible-vault" "ant" "apachectl" "apk" "apptainer" "apropos" "apt" "apt-cache" "apt-file" "apt-get" "apt-mark"
    "aptitude" "ar" "arduino-cli" "aria2c" "arp" "arp-scan" "arping" "asciidoctor" "asciinema" "asdf" "aside" "asterisk"
    "at" "atuin" "auditctl" "ausearch" "autoconf" "autojump" "autoreconf" "avrdude" "awk" "aws" "az" "bandit" "base32"
    "base64" "basename" "bash" "bat" "bazel" "bc" "bg" "bind" "black" "blender" "blkid" "bluetoothctl" "bmon" "bootctl"
    "bpftrace" "brew" "bridge" "broot" "btop" "btrfs" "buildah" "builtin" "bun" "bundle" "busctl" "bw" "bzip2" "cabal"
    "caffeinate" "cal" "calcurse" "cancel" "capsh" "cargo" "cat" "ccache" "cd" "cdk" "certbot" "cf" "chage" "chattr"
    "chcon" "chezmoi" "chfn" "chgrp" "chmod" "chown" "chronyc" "chroot" "chrt" "chsh" "circleci" "cksum" "clang" "clear"
    "cloudflared" "cmake" "cmp" "code" "codesign" "col" "colrm" "column" "comm" "command" "compare" "compgen" "complete"
    "composer" "conda" "convert" "coredumpctl" "cosign" "cowsay" "cp" "cpack" "cpio" "cppcheck" "crane" "createdb"
    "croc" "crontab" "cryptsetup" "csplit" "csvcut" "csvgrep" "csvlook" "ctest" "curl" "cut" "cwebp" "dart" "date" "dbt"
    "dc" "dconf" "dd" "ddrescue" "debootstrap" "declare" "defaults" "delgroup" "deluser" "deno" "depmod" "df" "dhclient"
    "dialog" "diff" "diff3" "dig" "direnv" "dirname" "dirs" "diskutil" "disown" "distrobox" "dmenu" "dmesg" "dmidecode"
    "dnf" "dnsmasq" "doas" "docker" "docker-compose" "doctl" "dolt" "doppler" "dos2unix" "dot" "dotnet" "dpkg"
    "dpkg-deb" "dpkg-query" "dpkg-reconfigure" "dropdb" "dscl" "dstat" "du" "duf" "dumpe2fs" "duplicity" "dust" "dvc"
    "e2fsck" "echo" "efibootmgr" "elixir" "emacs" "emacsclient" "emerge" "enable" "entr" "env" "envsubst" "eopkg"
    "esbuild" "eslint" "ethtool" "eval" "exec" "exiftool" "exim" "exit" "expand" "expect" "expo" "export" "expr" "eza"
    "factor" "fail2ban-client" "fallocate" "false" "fastboot" "fastlane" "fc" "fd" "fdisk" "feh" "ffmpeg" "ffplay"
    "ffprobe" "fg" "figlet" "file" "find" "findmnt" "finger" "fio" "firebase" "firefox" "firewall-cmd" "fish" "flac"
    "flake8" "flatpak" "flock" "flutter" "flyctl" "fmt" "fnm" "fold" "fossil" "free" "fsck" "fstrim" "fuser" "fzf" "gcc"
    "gcloud" "gdb" "gem" "getcap" "getenforce" "getent" "getfacl" "gettext" "gh" "ghc" "ghq" "git" "glab" "glances" "gm"
    "go" "gobuster" "gofmt" "goreleaser" "gource" "gpasswd" "gpg" "gradle" "grep" "gron" "groupadd" "groupdel"
    "groupmod" "groups" "grub-install" "gs" "gsettings" "gunzip" "gzip" "halt" "haproxy" "hash" "hashcat" "hdparm"
    "head" "helm" "heroku" "hexdump" "hg" "history" "hledger" "host" "hostname" "hostnamectl" "hping3" "htop" "htpasswd"
    "http" "hub" "hugo" "hwclock" "hx" "hydra" "hyperfine" "hyprctl" "i3-msg" "iconv" "id" "idea" "identify" "iex"
    "ifconfig" "ifdown" "iftop" "ifup" "in2csv" "influx" "info" "inkscape" "inotifywait" "install" "inxi" "ionic"
    "ionice" "iostat" "ip" "ipcrm" "ipcs" "iperf" "iperf3" "iptables" "iptables-restore" "iptables-save" "ipython" "irb"
    "isort" "iw" "iwconfig" "jar" "java" "javac" "jbang" "jest" "jj" "jobs" "john" "join" "journalctl" "jpegoptim" "jq"
    "jshell" "julia" "jupyter" "just" "k3d" "k6" "k9s" "kdestroy" "keytool" "kill" "killall" "kind" "kinit" "kitty"
    "klist" "ksh" "kubectl" "kubectx" "kubens" "lame" "last" "lastlog" "latexmk" "launchctl" "lazygit" "ld" "ldapsearch"
    "ldd" "ledger" "lerna" "less" "lftp" "limactl" "ln" "loadkeys" "local" "localectl" "locate" "logger" "loginctl"
    "logrotate" "lolcat" "look" "losetup" "lp" "lpq" "lpr" "lpstat" "ls" "lsattr" "lsblk" "lscpu" "lsd" "lshw" "lsipc"
    "lslocks" "lslogins" "lsmem" "lsns" "lsof" "lspci" "lsusb" "ltrace" "lua" "lvchange" "lvconvert" "lvcreate"
    "lvdisplay" "lvextend" "lvreduce" "lvremove" "lvrename" "lvresize" "lvs" "lvscan" "lxc" "lynx" "lz4" "lzma" "lzop"
    "m4" "machinectl" "magick" "maim" "make" "makepkg" "man" "mapfile" "mas" "mc" "mdadm" "mdfind" "mediainfo" "meson"
    "micro" "minicom" "minikube" "mix" "mkdir" "mkdocs" "mkfifo" "mkfs.ext4" "mkinitcpio" "mknod" "mkswap" "mktemp"
    "mlr" "modinfo" "modprobe" "mogrify" "mongo" "mongodump" "mongorestore" "mongosh" "montage" "more" "mosh"
    "mosquitto_pub" "mosquitto_sub" "mount" "mpc" "mpstat" "mpv" "msfconsole" "msgfmt" "msmtp" "mtr" "multipass" "mutt"
    "mv" "mvn" "mypy" "mysql" "mysqladmin" "mysqlcheck" "mysqldump" "mysqlimport" "namei" "nano" "nc" "ncat" "ncdu"
    "neofetch" "nest" "nethogs" "netlify" "netstat" "networkctl" "newman" "next" "nft" "ng" "nginx" "ngrok" "nice"
    "ninja" "nix" "nix-build" "nix-channel" "nix-collect-garbage" "nix-env" "nix-shell" "nix-store" "nixos-rebuild" "nl"
    "nm" "nmap" "nmcli" "nmtui" "nnn" "node" "nohup" "notify-send" "npm" "nproc" "npx" "nsenter" "nslookup" "nstat"
    "numfmt" "nvm" "nvme" "nx" "objcopy" "objdump" "octave" "od" "ollama" "op" "opam" "open" "openssl" "openvpn"
    "optipng" "osascript" "pacman" "pacmd" "pactl" "pandoc" "parallel" "parted" "partprobe" "pass" "passwd" "paste"
    "patch" "pathchk" "pbcopy" "pbpaste" "pct" "pdfimages" "pdfinfo" "pdfseparate" "pdftoppm" "pdftotext" "perf" "perl"
    "perldoc" "pg_dump" "pg_dumpall" "pg_isready" "pg_restore" "pgrep" "php" "phpunit" "picocom" "pidof" "pidstat"
    "pigz" "ping" "pio" "pip" "pipenv" "pipx" "pkg" "pkg-config" "pkill" "play" "playwright" "plutil" "pm2" "pmap"
    "pmset" "pngquant" "pnpm" "pod" "podman" "poetry" "popd" "port" "poweroff" "pr" "pre-commit" "prettier" "printf"
    "prlimit" "ps" "psql" "pstree" "pueue" "pulseaudio" "pulumi" "pushd" "pv" "pvcreate" "pvdisplay" "pvmove" "pvremove"
    "pvresize" "pvs" "pwd" "pwdx" "pwgen" "pycodestyle" "pyenv" "pytest" "python" "qm" "qrencode" "rabbitmqctl" "rails"
    "rake" "ranger" "rbenv" "rc-service" "rclone" "react-native" "read" "readelf" "readlink" "readonly" "realpath"
    "reboot" "rec" "redis-benchmark" "redis-cli" "rename" "renice" "reset" "resize2fs" "resolvectl" "restic"
    "restorecon" "return" "rev" "rfkill" "rg" "rm" "rmdir" "rmmod" "rofi" "rollup" "route" "rpm" "rpm2cpio" "rpmbuild"
    "rsnapshot" "rsync" "rtmon" "rubocop" "ruby" "ruff" "run-parts" "rustc" "rustup" "s3cmd" "sam" "sbt" "scc" "scons"
    "scp" "screen" "scriptreplay" "scrot" "sdiff" "sed" "semanage" "sensors" "seq" "serve" "serverless" "service" "set"
    "setcap" "setenforce" "setfacl" "setsid" "setxkbmap" "sfdisk" "sftp" "sgdisk" "sh" "sha256sum" "shasum" "shellcheck"
    "shfmt" "shopt" "showmount" "shred" "shuf" "shutdown" "sips" "size" "skopeo" "slabtop" "sleep" "smartctl"
    "smbclient" "smbpasswd" "snap" "socat" "softwareupdate" "sops" "sort" "source" "sox" "speedtest" "speedtest-cli"
    "sphinx-build" "split" "sqlfluff" "sqlite3" "sqlmap" "ss" "ssh" "ssh-add" "ssh-agent" "ssh-copy-id" "ssh-keygen"
    "ssh-keyscan" "sshfs" "sshpass" "stack" "stat" "stdbuf" "stow" "strace" "stress" "stress-ng" "strings" "strip"
    "stty" "su" "subl" "sudo" "sum" "supervisorctl" "suspend" "svn" "sw_vers" "swapoff" "swapon" "swaymsg" "swift"
    "symfony" "sync" "syncthing" "sysbench" "sysctl" "systemctl" "systemd-analyze" "systemd-cgls" "systemd-cgtop"
    "systemd-escape" "systemd-inhibit" "systemd-run" "systemd-tmpfiles" "tac" "tail" "tailscale" "tar" "taskset" "tc"
    "tcpdump" "tee" "telnet" "terraform" "terragrunt" "test" "testparm" "tig" "time" "timedatectl" "timeout" "tldr"
    "tlmgr" "tmutil" "tmux" "toilet" "tokei" "toolbox" "top" "touch" "tox" "tput" "tr" "tracepath" "traceroute" "trap"
    "trash" "tree" "trivy" "true" "truncate" "trunk" "ts-node" "tsc" "tsh" "tshark" "tsort" "tty" "tune2fs" "turbo"
    "type" "typst" "udisksctl" "ufw" "ugrep" "ul" "ulimit" "umask" "umount" "unalias" "uname" "uncompress" "unexpand"
    "uniq" "units" "unlink" "unrar" "unset" "unshare" "unxz" "unzip" "unzstd" "update-alternatives" "update-grub"
    "uptime" "useradd" "userdel" "usermod" "uuidgen" "uv" "uvx" "vagrant" "valgrind" "vault" "vercel" "vgchange"
    "vgcreate" "vgdisplay" "vgextend" "vgreduce" "vgremove" "vgs" "vgscan" "vim" "vipw" "virsh" "virt-install" "visudo"
    "vite" "vmstat" "vnstat" "vue" "w" "w3m" "wait" "wasm-pack" "watch" "watchexec" "wc" "wdiff" "webpack" "wezterm"
    "wg" "wg-quick" "wget" "whatis" "whereis" "which" "whiptail" "who" "whoami" "whois" "wine" "winetricks" "wipefs"
    "wl-copy" "wl-paste" "wmctrl" "wp" "wpa_cli" "wpa_supplicant" "wpctl" "wrangler" "wrk" "xargs" "xbps-install"
    "xbps-query" "xclip" "xcode-select" "xcodebuild" "xdg-mime" "xdg-open" "xdotool" "xinput" "xmllint" "xmlstarlet"
    "xmodmap" "xprop" "xrandr" "xsel" "xset" "xsltproc" "xwininfo" "xxd" "xz" "yadm" "yarn" "yes" "ykman" "yq" "yt-dlp"
    "yum" "z" "zbarimg" "zenity" "zfs" "zig" "zip" "zipinfo" "zoxide" "zpool" "zsh" "zstd" "zypper"
}

/// By its name or one of its aliases.
pub fn find(name: &str) -> Option<Arc<Spec>> {
    let spec = &BUILT_IN[position(name)?];
    spec.parsed.get_or_init(|| format::parse(spec.name, spec.text).0.map(Arc::new)).clone()
}

/// One line about a command, found without parsing the whole text if that has not been done yet: parsing the spec of a
/// large program takes longer than answering a query.
pub fn about(name: &str) -> Option<Box<str>> {
    let spec = &BUILT_IN[position(name)?];
    if spec.parsed.get().is_none()
        && let Some(about) = head_about(spec.text)
    {
        return Some(about.into());
    }
    find(name).map(|spec| spec.about.clone())
}

/// `None` when it is written in a form that needs the full parser.
fn head_about(text: &str) -> Option<&str> {
    let mut head = text.lines().take_while(|line| !line.starts_with('['));
    let value = head.find_map(|line| line.strip_prefix("about")?.trim_start().strip_prefix('='))?;
    let (about, rest) = value.trim_start().strip_prefix('"')?.split_once('"')?;
    (!about.contains('\\') && rest.trim().is_empty() && !about.is_empty()).then_some(about)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|spec| spec.name)
}

pub fn has(name: &str) -> bool {
    position(name).is_some()
}

fn position(name: &str) -> Option<usize> {
    BUILT_IN.binary_search_by(|spec| spec.name.cmp(name)).ok().or_else(|| by_alias(name))
}

fn by_alias(name: &str) -> Option<usize> {
    static ALIASES: OnceLock<Vec<(&'static str, usize)>> = OnceLock::new();
    let aliases = ALIASES.get_or_init(|| {
        let specs = BUILT_IN.iter().enumerate();
        let mut aliases: Vec<_> =
            specs.flat_map(|(number, spec)| head_aliases(spec.text).map(move |alias| (alias, number))).collect();
        aliases.sort_unstable();
        aliases
    });
    aliases.binary_search_by(|(alias, _)| (*alias).cmp(name)).ok().map(|found| aliases[found].1)
}

/// `aliases` of the command itself, found without parsing: otherwise every lookup would parse all specs.
fn head_aliases(text: &str) -> impl Iterator<Item = &str> {
    let head = text.lines().take_while(|line| !line.starts_with('['));
    let line = head.filter_map(|line| line.strip_prefix("aliases")).next().unwrap_or_default();
    line.split('"').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::walk::{self, SpecEnd, SpecWord};
    use std::collections::BTreeSet;

    fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|spec| spec.name)
    }

    fn specs() -> Vec<(&'static str, Arc<Spec>)> {
        names().map(|name| (name, find(name).unwrap_or_else(|| panic!("{name} is not read")))).collect()
    }

    /// Every spec and subcommand, with its full name.
    fn all() -> Vec<(String, Arc<Spec>)> {
        let mut found: Vec<(String, Arc<Spec>)> =
            specs().into_iter().map(|(name, spec)| (name.to_owned(), spec)).collect();
        let mut at = 0;
        while at < found.len() {
            let (name, spec) = found[at].clone();
            found.extend(spec.subs.iter().map(|sub| (format!("{name} {}", sub.name), Arc::clone(&sub.spec))));
            at += 1;
        }
        found
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "only the directory itself knows what is in it")]
    fn the_table_is_sorted_and_names_every_file() {
        let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/spec");
        let files =
            std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = files.map(|file| file.trim_end_matches(".toml").to_owned()).collect();
        let table: Vec<&str> = names().collect();
        assert_eq!(table, files.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn a_look_at_the_head_says_what_the_whole_says() {
        for (name, spec) in specs() {
            let (text, read) = (BUILT_IN[position(name).unwrap()].text, &*spec.about);
            assert!(head_about(text).is_none_or(|about| about == read), "{name}: {read}");
        }
        assert!(head_about(BUILT_IN[position("git").unwrap()].text).is_some(), "it is worth it");
    }

    #[test]
    fn nothing_is_wrong_with_them() {
        let problems = BUILT_IN.iter().flat_map(|spec| format::parse(spec.name, spec.text).1);
        let problems: Vec<String> = problems.map(|problem| problem.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new());
    }

    #[test]
    fn other_names_lead_to_them_and_to_one_only() {
        let mut seen: BTreeSet<String> = names().map(str::to_owned).collect();
        for (name, spec) in specs() {
            for alias in &spec.aliases {
                assert!(seen.insert(alias.to_string()), "{alias} is there twice");
                assert!(Arc::ptr_eq(&find(alias).unwrap(), &spec), "{alias} does not lead to {name}");
            }
        }
        assert!(find("no-such-command").is_none());
    }

    #[test]
    fn descriptions_are_short_lower_case_and_without_a_full_stop() {
        let mut bad = Vec::new();
        let mut check = |place: &str, about: &str| {
            // An abbreviation or a key name may begin with a capital: then the next letter is not lower case.
            let capital = about.starts_with(char::is_uppercase)
                && about.chars().nth(1).is_none_or(|letter| letter.is_lowercase())
                && !KEPT.iter().any(|word| about.starts_with(word));
            if about.ends_with('.') || capital || about.chars().count() > 100 {
                bad.push(format!("{place}: {about:?}"));
            }
        };
        for (name, spec) in all() {
            assert!(!spec.about.is_empty(), "{name} has no description");
            check(&name, &spec.about);
            for flag in &spec.flags {
                check(&format!("{name} {}", flag.names[0]), &flag.about);
            }
        }
        assert_eq!(bad, Vec::<String>::new());
    }

    /// Names that are always capitalized.
    const KEPT: &[&str] =
        &["Docker", "Go ", "Git", "Python", "Rust", "Cargo", "Perl", "Unix", "Node", "Ctrl", "Unicode", "Kubernetes"];

    #[test]
    fn every_subcommand_is_found_on_the_way() {
        for (name, spec) in all() {
            let pieces: Vec<SpecWord<'_>> =
                name.split(' ').map(|word| SpecWord { value: word.into(), fixed: true, word: None }).collect();
            let walk = walk::walk(find(&pieces[0].value).unwrap(), &pieces);
            assert!(Arc::ptr_eq(walk.spec(), &spec), "{name}");
            assert_eq!(walk.end(), SpecEnd::Open, "{name}");
        }
    }

    #[test]
    fn subcommands_have_different_names() {
        for (name, spec) in all() {
            let mut seen = BTreeSet::new();
            for sub in &spec.subs {
                for known in std::iter::once(&sub.name).chain(&sub.spec.aliases) {
                    assert!(seen.insert(known), "{name} {known} is there twice");
                }
            }
        }
    }
}
