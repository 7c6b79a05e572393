//! Orders about containers of a compose file: `bring up postgres and redis`, `restart the db`, `tail the logs of web`. A service is meant by
//! its name or its image; every word of the request counts. Reads no file itself.

use std::sync::LazyLock;

use aside_text::lazy_regex::Regex;

/// A service with the name of its image, which is empty where it is built.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Service {
    name: String,
    image: String,
}

/// Names that a compose file may have, the preferred first.
pub const FILES: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];

/// Verbs and the command for each; `{}` are the services.
static VERBS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let rows = [
        (
            r"^(?:rebuild|build) and (?:then )?(?:re)?(?:start|run)\b|^(?:re)?start and rebuild\b",
            "docker compose up -d --build {}",
        ),
        (r"^(?:bring|spin|fire|start|boot|get) up|^(?:start|launch|up|run)\b", "docker compose up -d {}"),
        (r"^(?:bring|shut|take|spin) down|^(?:stop|halt)\b", "docker compose stop {}"),
        (r"^(?:restart|bounce|reboot)\b", "docker compose restart {}"),
        (r"^(?:rebuild|build)\b", "docker compose build {}"),
        (r"^pull\b", "docker compose pull {}"),
        (r"^(?:follow|tail|watch)\b.*\blogs?\b", "docker compose logs -f {}"),
        (
            r"^(?:(?:show|see|print|get|view)(?: me)? )?(?:the )?(?:last )?(?:.*\b)?logs?\b",
            "docker compose logs --tail 100 {}",
        ),
        (r"^(?:open|get|give me|start) (?:a )?shell\b", "docker compose exec {} sh"),
    ];
    rows.into_iter().filter_map(|(pattern, cmd)| Some((Regex::new(pattern).ok()?, cmd))).collect()
});

/// Words that name nothing.
const FILLERS: &[&str] = &[
    "the",
    "and",
    "a",
    "container",
    "containers",
    "service",
    "services",
    "please",
    "of",
    "for",
    "in",
    "from",
    "up",
    "down",
    "bring",
    "spin",
    "fire",
    "boot",
    "get",
    "start",
    "launch",
    "run",
    "shut",
    "take",
    "stop",
    "halt",
    "restart",
    "bounce",
    "reboot",
    "rebuild",
    "build",
    "pull",
    "follow",
    "tail",
    "watch",
    "show",
    "see",
    "print",
    "view",
    "me",
    "log",
    "logs",
    "last",
    "open",
    "give",
    "shell",
    "with",
    "docker",
    "compose",
    "just",
    "only",
    "using",
    "via",
    "image",
    "images",
    "again",
    "into",
    "inside",
    "on",
    "background",
    "rerun",
    "then",
];

/// The command for a request; `None` where a word of it is no service, or none is named.
pub fn command(words: &str, compose: &str) -> Option<String> {
    let lower = words.trim().trim_end_matches(['.', '!', '?']).to_lowercase();
    let (_, cmd) = VERBS.iter().find(|(pattern, _)| pattern.is_match(&lower))?;
    // Two orders in one are only known where one command does both.
    let verbs = [
        " and restart",
        " and start",
        " and stop",
        " and remove",
        " and build",
        " and rebuild",
        " and follow",
        " and tail",
        " and show",
        " and run",
    ];
    if verbs.iter().any(|verb| lower.contains(verb)) && !cmd.contains("--build") {
        return None;
    }
    let services = services(compose);
    let mut named: Vec<&str> = Vec::new();
    for word in
        lower.split(|letter: char| !letter.is_alphanumeric() && !"-_".contains(letter)).filter(|word| !word.is_empty())
    {
        let of = services.iter().find(|service| service.name.to_lowercase() == word).or_else(|| {
            let mut by_image = services.iter().filter(|service| is_image(&service.image, word));
            by_image.next().filter(|_| by_image.next().is_none())
        });
        match of {
            Some(service) if !named.contains(&service.name.as_str()) => named.push(&service.name),
            Some(_) => {}
            None if FILLERS.contains(&word) => {}
            None => return None,
        }
    }
    // A shell runs in one container, and a verb alone is about all of the project.
    let is_one = named.len() == 1 || !cmd.contains(" exec ");
    (!named.is_empty() && is_one).then(|| cmd.replace("{}", &named.join(" ")))
}

