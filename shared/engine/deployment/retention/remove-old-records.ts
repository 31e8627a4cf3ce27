import { limits } from '../../../config/limits.ts'
import { hasCode } from '../../../errors/error.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type {
  BlobsPort,
  ControlPort,
  LeasesPort,
  OperationsPort,
  DecisionLogPort,
} from '../../../ports/records.ts'
import type { RecordedDeployment, RetentionPort } from '../../../ports/retention.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../../records/ids.ts'
import { rulesVersion } from '../../../records/log.ts'
import type { LivenessDeps } from '../ownership/liveness.ts'
import { readVersions } from './read-history-and-versions.ts'
import { readFirstPin } from '../log/supported-rules.ts'
import { saveLateCreates } from './late-creates.ts'

/**
 * Limits for the removal of records and versions. `recordsKeptMs`: the time for which records are
 * kept after the end of their deployment.
 */
export interface RetentionPolicy {
  readonly recordsKeptMs: number
  /** Number of published versions that each stack keeps, at least one. Undefined keeps all. */
  readonly versionsKept: number | undefined
}

/** The dependencies of a removal. */
export interface RetentionDeps {
  readonly retention: RetentionPort
  readonly catalog: CatalogPort
  readonly decisionLog: DecisionLogPort
  readonly blobs: BlobsPort
  readonly operations: OperationsPort
  readonly control: ControlPort
  readonly leases: LeasesPort
  readonly clock: ClockPort
  readonly isAlive: LivenessDeps['isAlive']
}

/** The scope and limits of a removal. */
export interface RemovalRequest {
  readonly policy: RetentionPolicy
  /** The stack to clean up. Absent: all stacks, including records of removed ones. */
  readonly stack?: StackId
  /** Maximum number of deployments whose records one call removes. */
  readonly deploymentsMax: number
  /** Whether the removal is only reported and not made. */
  readonly dryRun: boolean
}

/** The deployments and versions that a call removed, or that it would remove without `dryRun`. */
export interface RemovalResult {
  readonly deployments: readonly DeploymentId[]
  readonly removedVersions: readonly {
    readonly stack: StackId
    readonly versions: readonly number[]
  }[]
}

/**
 * Removes the records of closed deployments that are old enough, whose late window is over, and
 * whose rules this version supports (I6). Before the removal, created resources whose outcome was
 * not selected are put into the inbox. The records of removed stacks may have any age, and their
 * resources are not put into an inbox. Each stack's deployments are removed in order, up to the
 * first that must stay. Then the published versions beyond the number to keep are removed.
 * `deploymentsMax` limits only the removal of records. The removal can stop at any point and be
 * repeated.
 */
export async function removeOldRecords(
  deps: RetentionDeps,
  removal: RemovalRequest,
): Promise<RemovalResult> {
  const nowMs = deps.clock.now()
  const deployments: DeploymentId[] = []
  const blockedStacks = new Set<StackId>()
  for (const candidate of sortByNumber(await deps.retention.listDeployments())) {
    if (deployments.length >= removal.deploymentsMax) break
    const { deployment } = candidate
    const { stack } = deploymentPartsOf(deployment)
    if (blockedStacks.has(stack) || (removal.stack ?? stack) !== stack) continue
    const isRemovable =
      isRemovableByAge(candidate, nowMs, removal.policy.recordsKeptMs) &&
      (await isLateWindowOver(deps, candidate, nowMs)) &&
      (await hasSupportedRules(deps, deployment))
    if (!isRemovable) {
      // Deployments are removed in order, so that the remaining records of a stack have no gap.
      blockedStacks.add(stack)
      continue
    }
    deployments.push(deployment)
    if (removal.dryRun) continue
    if (candidate.isInHistory) await ignoreRemovedRecords(saveLateCreates(deps, deployment))
    await removeAllRecords(deps.retention, deployment)
  }
  return { deployments, removedVersions: await removeVersions(deps, removal) }
}

/** Sorts deployments by number. */
function sortByNumber(deployments: readonly RecordedDeployment[]): readonly RecordedDeployment[] {
  const numberOf = ({ deployment }: RecordedDeployment): number =>
    deploymentPartsOf(deployment).number
  return deployments.toSorted((a, b) => numberOf(a) - numberOf(b))
}

