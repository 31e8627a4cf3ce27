/**
 * What the simulation finds and is known: each with the reason why it stands. An entry goes when
 * what it waits for is there; nothing here may be against an invariant that a release promises.
 */
const knownViolations: readonly { readonly what: RegExp; readonly why: string }[] = []

/** Transitions that no run can show, each with its proof. */
export const unreachableTransitions: ReadonlyMap<string, string> = new Map([
  [
    'transition: begun begin, the owner asks, the attempt is as read',
    'a try to run an operation draws its own token, and begins with it once more only after a ' +
      'refusal: while the head has this owner it asks no more',
  ],
  [
    'transition: decided select, nobody asks, the attempt is as read',
    'only joins and poisoned work are ended by nobody: joins when their last arrival is counted, ' +
      'and poisoned work only when nothing that it needs is missing',
  ],
])

/** Whether a violation is known. */
export function isKnownViolation(violation: string): boolean {
  return knownViolations.some(({ what }) => what.test(violation))
}
