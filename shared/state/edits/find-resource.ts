import { error } from '../../errors/error.ts'
import { isUrn } from '../../names/urn.ts'
import { readTextField } from '../stored-fields.ts'
import type { StoredResource } from '../stored.ts'

/** Maximum number of similar URNs in a suggestion. */
const nearMax = 3
/** Maximum length of a URN for which similar ones are searched. */
const comparedMax = 400

/** Returns the error for an unknown URN, with similar ones as suggestion. */
export function unknownResourceError(urn: string, candidates: Iterable<string>): Error {
  const near = findSimilar(urn, candidates)
  const meant =
    near.length === 0 ? '' : ` Did you mean ${near.map(text => `'${text}'`).join(', ')}?`
  return error('STATE_RESOURCE_UNKNOWN', `the state has no resource '${urn}'.${meant}`, {
    details: { urn },
  })
}

/** Throws CLI_USAGE for an invalid URN. */
export function requireUrn(text: string): void {
  if (!isUrn(text)) throw error('CLI_USAGE', `'${text}' is not the URN of a resource`)
}

/**
 * Returns the position of the only resource of a URN, or of its copy with an `id`. Throws
 * CLI_USAGE, STATE_RESOURCE_UNKNOWN, STATE_URN_AMBIGUOUS.
 */
export function positionOf(resources: readonly StoredResource[], urn: string, id?: string): number {
  requireUrn(urn)
  const all = resources.flatMap((resource, at) => (resource.urn === urn ? [at] : []))
  const places =
    id === undefined
      ? all
      : all.filter(at => readTextField(resources[at] ?? noResource, 'id') === id)
  const [first] = places
  if (first === undefined)
    throw unknownResourceError(
      urn,
      resources.map(resource => resource.urn),
    )
  if (places.length === 1) return first
  const ids = places.map(at => `'${readTextField(resources[at] ?? noResource, 'id')}'`).join(', ')
  throw error('STATE_URN_AMBIGUOUS', `${places.length} resources have the URN '${urn}': ${ids}`, {
    details: { urn },
  })
}

const noResource: StoredResource = { urn: '', custom: false, type: '' }

/** Returns texts that differ in less than a quarter of their letters, nearest first. */
function findSimilar(urn: string, candidates: Iterable<string>): readonly string[] {
  if (urn.length > comparedMax) return []
  const most = Math.max(2, Math.floor(urn.length / 4))
  return [...new Set(candidates)]
    .filter(text => Math.abs(text.length - urn.length) <= most)
    .slice(0, 1_000)
    .map(text => ({ text, distance: distanceOf(urn.toLowerCase(), text.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, nearMax)
    .map(({ text }) => text)
}

/** Returns the number of letters to insert, delete or replace. */
function distanceOf(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const now = [row]
    for (let column = 1; column <= b.length; column++) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1
      const [left = 0, above = 0, across = 0] = [
        now[column - 1],
        before[column],
        before[column - 1],
      ]
      now.push(Math.min(left + 1, above + 1, across + change))
    }
    before = now
  }
  return before[b.length] ?? 0
}
