import { createError } from '../../errors/error.ts'
import { isUrn } from '../../names/urn.ts'
import { readTextField } from '../stored-fields.ts'
import type { StoredResource } from '../stored.ts'

/** Maximum number of similar URNs in a suggestion. */
const suggestionsMax = 3
/** Maximum length of a URN for which similar URNs are searched. */
const comparedUrnCharsMax = 400
/** Maximum number of URNs that are compared, because each comparison takes quadratic time. */
const comparedUrnsMax = 1_000

/** Returns the error for an unknown URN, and suggests similar URNs. */
export function createUnknownResourceError(urn: string, candidates: Iterable<string>): Error {
  const similarUrns = findSimilar(urn, candidates)
  const suggestion =
    similarUrns.length === 0
      ? ''
      : ` Did you mean ${similarUrns.map(text => `'${text}'`).join(', ')}?`
  return createError('STATE_RESOURCE_UNKNOWN', `the state has no resource '${urn}'.${suggestion}`, {
    details: { urn },
  })
}

/** Throws CLI_USAGE for an invalid URN. */
export function requireUrn(text: string): void {
  if (!isUrn(text)) throw createError('CLI_USAGE', `'${text}' is not the URN of a resource`)
}

/**
 * Returns the position of the only resource with a URN, or of the resource with that URN and `id`.
 * Throws CLI_USAGE, STATE_RESOURCE_UNKNOWN, STATE_URN_AMBIGUOUS.
 */
export function positionOf(resources: readonly StoredResource[], urn: string, id?: string): number {
  requireUrn(urn)
  const urnPositions = resources.flatMap((resource, position) =>
    resource.urn === urn ? [position] : [],
  )
  const positions =
    id === undefined
      ? urnPositions
      : urnPositions.filter(
          position => readTextField(resources[position] ?? noResource, 'id') === id,
        )
  const [first] = positions
  if (first === undefined)
    throw createUnknownResourceError(
      urn,
      resources.map(resource => resource.urn),
    )
  if (positions.length === 1) return first
  const ids = positions
    .map(position => `'${readTextField(resources[position] ?? noResource, 'id')}'`)
    .join(', ')
  throw createError(
    'STATE_URN_AMBIGUOUS',
    `${positions.length} resources have the URN '${urn}': ${ids}`,
    {
      details: { urn },
    },
  )
}

const noResource: StoredResource = { urn: '', custom: false, type: '' }

/**
 * Returns at most `suggestionsMax` similar texts, nearest first. A similar text differs in at most
 * a quarter of the characters of `urn`, or in at most two.
 */
function findSimilar(urn: string, candidates: Iterable<string>): readonly string[] {
  if (urn.length > comparedUrnCharsMax) return []
  const distanceMax = Math.max(2, Math.floor(urn.length / 4))
  return [...new Set(candidates)]
    .filter(text => Math.abs(text.length - urn.length) <= distanceMax)
    .slice(0, comparedUrnsMax)
    .map(text => ({ text, distance: distanceOf(urn.toLowerCase(), text.toLowerCase()) }))
    .filter(({ distance }) => distance <= distanceMax)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, suggestionsMax)
    .map(({ text }) => text)
}

/** Returns the smallest number of insertions, deletions and replacements that turn `a` into `b`. */
function distanceOf(a: string, b: string): number {
  let previousRow = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const currentRow = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaceCost = a[row - 1] === b[column - 1] ? 0 : 1
      const [left = 0, above = 0, diagonal = 0] = [
        currentRow[column - 1],
        previousRow[column],
        previousRow[column - 1],
      ]
      currentRow.push(Math.min(left + 1, above + 1, diagonal + replaceCost))
    }
    previousRow = currentRow
  }
  return previousRow[b.length] ?? 0
}
