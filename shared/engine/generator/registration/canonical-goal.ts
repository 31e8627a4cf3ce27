import { encodeStored, encodeStoredMap, type SealPlaintext } from '../../../values/value-codec.ts'
import type { PropertyMap } from '../../../values/value.ts'
import type { Goal } from './goal.ts'

/** The fields that identify a call or read of the program, to find its recorded answer. */
export interface CallKeyFields {
  readonly kind: 'invoke' | 'read' | 'call'
  /**
   * A read: type, name, id and parent. An invoke: token. A call: token, and the dependencies of the
   * arguments as JSON. An invoke or call with an extension also has the extension's reference.
   */
  readonly parts: readonly string[]
  readonly args: PropertyMap
  readonly provider: string
}

/**
 * Returns the canonical text of a call. The keyed digest of this text is the key of the recorded
 * answer.
 */
export function toCanonicalCall({ kind, parts, args, provider }: CallKeyFields): string {
  return JSON.stringify([kind, parts, encodeStoredMap(args, withPlaintext), provider])
}

/**
 * Encodes secrets as plaintext, so that different secrets give different digests. The text itself
 * is never stored.
 */
const withPlaintext: SealPlaintext = plaintext => ({ plaintext })

/**
 * Returns the canonical text of a goal, with sorted keys and dependencies, and with hashes of
 * assets. Positions and stack traces are omitted, because they differ between two runs of one
 * program. The decision log contains the keyed digest of this text. A later generator run compares
 * the digest with that of the repeated registration.
 */
export function toCanonicalGoal(goal: Goal): string {
  const { sourcePosition: _position, stackTrace: _trace, ...identifyingFields } = goal
  const { inputs, replacementTrigger, propertyDependencies, dependencies, ...otherFields } =
    identifyingFields
  const { importId, resourceHooks, ...plainOptions } = otherFields
  // An empty import id is left out, so that the digest equals that of an older Antichain version,
  // whose goals had no import id.
  const options = importId === '' ? plainOptions : { ...plainOptions, importId }
  const dependenciesByProperty = [...propertyDependencies].map(([key, urns]) => [
    key,
    [...urns].sort(),
  ])
  return JSON.stringify([
    Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)),
    [...dependencies].sort(),
    dependenciesByProperty.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
    encodeStoredMap(inputs, withPlaintext),
    encodeStored(replacementTrigger, withPlaintext),
    ...(resourceHooks.size === 0 ? [] : [[...resourceHooks].sort(([a], [b]) => (a < b ? -1 : 1))]),
  ])
}
