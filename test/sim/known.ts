/**
 * What the simulation finds and is known: each with the reason why it stands. An entry goes when
 * what it waits for is there; nothing here may be against an invariant that a release promises.
 */
const known: readonly { readonly what: RegExp; readonly why: string }[] = []

const rare =
  'rare while executors live and die with their generator; the contract suite of the store holds it'

/** Transitions that 1,000 seeds need not show, each with its reason. */
export const notSeen: ReadonlyMap<string, string> = new Map([
  [
    'transition: begun begin, the owner asks, the attempt is as read',
    'a delivery begins once: its next try has a token of its own',
  ],
  [
    'transition: decided select, nobody asks, the attempt is as read',
    'the simulated store knows the needs of a join, so it is ready when it is ended',
  ],
  ['transition: begun giveBack, an attempt before may have called', rare],
  ['transition: begun giveBack, it took effect before', rare],
  ['transition: begun lapse, it took effect before', rare],
  ['transition: ended giveBack, it took effect before', rare],
  ['transition: ended lapse, it took effect before', rare],
  ['transition: unowned arrive, always', rare],
  ['transition: unowned giveBack, it took effect before', rare],
  ['transition: unowned lapse, it took effect before', rare],
  ['transition: unowned select, nobody asks, the attempt is as read', rare],
])

/** Whether a violation is known. */
export function isKnown(violation: string): boolean {
  return known.some(({ what }) => what.test(violation))
}
