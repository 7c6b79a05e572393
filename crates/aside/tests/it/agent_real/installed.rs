//! The real agents that `scripts/agents` installs, each with a scripted model behind it: how each is started, and which model reply
//! makes it change a file or run a command.

use std::path::PathBuf;

use serde_json::json;

use crate::harness::agents::Agents;
use crate::harness::home::Home;
use crate::model::Model;
use crate::model::scripted_reply::ScriptedReply;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    /// Codex's app-server; the two versions name their tool differently.
    Codex,
    OldCodex,
    /// An ACP adapter in front of Codex.
    CodexAcp,
    /// Speaks ACP natively.
    Opencode,
}

pub struct Real {
    /// Includes the version.
    pub name: &'static str,
    pub speaks: Speaks,
    pub program: PathBuf,
}

/// Returns no agents unless `ASIDE_TEST_AGENTS` names their directory. `ASIDE_TEST_AGENT` selects a single one.
pub fn all() -> Vec<Real> {
    let Some(dir) = std::env::var_os("ASIDE_TEST_AGENTS").map(PathBuf::from) else { return Vec::new() };
    let linux = "vendor/x86_64-unknown-linux-musl";
    let real = |name, speaks, program: &str| Real { name, speaks, program: dir.join(program) };
    let all = vec![
        real(
            "codex 0.166",
            Speaks::Codex,
            &format!("codex-0.166/node_modules/@openai/codex-linux-x64/{linux}/bin/codex"),
        ),
        real("codex 0.80", Speaks::OldCodex, &format!("codex-0.80/node_modules/@openai/codex/{linux}/codex/codex")),
        real("codex-acp 2.6", Speaks::CodexAcp, "codex-acp/node_modules/.bin/codex-acp"),
        real("opencode 1.18", Speaks::Opencode, "opencode/node_modules/.bin/opencode"),
    ];
    let only = std::env::var("ASIDE_TEST_AGENT").unwrap_or_default();
    all.into_iter().filter(|real| real.name.contains(&only)).collect()
}

impl Real {
    /// A project whose agent uses this model.
    pub fn scene(&self, model: &Model) -> Agents {
        let mut home = Home::new();
        home.set_env("SCRIPTED_KEY", "x");
        let url = model.base_url();
        let codex = format!(
            "model = \"scripted\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n[model_providers.scripted]\n\
             name = \"scripted\"\nbase_url = \"{url}\"\nwire_api = \"responses\"\nenv_key = \"SCRIPTED_KEY\"\nrequest_max_retries = 0\n\
             stream_max_retries = 0\n"
        );
        home.write(".codex/config.toml", codex);
        let opencode = json!({
            "provider": { "scripted": {
                "npm": "@ai-sdk/openai-compatible", "name": "scripted",
                "options": { "baseURL": url, "apiKey": "x" }, "models": { "scripted": { "name": "scripted" } },
            } },
            "model": "scripted/scripted", "small_model": "scripted/scripted", "autoupdate": false, "share": "disabled",
        });
        home.write(".config/opencode/opencode.json", opencode.to_string());
        // Opencode would contact hosts that no test can reach, and wait for them.
        for name in ["MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "AUTOUPDATE"] {
            home.set_env(&format!("OPENCODE_DISABLE_{name}"), "1");
        }
        // Answers the request for a conversation title, which carries no tools.
        model.without_tools(ScriptedReply::chat("A greeting"));
        let program = self.program.to_str().unwrap();
        match self.speaks {
            Speaks::Codex | Speaks::OldCodex => Agents::named(home, "codex", program, ""),
            Speaks::CodexAcp => Agents::named(home, "acp:codex", program, ""),
            Speaks::Opencode => Agents::named(home, "acp:opencode", &format!("{program} acp"), ""),
        }
    }

    /// A model reply that replaces one line of a file.
    pub fn changes(&self, scene: &Agents, file: &str, old: &str, new: &str) -> ScriptedReply {
        let patch = format!(
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: {file}\n@@\n-{old}\n+{new}\n*** End Patch\nEOF"
        );
        match self.speaks {
            Speaks::Codex | Speaks::CodexAcp => ScriptedReply::calls("exec_command", json!({ "cmd": patch })),
            Speaks::OldCodex => ScriptedReply::calls("shell", json!({ "command": ["bash", "-lc", patch] })),
            Speaks::Opencode => {
                let path = scene.home.path("project").join(file);
                ScriptedReply::calls("edit", json!({ "filePath": path, "oldString": old, "newString": new }))
            }
        }
    }

    /// A model reply that runs a command which only reads, or fails.
    pub fn runs(&self, command: &str) -> ScriptedReply {
        match self.speaks {
            Speaks::Codex | Speaks::CodexAcp => ScriptedReply::calls("exec_command", json!({ "cmd": command })),
            Speaks::OldCodex => ScriptedReply::calls("shell", json!({ "command": ["bash", "-lc", command] })),
            Speaks::Opencode => ScriptedReply::calls("bash", json!({ "command": command, "description": "looks" })),
        }
    }

    /// A model reply that runs a command which has to write, so that the agent asks for permission; `None` where a model cannot
    /// request that.
    pub fn asks_to_run(&self, command: &str) -> Option<ScriptedReply> {
        let escalated =
            json!({ "cmd": command, "sandbox_permissions": "require_escalated", "justification": "it has to write" });
        match self.speaks {
            Speaks::Codex | Speaks::CodexAcp => Some(ScriptedReply::calls("exec_command", escalated)),
            Speaks::OldCodex => {
                let escalated = json!({ "command": ["bash", "-lc", command], "with_escalated_permissions": true, "justification": "it has to write", "sandbox_permissions": "require_escalated" });
                Some(ScriptedReply::calls("shell", escalated))
            }
            Speaks::Opencode => Some(self.runs(command)),
        }
    }

    /// A model reply that makes the agent read a file by itself, without permission.
    pub fn looks(&self, scene: &Agents, file: &str) -> ScriptedReply {
        match self.speaks {
            Speaks::Opencode => {
                ScriptedReply::calls("read", json!({ "filePath": scene.home.path("project").join(file) }))
            }
            _ => self.runs(&format!("cat {file}")),
        }
    }
}
