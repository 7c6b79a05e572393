# A template, untested: written from Homebrew's manual, never installed. There is no release yet, so the addresses and the checksum
# below are made up. Put it into a tap, and set homepage, url and sha256 of the tarball that you publish.
class Aside < Formula
  desc "Natural language at the shell prompt"
  homepage "https://example.invalid/aside"
  url "https://example.invalid/aside/aside-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/aside")
    system bin/"aside", "man", man1
    generate_completions_from_executable(bin/"aside", "completions")
  end

  def caveats
    "Run `aside setup`, which asks before it adds a line to your rc file."
  end

  test do
    assert_equal "find . -type f -size +100M", shell_output("#{bin}/aside translate find files larger than 100MB").strip
  end
end
