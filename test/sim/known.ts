/**
 * What the simulation finds and is known: each with the reason why it stands. An entry goes when
 * what it waits for is there; nothing here may be against an invariant that a release promises.
 */
const known: readonly { readonly what: RegExp; readonly why: string }[] = []

/** Transitions and rules that no simulated world shows yet, each with its reason. */
export const notSeen: ReadonlyMap<string, string> = new Map()

/** Whether a violation is known. */
export function isKnown(violation: string): boolean {
  return known.some(({ what }) => what.test(violation))
}
