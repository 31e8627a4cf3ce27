import { isChange } from '../../shared/records/change-counts.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import type { StepEmitter } from '../../shared/engine/events/step-emitter.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import type { RunEnvironment } from '../../shared/runtime/environment/run-environment.ts'
import type { RunInput } from '../../shared/runtime/environment/run-input.ts'

/** Emits the last two events of a deployment or preview: the summary and the end of the events. */
export function emitSummary(
  { emitter, commandRun }: Pick<RunEnvironment, 'emitter' | 'commandRun'>,
  end: {
    readonly startedMs: number
    readonly nowMs: number
    readonly result: DeployResult['result']
    readonly isPreview: boolean
  },
): void {
  const result =
    end.result === 'succeeded' ? 'succeeded' : end.result === 'cancelled' ? 'canceled' : 'failed'
  emitter.emit({
    summaryEvent: {
      maybeCorrupt: emitter.isMaybeCorrupt(),
      durationSeconds: Math.ceil((end.nowMs - end.startedMs) / 1000),
      resourceChanges: emitter.readCounts(),
      PolicyPacks: commandRun.readPackVersions(),
      isPreview: end.isPreview,
      result,
    },
  })
  emitter.emit({ cancelEvent: {} })
}

/** Returns the changes in one line: `3 create, 1 update`. */
export function describeChanges(changes: Readonly<Record<string, number>>): string {
  const changedCounts = Object.entries(changes).filter(([op, count]) => count > 0 && isChange(op))
  if (changedCounts.length === 0) return 'no changes'
  return changedCounts.map(([op, count]) => `${count} ${op}`).join(', ')
}

/** Returns the result of a run for the caller. */
export function toDeployResult(
  emitter: StepEmitter,
  result: DeployResult['result'],
  pending: DeployResult['pending'],
): DeployResult {
  const changes = emitter.readCounts()
  const hasChanges = Object.entries(changes).some(([op, count]) => count > 0 && isChange(op))
  return { result, changes, hasChanges, pending }
}

/** Returns the operations of a stack's published state whose end is unknown. */
export async function readPendingOperations({
  platform,
  request,
}: RunInput): Promise<DeployResult['pending']> {
  const record = await platform.catalog.getStack(request.stack)
  if (record === undefined || record.snapshot === '') return []
  const stored = await readSnapshotBlob(platform.blobs, record.snapshot)
  return (stored.pending_operations ?? []).map(({ resource, type }) => ({
    urn: resource.urn,
    type,
  }))
}
