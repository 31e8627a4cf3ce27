import { encodeStored, encodeStoredMap, type Seal } from '../../../values/stored.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { Goal } from './goal.ts'

/** A call or read of the program, with the parts that distinguish it from others. */
export interface CallIdentity {
  readonly kind: 'invoke' | 'read' | 'call'
  readonly parts: readonly string[]
  readonly args: PropertyMap
  readonly provider: string
}

/** Returns the canonical text of a call; its keyed digest names its recorded answer. */
export function toCanonicalCall({ kind, parts, args, provider }: CallIdentity): string {
  return JSON.stringify([kind, parts, encodeStoredMap(args, withPlaintext), provider])
}

/** Secrets differ by their contents: the text is only digested with a key, never stored. */
const withPlaintext: Seal = plaintext => ({ plaintext })

/**
 * Returns the canonical text of a goal with its provider resolved: sorted keys and dependencies,
 * and assets by hash. It omits the parts that differ between two runs of one program (positions,
 * traces). Its keyed digest is the identity of a registration in the decision log.
 */
export function toCanonicalGoal(goal: Goal): string {
  const { sourcePosition: _position, stackTrace: _trace, ...kept } = goal
  const { inputs, replacementTrigger, propertyDependencies, dependencies, ...rest } = kept
  const { importId, resourceHooks, ...plain } = rest
  // An empty id is omitted: records of older versions lack it.
  const options = importId === '' ? plain : { ...plain, importId }
  const byProperty = [...propertyDependencies].map(([key, urns]) => [key, [...urns].sort()])
  return JSON.stringify([
    Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)),
    [...dependencies].sort(),
    byProperty.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    encodeStoredMap(inputs, withPlaintext),
    encodeStored(replacementTrigger, withPlaintext),
    ...(resourceHooks.size === 0 ? [] : [[...resourceHooks].sort(([a], [b]) => (a < b ? -1 : 1))]),
  ])
}
