import type { Urn } from './urn.ts'

/** A set of URNs that a user named, literally or by patterns. */
export interface UrnSet {
  /** False for an empty set, which contains every URN. */
  readonly isConstrained: boolean
  readonly has: (urn: Urn) => boolean
  /** The entries that are not patterns, unchanged and unvalidated. */
  readonly literals: readonly string[]
}

/**
 * Creates a set from entries. An entry with a star is a pattern for the whole URN: `*` matches
 * anything without a colon, `**` anything. Source: docs/spec/step-generation.md#modes-and-options.
 */
export function urnSetOf(entries: readonly string[]): UrnSet {
  const literals = entries.filter(entry => !entry.includes('*'))
  const named = new Set(literals)
  const patterns = entries.filter(entry => entry.includes('*')).map(tokensOf)
  const isConstrained = entries.length > 0
  return {
    isConstrained,
    has: urn => !isConstrained || named.has(urn) || patterns.some(one => matches(one, urn)),
    literals,
  }
}

/** Splits a pattern into stars and the texts between them. */
function tokensOf(pattern: string): readonly string[] {
  return pattern.split(/(\*\*|\*)/).filter(token => token !== '')
}

/**
 * Reports whether a text matches a pattern. It advances all reachable positions token by token, so
 * the time is at most pattern length times text length.
 */
function matches(tokens: readonly string[], text: string): boolean {
  let places: readonly number[] = [0]
  for (const token of tokens) {
    if (places.length === 0) return false
    places =
      token === '**' || token === '*'
        ? advanceStar(places, text, token)
        : advanceText(places, text, token)
  }
  return places.at(-1) === text.length
}

/** Returns the positions after a fixed text. */
function advanceText(places: readonly number[], text: string, token: string): readonly number[] {
  return places.filter(place => text.startsWith(token, place)).map(place => place + token.length)
}

/** Returns the positions after a star, ascending. */
function advanceStar(places: readonly number[], text: string, star: string): readonly number[] {
  const reached: number[] = []
  let next = 0
  for (const from of places)
    for (let place = Math.max(from, next); place <= text.length; place += 1) {
      reached.push(place)
      next = place + 1
      if (star === '*' && text[place] === ':') break
    }
  return reached
}
