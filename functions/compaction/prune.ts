import { removeEndedRequests } from './remove-ended-requests.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { limits } from '../../shared/config/limits.ts'
import {
  type RetentionPolicy,
  type RemovalResult,
  removeOldRecords,
} from '../../shared/engine/deployment/retention/remove-old-records.ts'
import {
  type BlobSweepResult,
  sweepBlobs,
} from '../../shared/engine/deployment/retention/sweep-blobs.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { StackId } from '../../shared/records/ids.ts'

/** The result of a prune, or of its dry run. */
export interface PruneResult extends RemovalResult {
  readonly blobs: BlobSweepResult
}

/** The dependencies of a prune. */
export interface PruneDeps {
  readonly platform: Platform
  readonly isAlive: GeneratorPorts['isAlive']
  readonly retention: RetentionPolicy
}

const dayMs = 24 * 3_600_000

/** The number of removed versions between two sweeps of blobs by commands. */
const versionsPerSweep = 20

/**
 * Reads the retention policy from the environment. ANTICHAIN_KEEP_RECORDS_DAYS is a number of days.
 * ANTICHAIN_KEEP_VERSIONS is either `all` or a number of versions, at least 1. `limits` has the
 * defaults. Throws CLI_USAGE for another value.
 */
export function readRetentionPolicy(
  env: Readonly<Record<string, string | undefined>>,
): RetentionPolicy {
  const days = env['ANTICHAIN_KEEP_RECORDS_DAYS'] ?? ''
  const versions = env['ANTICHAIN_KEEP_VERSIONS'] ?? ''
  if (!/^(\d+(\.\d+)?)?$/.test(days))
    throw createError(
      'CLI_USAGE',
      `ANTICHAIN_KEEP_RECORDS_DAYS must be a number of days, not '${days}'`,
    )
  if (!/^([1-9]\d*|all)?$/.test(versions))
    throw createError(
      'CLI_USAGE',
      `ANTICHAIN_KEEP_VERSIONS must be a number from 1 or 'all', not '${versions}'`,
    )
  return {
    recordsKeptMs: days === '' ? limits.recordRetentionMs : Number(days) * dayMs,
    versionsKept:
      versions === 'all' ? undefined : versions === '' ? limits.retainedVersions : Number(versions),
  }
}

/**
 * Removes old records and versions of one stack or of all stacks, and unreferenced blobs. With
 * `dryRun`, only reports them.
 */
export async function prune(
  deps: PruneDeps,
  scope: { readonly stack?: StackId; readonly dryRun: boolean },
): Promise<PruneResult> {
  const { platform, isAlive, retention } = deps
  const removal = await removeOldRecords(
    { ...platform, isAlive },
    { ...scope, policy: retention, deploymentsMax: Number.MAX_SAFE_INTEGER },
  )
  return { ...removal, blobs: await sweepBlobs(platform, scope) }
}

/**
 * Reports whether a command sweeps blobs after a removal. A sweep reads the records of all stacks.
 * It is due after each removal of a deployment, and when the number of a removed version is a
 * multiple of `versionsPerSweep`. Versions cause fewer sweeps, because a stack with the maximum
 * number of versions loses one with each command.
 */
export function isBlobSweepDue({ deployments, removedVersions }: RemovalResult): boolean {
  const versions = removedVersions.flatMap(removed => removed.versions)
  return deployments.length > 0 || versions.some(version => version % versionsPerSweep === 0)
}

/**
 * Prunes a little at the end of a command: old versions, and the records of a few deployments. Then
 * removes unreferenced blobs if `isBlobSweepDue`, and old ended requests. Only logs a failure,
 * because the command itself has ended.
 */
export async function pruneAfterCommand(deps: PruneDeps): Promise<void> {
  const { platform, isAlive, retention } = deps
  try {
    const removal = await removeOldRecords(
      { ...platform, isAlive },
      { policy: retention, deploymentsMax: limits.deploymentsPerCleanup, dryRun: false },
    )
    if (isBlobSweepDue(removal)) await sweepBlobs(platform, { dryRun: false })
    await removeEndedRequests(platform)
  } catch (thrown) {
    platform.logger.write('warn', 'retention.failed', { reason: messageOf(thrown) })
  }
}