/// The services of a compose file by their names, and the other words for each.
pub fn named_services(compose: &str) -> Vec<(String, Vec<String>)> {
    let words = ["database", "db", "postgres", "postgresql", "mysql", "mariadb", "mongo", "mongodb", "redis"];
    let of = |service: Service| {
        let own = service.image.rsplit('/').next().unwrap_or_default().split([':', '@']).next().unwrap_or_default();
        let mut called: Vec<String> = vec![own.to_owned()];
        called.extend(words.iter().filter(|word| is_image(&service.image, word)).map(|word| (*word).to_owned()));
        called.retain(|word| !word.is_empty());
        (service.name, called)
    };
    services(compose).into_iter().map(of).collect()
}

/// `postgres` is the image `docker.io/library/postgres:15`; people say database for it as well.
fn is_image(image: &str, word: &str) -> bool {
    let name = image.rsplit('/').next().unwrap_or_default().split([':', '@']).next().unwrap_or_default();
    let is_database = ["postgres", "mysql", "mariadb", "mongo"].contains(&name);
    !name.is_empty()
        && (name == word
            || is_database && ["database", "db"].contains(&word)
            || name == "postgres" && word == "postgresql"
            || name == "mongo" && word == "mongodb")
}

/// The services of a file with their images.
pub fn images(text: &str) -> Vec<(String, String)> {
    services(text).into_iter().map(|Service { name, image }| (name, image)).collect()
}

/// The services of a compose file, by the indentation of its lines.
fn services(text: &str) -> Vec<Service> {
    let mut found: Vec<Service> = Vec::new();
    let (mut inside, mut depth) = (false, None);
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#')) {
        let indent = line.len() - line.trim_start().len();
        if indent == 0 {
            inside = line.trim_end() == "services:";
            continue;
        }
        if !inside {
            continue;
        }
        let depth = *depth.get_or_insert(indent);
        let Some((key, value)) = line.trim().split_once(':') else { continue };
        let is_name =
            !key.is_empty() && key.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(letter));
        if indent == depth && value.trim().is_empty() && is_name && !key.starts_with('-') {
            found.push(Service { name: key.to_owned(), image: String::new() });
        } else if key == "image"
            && let Some(service) = found.last_mut()
        {
            service.image = value.trim().trim_matches(['"', '\'']).to_owned();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "services:\n  db:\n    image: postgres:15\n    ports:\n      - \"5432:5432\"\n  redis:\n    image: redis:7\n  web:\n    build: .\n    depends_on: [db]\nvolumes:\n  data:\n";

    #[test]
    fn services_are_meant_by_their_names_or_images() {
        let told = |words: &str| command(words, FILE).unwrap_or_default();
        assert_eq!(told("bring up postgres and redis"), "docker compose up -d db redis");
        assert_eq!(told("start the database"), "docker compose up -d db");
        assert_eq!(told("restart the web container"), "docker compose restart web");
        assert_eq!(told("stop redis"), "docker compose stop redis");
        assert_eq!(told("tail the logs of web"), "docker compose logs -f web");
        assert_eq!(told("show me the redis logs"), "docker compose logs --tail 100 redis");
        assert_eq!(told("open a shell in the db container"), "docker compose exec db sh");
        assert_eq!(told("rebuild web"), "docker compose build web");
        assert_eq!(told("rebuild and restart the web service"), "docker compose up -d --build web");
        assert_eq!(told("stop and remove the web container"), "");
    }

    #[test]
    fn a_word_that_is_no_service_makes_it_another_order() {
        for words in [
            "start the server",
            "bring up kafka",
            "stop",
            "restart the web and the worker",
            "start data",
            "run the web tests",
            "what is redis",
        ] {
            assert_eq!(command(words, FILE), None, "{words}");
        }
    }
}
