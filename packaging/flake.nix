# Untested: written from Nix's manual, never built. Copy it to the root of the source as flake.nix, then run `nix build`.
{
  description = "Natural language at the shell prompt";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in {
      packages = forEach (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "aside";
          version = "0.1.0";
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--bin" "aside" ];
          # The scenes need zsh, bash, fish and tmux in a terminal.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            $out/bin/aside man man1
            installManPage man1/*.1
            installShellCompletion --cmd aside \
              --zsh <($out/bin/aside completions zsh) \
              --bash <($out/bin/aside completions bash) \
              --fish <($out/bin/aside completions fish)
          '';
          meta.mainProgram = "aside";
        };
      });
    };
}
