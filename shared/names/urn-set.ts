import type { Urn } from './urn.ts'

/** URNs that a person named, one by one or by patterns. */
export interface UrnSet {
  /** False for a set of nothing: it then has every URN. */
  readonly isConstrained: boolean
  readonly has: (urn: Urn) => boolean
  /** The entries that are no patterns, as they were given; nobody checked their form. */
  readonly literals: readonly string[]
}

/**
 * The set of some entries. One with a star is a pattern for the whole URN: `*` stands for anything
 * without a colon, `**` for anything. Source: docs/spec/step-generation.md#modes-and-options.
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

/** What a pattern is made of: stars, and the texts between them. */
function tokensOf(pattern: string): readonly string[] {
  return pattern.split(/(\*\*|\*)/).filter(token => token !== '')
}

/**
 * Whether a text is what a pattern says; token by token over all places that are reached so far, so
 * that no pattern takes longer than its length times that of the text.
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

/** Where a fixed text leads from some places. */
function advanceText(places: readonly number[], text: string, token: string): readonly number[] {
  return places.filter(place => text.startsWith(token, place)).map(place => place + token.length)
}

/** Where a star leads from some places, ascending. */
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
