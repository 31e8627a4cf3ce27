/** The resources that a targeted deployment claims, by URN. */
export interface Claim {
  /** The resources that the deployment may change. */
  readonly changes: ReadonlySet<string>
  /** The resources that the claimed changes refer to: dependencies, parents and providers. */
  readonly reads: ReadonlySet<string>
}

/** A claim without resources. */
export const emptyClaim: Claim = { changes: new Set(), reads: new Set() }

/**
 * Returns a resource that either claim changes, and that the other claim changes or reads. Returns
 * undefined if there is none. Pure.
 */
export function findTouchedUrn(one: Claim, other: Claim): string | undefined {
  for (const urn of one.changes) if (other.changes.has(urn) || other.reads.has(urn)) return urn
  for (const urn of one.reads) if (other.changes.has(urn)) return urn
  return undefined
}

/**
 * Reports whether `claim` contains `other`. A claim to change a resource includes a claim to read
 * it. Pure.
 */
export function containsClaim(claim: Claim, other: Claim): boolean {
  return (
    [...other.changes].every(urn => claim.changes.has(urn)) &&
    [...other.reads].every(urn => claim.reads.has(urn) || claim.changes.has(urn))
  )
}

/** Returns the union of two claims. Pure. */
export function unionOfClaims(one: Claim, other: Claim): Claim {
  return {
    changes: new Set([...one.changes, ...other.changes]),
    reads: new Set([...one.reads, ...other.reads]),
  }
}
