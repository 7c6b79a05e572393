//! Files that a request names by what they are for: CI, the compose file, the Dockerfile.

/// Words for such files, as a pattern.
pub const WORDS: &str =
    r"(?i:ci|workflows?|pipelines?|github\s+actions|gitlab\s+ci|(?:docker[\s-])?compose(?:\s+file)?|dockerfiles?)";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Ci,
    Compose,
    Docker,
}

impl Place {
    /// Where images are named.
    pub const IMAGES: &[Place] = &[Place::Compose, Place::Docker];

    /// All places that words name: `CI and the Dockerfile`.
    pub fn all(words: &str) -> Vec<Self> {
        let lower = words.to_lowercase();
        let has = |names: &[&str]| names.iter().any(|name| lower.contains(name));
        let words: Vec<&str> = lower.split(|letter: char| !letter.is_alphanumeric()).collect();
        let found = [
            (Place::Ci, words.contains(&"ci") || has(&["workflow", "pipeline", "github actions"])),
            (Place::Compose, has(&["compose"])),
            (Place::Docker, has(&["dockerfile"])),
        ];
        found.into_iter().filter(|(_, is_named)| *is_named).map(|(place, _)| place).collect()
    }

    pub fn has(self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
        match self {
            Place::Ci => {
                is_yaml
                    && (path.starts_with(".github/")
                        || path.starts_with(".circleci/")
                        || name.starts_with(".gitlab-ci")
                        || name.starts_with("azure-pipelines")
                        || name.starts_with(".travis")
                        || name.starts_with("bitbucket-pipelines"))
            }
            Place::Compose => is_yaml && name.contains("compose"),
            Place::Docker => name.starts_with("dockerfile") || name.ends_with(".dockerfile") || name == "containerfile",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_by_their_purpose() {
        assert_eq!(Place::all("CI and the Dockerfile"), [Place::Ci, Place::Docker]);
        assert_eq!(Place::all("docker compose"), [Place::Compose]);
        assert_eq!(Place::all("the circle"), []);
        assert!(Place::Ci.has(".github/workflows/test.yml") && !Place::Ci.has("config/test.yml"));
        assert!(Place::Compose.has("docker-compose.yml") && Place::Docker.has("deploy/Dockerfile.prod"));
    }
}
