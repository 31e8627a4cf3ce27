import type { Urn } from './urn.ts'

/** A set of URNs that a user named, literally or by patterns. */
export interface UrnSet {
  /** Whether the set has entries. Without entries, it contains every URN. */
  readonly isConstrained: boolean
  readonly has: (urn: Urn) => boolean
  /** The entries that are not patterns, unchanged and unvalidated. */
  readonly literals: readonly string[]
}

/**
 * Creates a set from entries. An entry with a star is a pattern for the whole URN: `*` matches
 * anything without a colon, `**` anything. Source: docs/spec/step-generation.md#modes-and-options.
 */
export function createUrnSet(entries: readonly string[]): UrnSet {
  const literals = entries.filter(entry => !entry.includes('*'))
  const literalSet = new Set(literals)
  const patterns = entries.filter(entry => entry.includes('*')).map(tokensOf)
  const isConstrained = entries.length > 0
  return {
    isConstrained,
    has: urn =>
      !isConstrained ||
      literalSet.has(urn) ||
      patterns.some(pattern => matchesTokens(pattern, urn)),
    literals,
  }
}

/** Splits a pattern into stars and the texts between them. */
function tokensOf(pattern: string): readonly string[] {
  return pattern.split(/(\*\*|\*)/).filter(token => token !== '')
}

/**
 * Reports whether a text matches a pattern. The function advances all reachable positions token by
 * token. Its time is therefore at most proportional to the length of the text times that of the
 * pattern.
 */
function matchesTokens(tokens: readonly string[], text: string): boolean {
  let positions: readonly number[] = [0]
  for (const token of tokens) {
    if (positions.length === 0) return false
    positions =
      token === '**' || token === '*'
        ? advanceStar(positions, text, token)
        : advanceText(positions, text, token)
  }
  return positions.at(-1) === text.length
}

/** Returns the positions after a fixed text. */
function advanceText(positions: readonly number[], text: string, token: string): readonly number[] {
  return positions
    .filter(position => text.startsWith(token, position))
    .map(position => position + token.length)
}

/**
 * Returns the positions after a star, ascending. A start that an earlier start reaches is skipped:
 * both reach the same positions, up to the next colon or the end of the text.
 */
function advanceStar(positions: readonly number[], text: string, star: string): readonly number[] {
  const reachedPositions: number[] = []
  let firstUnreached = 0
  for (const start of positions) {
    if (start < firstUnreached) continue
    for (let position = start; position <= text.length; position += 1) {
      reachedPositions.push(position)
      firstUnreached = position + 1
      if (star === '*' && text[position] === ':') break
    }
  }
  return reachedPositions
}
