import { readSnapshotBlob } from '../../shared/engine/deployment/snapshot-blob.ts'
import type { StepEmitter } from '../../shared/engine/events/step-emitter.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import type { Asked, Surroundings } from '../surroundings/surround.ts'

/** Tells how a run ended, as the last events. */
export function summary(
  { emitter, life }: Pick<Surroundings, 'emitter' | 'life'>,
  about: {
    readonly startedMs: number
    readonly nowMs: number
    readonly result: DeployResult['result']
    readonly isPreview: boolean
  },
): void {
  const result =
    about.result === 'succeeded'
      ? 'succeeded'
      : about.result === 'cancelled'
        ? 'canceled'
        : 'failed'
  emitter.emit({
    summaryEvent: {
      maybeCorrupt: emitter.isMaybeCorrupt(),
      durationSeconds: Math.ceil((about.nowMs - about.startedMs) / 1000),
      resourceChanges: emitter.counts(),
      PolicyPacks: life.packVersions(),
      isPreview: about.isPreview,
      result,
    },
  })
  emitter.emit({ cancelEvent: {} })
}

const quiet: ReadonlySet<string> = new Set(['same', 'read', 'discard', 'read-replacement'])

/** Whether an operation of this kind changes anything. */
export function isChange(op: string): boolean {
  return !quiet.has(op)
}

/** Operations that change something, in one line: `3 create, 1 update`. */
export function changesIn(changes: Readonly<Record<string, number>>): string {
  const found = Object.entries(changes).filter(([op, count]) => count > 0 && isChange(op))
  if (found.length === 0) return 'no changes'
  return found.map(([op, count]) => `${count} ${op}`).join(', ')
}

/** What a run came to, for the caller. */
export function resultOf(
  emitter: StepEmitter,
  result: DeployResult['result'],
  pending: DeployResult['pending'],
): DeployResult {
  const changes = emitter.counts()
  const hasChanges = Object.entries(changes).some(([op, count]) => count > 0 && isChange(op))
  return { result, changes, hasChanges, pending }
}

/** Operations of a stack's published state whose end nobody knows. */
export async function pendingNow({ platform, request }: Asked): Promise<DeployResult['pending']> {
  const record = await platform.catalog.stack(request.stack)
  if (record === undefined || record.snapshot === '') return []
  const stored = await readSnapshotBlob(platform.blobs, record.snapshot)
  return (stored.pending_operations ?? []).map(({ resource, type }) => ({
    urn: resource.urn,
    type,
  }))
}