/**
 * Reports whether a deployment is over, and its records are old enough or belong to a removed
 * stack. Pure.
 */
function isRemovableByAge(
  candidate: RecordedDeployment,
  nowMs: number,
  recordsKeptMs: number,
): boolean {
  if (candidate.isOpen || candidate.closed === false) return false
  // The history contains each deployment that is over, unless its stack was removed. The records of
  // a removed stack have no readers.
  if (!candidate.isInHistory) return true
  return candidate.endedAt !== undefined && candidate.endedAt + recordsKeptMs <= nowMs
}

/**
 * Reports whether no request of a deployment can still take effect. Returns false while the process
 * or process group of a lease is alive, unless its executor has shut down. In two cases
 * `lateWindowMs` must also have passed since the end of the deployment:
 *
 * - A process or the last holder is on another host, so it is unknown whether it is alive.
 * - The last holder is alive, for example a server process. It has closed the deployment, and its
 *   earlier store requests end within this time.
 */
async function isLateWindowOver(
  deps: RetentionDeps,
  { deployment, endedAt }: RecordedDeployment,
  nowMs: number,
): Promise<boolean> {
  const control = await deps.control.read(deployment)
  const leases = await deps.leases.list(deployment)
  const activeLeases = leases.filter(({ left }) => !left)
  const processes = [
    ...activeLeases.map(({ holder }) => holder),
    ...activeLeases.flatMap(({ holder, groups }) => groups.map(group => ({ ...holder, ...group }))),
  ]
  const aliveResults = processes.map(process => deps.isAlive(process))
  if (aliveResults.includes(true)) return false
  const isHolderDead = control === undefined || deps.isAlive(control.holder) === false
  if (isHolderDead && !aliveResults.includes(undefined)) return true
  return endedAt !== undefined && endedAt + limits.lateWindowMs <= nowMs
}

/**
 * Reports whether this version supports the rules of a deployment. For newer rules, only a newer
 * version can determine which records must be saved before a removal.
 */
async function hasSupportedRules(deps: RetentionDeps, deployment: DeploymentId): Promise<boolean> {
  const pin = await ignoreRemovedRecords(readFirstPin(deps, deployment))
  return pin === undefined || pin.rules <= rulesVersion
}

/**
 * Returns the result of a call that reads records of a deployment. Returns undefined if an
 * interrupted removal has already removed records of the deployment. That removal saved the late
 * creates before it removed a record.
 */
async function ignoreRemovedRecords<T>(pendingCall: Promise<T>): Promise<T | undefined> {
  try {
    return await pendingCall
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return undefined
    throw thrown
  }
}

/** Removes all records of a deployment, a limited number of rows at a time. */
async function removeAllRecords(retention: RetentionPort, deployment: DeploymentId): Promise<void> {
  while (!(await retention.removeRecords(deployment, limits.rowsPerRemoval)));
}

/** Removes the published versions beyond the number to keep. */
async function removeVersions(
  deps: Pick<RetentionDeps, 'catalog' | 'retention'>,
  { policy, stack, dryRun }: RemovalRequest,
): Promise<RemovalResult['removedVersions']> {
  if (policy.versionsKept === undefined) return []
  const removedVersions: { stack: StackId; versions: readonly number[] }[] = []
  const { stacks, unreadable } = await deps.catalog.listStacks()
  const isSelected = (id: StackId): boolean => stack === undefined || id === stack
  // The versions of an unreadable stack cannot be determined. If the stack is selected, its error
  // is thrown before a version of any stack is removed.
  for (const { id, reason } of unreadable) if (isSelected(id)) throw reason
  for (const { id, version } of stacks) {
    if (!isSelected(id)) continue
    const lastRemoved = version - Math.max(1, policy.versionsKept)
    if (lastRemoved < 1) continue
    const versions: number[] = []
    for await (const publishedVersion of readVersions(deps.catalog, id, lastRemoved + 1))
      versions.push(publishedVersion.version)
    if (versions.length === 0) continue
    if (!dryRun) await deps.retention.removeVersions(id, lastRemoved)
    removedVersions.push({ stack: id, versions })
  }
  return removedVersions
}
