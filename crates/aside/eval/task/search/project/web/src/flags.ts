// Feature flags: what is tried out, and for whom.
export const FEATURE_FLAGS: Record<string, boolean> = {
  'new-login': true,
  'dark-mode': false,
}

export function isEnabled(name: string): boolean {
  return FEATURE_FLAGS[name] ?? false
}
