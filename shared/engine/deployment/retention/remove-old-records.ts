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
import type { KeptDeployment, RetentionPort } from '../../../ports/retention.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../../records/ids.ts'
import { rulesVersion } from '../../../records/log.ts'
import type { LivenessDeps } from '../ownership/liveness.ts'
import { readVersions } from './stack-history.ts'
import { readFirstPin } from '../log/decision-rules.ts'
import { saveLateCreates } from './late-creates.ts'

/** Retention times. */
export interface RetentionPolicy {
  readonly recordsMs: number
  /** Number of published versions that each stack keeps, at least one. Undefined keeps all. */
  readonly versions: number | undefined
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
  readonly keeping: RetentionPolicy
  /** The stack to clean up. Absent: all stacks, including records of removed ones. */
  readonly stack?: StackId
  /** Maximum number of deployments. */
  readonly deploymentsMax: number
  /** Only report the records that would be removed. */
  readonly dryRun: boolean
}

/** The removed deployments and versions. */
export interface RemovalResult {
  readonly deployments: readonly DeploymentId[]
  readonly versions: readonly { readonly stack: StackId; readonly versions: readonly number[] }[]
}

/**
 * Removes the records of deployments that are closed, published and old enough, and whose late
 * window is over (I6). The deployments of one stack are removed in order. Then it removes published
 * versions beyond the retained ones. Resources of unrecorded creates are put into the inbox first.
 * The request bounds the work. The removal can stop anywhere and be repeated.
 */
export async function removeOldRecords(
  deps: RetentionDeps,
  removal: RemovalRequest,
): Promise<RemovalResult> {
  const nowMs = deps.clock.now()
  const deployments: DeploymentId[] = []
  const staying = new Set<StackId>()
  for (const kept of sortByNumber(await deps.retention.listDeployments())) {
    if (deployments.length >= removal.deploymentsMax) break
    const { deployment } = kept
    const { stack } = deploymentPartsOf(deployment)
    if (staying.has(stack) || (removal.stack ?? stack) !== stack) continue
    const goes =
      isOld(kept, nowMs, removal.keeping.recordsMs) &&
      (await isLateWindowOver(deps, kept, nowMs)) &&
      (await isKnownRules(deps, deployment))
    if (!goes) {
      // The records of later deployments are needed to find the late creates of this one.
      staying.add(stack)
      continue
    }
    deployments.push(deployment)
    if (removal.dryRun) continue
    if (kept.isInHistory) await ignoreRemoved(saveLateCreates(deps, deployment))
    await removeAll(deps.retention, deployment)
  }
  return { deployments, versions: await removeVersions(deps, removal) }
}

/** Sorts deployments by number. */
function sortByNumber(kept: readonly KeptDeployment[]): readonly KeptDeployment[] {
  const numberOf = ({ deployment }: KeptDeployment): number => deploymentPartsOf(deployment).number
  return kept.toSorted((a, b) => numberOf(a) - numberOf(b))
}

/** Reports whether the records of a deployment are old enough. Pure. */
function isOld(kept: KeptDeployment, nowMs: number, keepMs: number): boolean {
  if (kept.isCurrent || kept.closed === false) return false
  // Without a history the stack was removed, and its records have no readers.
  if (!kept.isInHistory) return true
  return kept.endedAt !== undefined && kept.endedAt + keepMs <= nowMs
}

/**
 * Reports whether no request of a deployment can still take effect. Every executor must have left
 * by itself, or its process and process groups must be dead. For an unreachable host, a waiting
 * time must be over. The same time applies to a last holder that is alive, such as a server
 * process. It has closed the deployment, and its earlier store requests end within that time.
 */
async function isLateWindowOver(
  deps: RetentionDeps,
  { deployment, endedAt }: KeptDeployment,
  nowMs: number,
): Promise<boolean> {
  const control = await deps.control.read(deployment)
  const leases = await deps.leases.list(deployment)
  const feared = leases.filter(({ left }) => !left)
  const processes = [
    ...feared.map(({ holder }) => holder),
    ...feared.flatMap(({ holder, groups }) => groups.map(group => ({ ...holder, ...group }))),
  ]
  const states = processes.map(process => deps.isAlive(process))
  if (states.includes(true)) return false
  const isHolderDead = control === undefined || deps.isAlive(control.holder) === false
  if (isHolderDead && !states.includes(undefined)) return true
  return endedAt !== undefined && endedAt + limits.lateWindowMs <= nowMs
}

/** Only a newer version knows which records of its own decisions must be saved. */
async function isKnownRules(deps: RetentionDeps, deployment: DeploymentId): Promise<boolean> {
  const pin = await ignoreRemoved(readFirstPin(deps, deployment))
  return pin === undefined || pin.rules <= rulesVersion
}

/**
 * Returns undefined for removed records. An interrupted removal had saved the late creates before
 * it removed the first record.
 */
async function ignoreRemoved<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return undefined
    throw thrown
  }
}

async function removeAll(retention: RetentionPort, deployment: DeploymentId): Promise<void> {
  while (!(await retention.removeRecords(deployment, limits.rowsPerRemoval)));
}

async function removeVersions(
  deps: Pick<RetentionDeps, 'catalog' | 'retention'>,
  { keeping, stack, dryRun }: RemovalRequest,
): Promise<RemovalResult['versions']> {
  if (keeping.versions === undefined) return []
  const removed: { stack: StackId; versions: readonly number[] }[] = []
  const { stacks, unreadable } = await deps.catalog.listStacks()
  const isSelected = (id: StackId): boolean => stack === undefined || id === stack
  // The references of an unreadable stack are unknown, so no version may be removed.
  for (const { id, why } of unreadable) if (isSelected(id)) throw why
  for (const { id, version } of stacks) {
    if (!isSelected(id)) continue
    const through = version - Math.max(1, keeping.versions)
    if (through < 1) continue
    const versions: number[] = []
    for await (const one of readVersions(deps.catalog, id, through + 1)) versions.push(one.version)
    if (versions.length === 0) continue
    if (!dryRun) await deps.retention.removeVersions(id, through)
    removed.push({ stack: id, versions })
  }
  return removed
}
