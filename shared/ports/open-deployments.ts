import type { BlobHash, DeploymentId } from '../records/ids.ts'
import type { ClaimBasis, PublishedVersion, StackRecord, TargetedDeployment } from './catalog.ts'

/** Returns the open deployments of a stack, oldest first. */
export function listOpenDeployments({
  current,
  targeted = [],
}: Pick<StackRecord, 'current' | 'targeted'>): readonly DeploymentId[] {
  if (targeted.length > 0) return targeted.map(({ deployment }) => deployment)
  return current === '' ? [] : [current]
}

/** Reports whether a deployment of a stack is open. */
export function isOpenDeployment(
  stack: Pick<StackRecord, 'current' | 'targeted'> | undefined,
  deployment: DeploymentId,
): boolean {
  return stack !== undefined && listOpenDeployments(stack).includes(deployment)
}

/**
 * Reports whether a stack still has the version and the targeted deployments on which a claim is
 * based.
 */
export function hasClaimBasis(stack: ClaimBasis, expected: ClaimBasis): boolean {
  return stack.version === expected.version && printClaims(stack) === printClaims(expected)
}

/** Returns the open targeted deployment whose start call had the id `token`. */
export function findDeploymentByToken(
  { targeted = [] }: Pick<StackRecord, 'targeted'>,
  token: string,
): DeploymentId | undefined {
  return targeted.find(open => open.token === token)?.deployment
}

/** Returns the targeted deployments after the replacement of one claim. */
export function withClaim(
  targeted: readonly TargetedDeployment[],
  deployment: DeploymentId,
  claim: BlobHash,
): readonly TargetedDeployment[] {
  return targeted.map(open => (open.deployment === deployment ? { ...open, claim } : open))
}

/** Returns the targeted deployments after `publisher` has published its changes. */
export function withPublication(
  targeted: readonly TargetedDeployment[],
  publisher: DeploymentId | undefined,
  published: PublishedVersion,
): readonly TargetedDeployment[] {
  return targeted.map(open => (open.deployment === publisher ? { ...open, published } : open))
}

/** Returns the targeted deployments without `deployment`, which has ended. */
export function withoutDeployment(
  targeted: readonly TargetedDeployment[],
  deployment: DeploymentId,
): readonly TargetedDeployment[] {
  return targeted.filter(open => open.deployment !== deployment)
}

/** Returns the targeted deployments with their claims as a text, to compare them. */
function printClaims({ targeted = [] }: ClaimBasis): string {
  return JSON.stringify(targeted.map(({ deployment, claim }) => [deployment, claim]))
}
