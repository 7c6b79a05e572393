//! Help texts in many layouts, written or shortened by us, and the spec learnt from each.

use proptest::prelude::*;

use super::spec;

/// The layout, the program's output, the spec.
const HITS: &[(&str, &str, &str)] = &[
    (
        "getopt",
        r#"Usage: snip [OPTION]... PATTERN [FILE]...
Cut lines that match PATTERN out of each FILE.
Example: snip -i 'hello' menu.txt

Pattern selection:
  -E, --extended            PATTERN is an extended expression
  -e, --pattern=PATTERN     use PATTERN for matching; may be
                            given again
  -f, --file=FILE           take PATTERNS from FILE
      --color[=WHEN]        use colours;
                            WHEN is 'always', 'never', or 'auto'
  -m, --max-count=NUM       stop after NUM lines
  -D, --devices=ACTION      how to handle devices;
                            ACTION is 'read' or 'skip'
      --help                print this and end

A FILE of '-' is standard input.
Report bugs to: somebody@example.invalid
"#,
        r#"about = "cut lines that match PATTERN out of each FILE"
args = ["pattern", "file..."]
[flags]
"-E, --extended" = "PATTERN is an extended expression"
"-e, --pattern" = { takes = "pattern", about = "use PATTERN for matching" }
"-f, --file" = { takes = "file", about = "take PATTERNS from FILE" }
"--color" = { takes = "always|never|auto", about = "use colours", optional = true }
"-m, --max-count" = { takes = "number", about = "stop after NUM lines" }
"-D, --devices" = { takes = "read|skip", about = "how to handle devices" }
"--help" = "print this and end"
"#,
    ),
    (
        "clap short",
        r#"A tool that frobs crates

Usage: frob [OPTIONS] <COMMAND>

Commands:
  build, b  Build what is here
  run       Run a binary [aliases: r]
  help      Explain a subcommand

Options:
  -v, --verbose...         Say more (-vv still more)
      --color <WHEN>       Coloring [default: auto] [possible values: auto, always, never]
  -C <DIRECTORY>           Go to DIRECTORY first
  -j, --jobs <N>           Number of jobs
  -p, --package [<SPEC>]   Package to build
  -h, --help               Print help
  -V, --version            Print version
"#,
        r#"about = "a tool that frobs crates"
[flags]
"-v, --verbose" = { about = "say more (-vv still more)", repeats = true }
"--color" = { takes = "auto|always|never", about = "coloring" }
"-C" = { takes = "directory", about = "go to DIRECTORY first" }
"-j, --jobs" = { takes = "number", about = "number of jobs" }
"-p, --package" = { takes = "text", about = "package to build", optional = true }
"-h, --help" = "print help"
"-V, --version" = "print version"
[sub."build"]
about = "build what is here"
aliases = ["b"]
[sub."run"]
about = "run a binary"
[sub."help"]
about = "explain a subcommand"
"#,
    ),
    (
        "clap long",
        r#"frob 1.4.0
Somebody <somebody@example.invalid>
Turn things into other things. It is fast.

Usage: frob [OPTIONS] [PATH]...

Arguments:
  [PATH]...
          What to turn

Options:
  -o, --output <FILE>
          Write to FILE

          A long story about it.

      --format <FORMAT>
          How to print

          Possible values:
          - json: for programs
          - text: for people

          [default: text]

  -h, --help
          Print help (see a summary with '-h')
"#,
        r#"about = "turn things into other things"
args = ["path..."]
[flags]
"-o, --output" = { takes = "file", about = "write to FILE" }
"--format" = { takes = "json|text", about = "how to print" }
"-h, --help" = "print help (see a summary with '-h')"
"#,
    ),
    (
        "argparse",
        r#"usage: fetch.py [-h] [--retries N] [--format {json,csv}] [--dry-run] {get,list} ...

Fetch things from afar.

positional arguments:
  {get,list}
    get                 get one thing
    list                list all things

options:
  -h, --help            print this and end
  --retries N           how often to try (default: 3)
  --format {json,csv}   output format
  -n, --dry-run         do nothing
"#,
        r#"about = "fetch things from afar"
[flags]
"-h, --help" = "print this and end"
"--retries" = { takes = "number", about = "how often to try" }
"--format" = { takes = "json|csv", about = "output format" }
"-n, --dry-run" = "do nothing"
[sub."get"]
about = "get one thing"
[sub."list"]
about = "list all things"
"#,
    ),
    (
        "argparse plain",
        r#"usage: resize [-h] [-w WIDTH] [--out DIR] image {small,large}

positional arguments:
  image          the picture
  {small,large}  the size

optional arguments:
  -h, --help     print this and end
  -w WIDTH, --width WIDTH
                 width in pixels
  --out DIR      where to put it
"#,
        r#"args = ["file", "small|large"]
[flags]
"-h, --help" = "print this and end"
"-w, --width" = { takes = "number", about = "width in pixels" }
"--out" = { takes = "directory", about = "where to put it" }
"#,
    ),
    (
        "cobra",
        r#"Manage clusters from the command line.

Usage:
  clusterctl [flags]
  clusterctl [command]

Available Commands:
  completion  Print a completion script
  get         Show what there is
  help        Explain a command

Flags:
      --config string        config file (default is $HOME/.clusterctl.yaml)
  -h, --help                 help for clusterctl
  -o, --output string        Output format. One of: (json|yaml|wide)
      --retries int          how often to try (default 3)
      --labels stringArray   labels to set

Ask "clusterctl [command] --help" for the rest.
"#,
        r#"about = "manage clusters from the command line"
[flags]
"--config" = { takes = "file", about = "config file" }
"-h, --help" = "help for clusterctl"
"-o, --output" = { takes = "json|yaml|wide", about = "output format" }
"--retries" = { takes = "number", about = "how often to try" }
"--labels" = { takes = "text", about = "labels to set" }
[sub."completion"]
about = "print a completion script"
[sub."get"]
about = "show what there is"
[sub."help"]
about = "explain a command"
"#,
    ),
    (
        "docker like",
        r#"
Usage:  dock [OPTIONS] COMMAND

A runtime for boxes

Common Commands:
  run         Make a box and start it
  ps          List boxes

Management Commands:
  builder     Manage builds
  buildx*     Extended builds

Global Options:
      --config string      Where the client has its files (default
                           "/home/me/.dock")
  -D, --debug              Tell everything
  -H, --host list          Which engine to talk to

See 'dock COMMAND --help'.
"#,
        r#"about = "a runtime for boxes"
[flags]
"--config" = { takes = "file", about = "where the client has its files" }
"-D, --debug" = "tell everything"
"-H, --host" = { takes = "text", about = "which engine to talk to" }
[sub."run"]
about = "make a box and start it"
[sub."ps"]
about = "list boxes"
[sub."builder"]
about = "manage builds"
[sub."buildx"]
about = "extended builds"
"#,
    ),
    (
        "git like",
        r#"usage: vcs [-v | --version] [-h | --help] [-C <path>] [-c <name>=<value>]
           <command> [<args>]

What people use most, by what they are about to do:

begin to work (see also: vcs help first-steps)
   clone     Copy a whole tree from elsewhere
   init      Begin with nothing

make history and change it
   branch    Show, make, or drop lines of work
   commit    Write down what changed

'vcs help -a' tells of all others.
"#,
        r#"[sub."clone"]
about = "copy a whole tree from elsewhere"
[sub."init"]
about = "begin with nothing"
[sub."branch"]
about = "show, make, or drop lines of work"
[sub."commit"]
about = "write down what changed"
"#,
    ),
    (
        "git subcommand",
        r#"usage: vcs branch [<options>] [-r | -a] [--merged]
   or: vcs branch [<options>] [-f] <branch-name> [<start-point>]

Common options
    -v, --[no-]verbose    name the commit as well, give twice for where it comes from
    -q, --[no-]quiet      say nothing but errors
    -t, --[no-]track[=(direct|inherit)]
                          follow another branch
    --[no-]color[=<when>] paint the branches
    --contains <commit>   only those that have the commit
"#,
        r#"[flags]
"-v, --verbose" = "name the commit as well, give twice for where it comes from"
"--no-verbose" = "the opposite of --verbose"
"-q, --quiet" = "say nothing but errors"
"--no-quiet" = "the opposite of --quiet"
"-t, --track" = { takes = "direct|inherit", about = "follow another branch", optional = true }
"--no-track" = "the opposite of --track"
"--color" = { takes = "text", about = "paint the branches", optional = true }
"--no-color" = "the opposite of --color"
"--contains" = { takes = "text", about = "only those that have the commit" }
"#,
    ),
    (
        "go flag",
        r#"Usage of serve:
  -addr string
    	address to listen on (default ":8080")
  -dir string
    	directory to serve
  -quiet
    	say nothing
  -timeout duration
    	how long to wait (default 30s)
"#,
        r#"style = "single"
[flags]
"-addr" = { takes = "text", about = "address to listen on" }
"-dir" = { takes = "directory", about = "directory to serve" }
"-quiet" = "say nothing"
"-timeout" = { takes = "text", about = "how long to wait" }
"#,
    ),
    (
        "docopt",
        r#"Ferry timetable.

Usage:
  ferry route new <name>...
  ferry boat (hire|return) <boat> <day> [--fast|--slow]
  ferry -h | --help

Options:
  -h --help     Print this page.
  --version     Print the version.
  --knots=<n>   Speed of the boat [default: 10].
  --fast        Take the fast (dear) boat.
"#,
        r#"[flags]
"-h, --help" = "print this page"
"--version" = "print the version"
"--knots" = { takes = "number", about = "speed of the boat" }
"--fast" = "take the fast (dear) boat"
"#,
    ),
    (
        "gh like",
        r#"Everything of the hub at your prompt.

USAGE
  hub <command> <subcommand> [flags]

CORE COMMANDS
  auth:          Sign in and out
  browse:        Look at a page of the hub

ADDITIONAL COMMANDS
  alias:         Give a command a short name

FLAGS
  --help      Tell more about a command
  --version   Show version

EXAMPLES
  $ hub issue create
  $ hub repo clone -f x

LEARN MORE
  Say `hub <command> <subcommand> --help` to read on.
"#,
        r#"about = "everything of the hub at your prompt"
[flags]
"--help" = "tell more about a command"
"--version" = "show version"
[sub."auth"]
about = "sign in and out"
[sub."browse"]
about = "look at a page of the hub"
[sub."alias"]
about = "give a command a short name"
"#,
    ),
    (
        "npm like",
        r#"npm-like <command>

Usage:

npx install        get what the project needs

All commands:

    access, adduser, audit, bugs, cache, ci, completion,
    config, dedupe, deprecate, diff

Settings are in:
    /home/me/.rc
"#,
        r#"[sub."access"]
[sub."adduser"]
[sub."audit"]
[sub."bugs"]
[sub."cache"]
[sub."ci"]
[sub."completion"]
[sub."config"]
[sub."dedupe"]
[sub."deprecate"]
[sub."diff"]
"#,
    ),
    (
        "busybox like",
        r#"BusyThing v1.36.1 multi-call binary.

Usage: wgetty [-cqS] [-O FILE] [-o LOGFILE] URL...

Get files from far away

	-c		Go on where it stopped
	-q		Quiet
	-P DIR		Save to DIR (default .)
	-T SEC		Give up after SEC seconds
	-O FILE		Save to FILE ('-' for stdout)
"#,
        r#"about = "get files from far away"
args = ["url..."]
[flags]
"-c" = "go on where it stopped"
"-q" = "quiet"
"-P" = { takes = "directory", about = "save to DIR" }
"-T" = { takes = "number", about = "give up after SEC seconds" }
"-O" = { takes = "file", about = "save to FILE ('-' for stdout)" }
"#,
    ),
    (
        "colours",
        "\u{1b}[1mUsage:\u{1b}[0m tint [\u{1b}[32mOPTIONS\u{1b}[0m] N\u{8}NA\u{8}AM\u{8}ME\u{8}E\n\n  \u{1b}[32m-a\u{1b}[0m, \u{1b}[32m--all\u{1b}[0m   All of \"it\" \\ more\n  -b, --big   Bigger\n",
        r#"[flags]
"-a, --all" = "all of \"it\" \\ more"
"-b, --big" = "bigger"
"#,
    ),
    (
        "by hand",
        r#"mytool - do things to files

usage: mytool [-nv] [-o outfile] file ...
    -n            dry run
    -o outfile    write there
    -v            say more
    --            end of flags
    -x verbose text with one blank
"#,
        r#"about = "do things to files"
args = ["file..."]
[flags]
"-n" = "dry run"
"-o" = { takes = "file", about = "write there" }
"-v" = "say more"
"-x" = "verbose text with one blank"
"#,
    ),
    (
        "openssl like single",
        r#"Usage: sealer [options]

General options:
 -help                 List the options
 -in infile            Where the letter is, or the request with -req (default stdin)
 -passin val           Where the password comes from
 -days +int            How long the new one holds - default 30
"#,
        r#"style = "single"
[flags]
"-help" = "list the options"
"-in" = { takes = "file", about = "where the letter is, or the request with -req" }
"-passin" = { takes = "text", about = "where the password comes from" }
"-days" = { takes = "number", about = "how long the new one holds - default 30" }
"#,
    ),
    (
        "columns",
        r#"usage: calc [options] [file ...]
  -h  --help         say how it is used
  -q  --quiet        no banner
"#,
        r#"args = ["file..."]
[flags]
"-h, --help" = "say how it is used"
"-q, --quiet" = "no banner"
"#,
    ),
];

/// Texts that are no help, or too little.
const MISSES: &[&str] = &[
    r#"frob: unrecognized option '--help'
Try 'frob -h' for more information.
"#,
    r#"Starting server on port 8080
loading - done
  cache   warm
  disk    ok
"#,
    r#"usage: frob file
"#,
    r#""#,
    r#"This is a long text about nothing.

- one point
- another point
-- a quote
---
"#,
];

#[test]
fn hits_and_misses() {
    for (layout, help, learnt) in HITS {
        assert_eq!(spec(help).as_deref(), Some(*learnt), "{layout}");
    }
    for help in MISSES {
        assert_eq!(spec(help), None, "{help}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "\\PC*", rows in prop::collection::vec("[ \t]{0,9}(-{1,3}|[{\\[<])?[a-zA-Z=.,|é\\[\\]<>{}() -]{0,30}", 0..20)) {
        spec(&text);
        spec(&format!("Usage: x {}", rows.join("\n")));
    }
}
