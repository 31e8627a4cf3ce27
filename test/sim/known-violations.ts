/**
 * Known violations that the simulation finds, each with its reason. An entry is removed with its
 * cause. No entry may concern an invariant that a release promises.
 */
const knownViolations: readonly { readonly pattern: RegExp; readonly reason: string }[] = []

/** Transitions that no run can show, each with its proof. */
export const unreachableCoverage: ReadonlyMap<string, string> = new Map([
  [
    'transition: begun begin, the requester is the owner, the attempt is current',
    'every attempt draws its own token and begins again only after a refusal: while this owner holds the head, it sends no further begin',
  ],
  [
    'transition: decided select, the request names no owner, the attempt is current',
    'only joins and poisoned operations are ended without an owner: joins at their last arrival, and poisoned operations only when all their needs have arrived',
  ],
])

/** Reports whether a violation is known. */
export function isKnownViolation(violation: string): boolean {
  return knownViolations.some(({ pattern }) => pattern.test(violation))
}
