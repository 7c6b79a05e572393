# For fisher and other plugin managers. Needs `aside` on PATH.
type -q aside; and status is-interactive; and aside init fish | source
