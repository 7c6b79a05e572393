import { debounce } from 'lodash'

const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600 }

/** "1h30m" becomes 5400. */
export function parseDuration(text: string): number {
  let seconds = 0
  for (const [, count, unit] of text.matchAll(/(\d+)([smh])/g)) {
    seconds += Number(count) * UNITS[unit]
  }
  return seconds
}

export const parseLater = debounce(parseDuration, 200)
