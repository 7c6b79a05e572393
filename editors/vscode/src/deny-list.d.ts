declare module "deny-list" {
  const entries: { what: string; patterns: string[]; except: string[]; hits: string[]; misses: string[] }[];
  export default entries;
}
