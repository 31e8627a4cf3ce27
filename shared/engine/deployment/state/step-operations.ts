import type { OperationId } from '../../../records/ids.ts'
import type { Operation } from '../../../records/operation.ts'
import type { Base } from './base.ts'
import { isLogical, type Step, type StepReason, type TrackedState } from '../../step.ts'
import type { Sealing } from './state-sealing.ts'

/**
 * The position of an operation in its plan or chain: the number of its needs, and the operations
 * that it releases.
 */
export interface PlanPosition {
  readonly id: OperationId
  readonly needs: number
  readonly releases: readonly OperationId[]
  /** The barrier that counts this operation, regardless of its verdict. */
  readonly barrier?: OperationId
}

/** Returns a step as the record that executors read. */
export function operationOf(step: Step, position: PlanPosition, sealing: Sealing): Operation {
  return {
    id: position.id,
    op: step.op,
    urn: step.urn,
    type: step.type,
    provider: step.provider,
    ...(step.old === undefined ? {} : { old: step.old.ref }),
    ...(step.next === undefined ? {} : { state: sealing.seal(step.next, step.old?.state) }),
    effect: step.effect,
    needs: position.needs,
    releases: position.releases,
    ...(position.barrier === undefined ? {} : { barrier: position.barrier }),
    ...(step.skipCall ? { skipCall: true } : {}),
    ...(step.outputsOnly === true ? { outputsOnly: true } : {}),
    ...(step.ignoreProtect === true ? { ignoreProtect: true } : {}),
    ...(step.importedProperties === undefined ? {} : { planned: step.importedProperties }),
    ...toReasonRecord(step.reason),
    logical: isLogical(step.op),
  }
}

/**
 * Returns the step of an operation record. The old state is in the base, or is the result of an
 * earlier operation.
 */
export function stepOfOperation(
  operation: Operation,
  sources: {
    readonly base: Base
    readonly sealing: Sealing
    readonly findResultState: (id: OperationId) => TrackedState | undefined
  },
): Step {
  const { old } = operation
  const trackedOld =
    old === undefined
      ? undefined
      : old.kind === 'base'
        ? sources.base.trackedStateAt(old.index)
        : sources.findResultState(old.operation)
  return {
    op: operation.op,
    urn: operation.urn,
    type: operation.type,
    provider: operation.provider,
    old: trackedOld,
    next: operation.state === undefined ? undefined : sources.sealing.open(operation.state),
    effect: operation.effect,
    skipCall: operation.skipCall === true,
    ...(operation.outputsOnly === true ? { outputsOnly: true } : {}),
    ...(operation.completesCreate === true ? { completesCreate: true } : {}),
    ...(operation.ignoreProtect === true ? { ignoreProtect: true } : {}),
    ...(operation.planned === undefined ? {} : { importedProperties: operation.planned }),
    reason: reasonOf(operation),
  }
}

/** The reason of a step, as stored in records. */
type ReasonRecord = Pick<Operation, 'keys' | 'diffs' | 'detailedDiff'>

/** Returns a reason as its record, without empty fields. */
export function toReasonRecord({ keys, diffs, detailedDiff }: StepReason): ReasonRecord {
  return {
    ...(keys.length > 0 ? { keys } : {}),
    ...(diffs.length > 0 ? { diffs } : {}),
    ...(detailedDiff === null ? {} : { detailedDiff: Object.fromEntries(detailedDiff) }),
  }
}

/** Returns a reason from its record. */
export function reasonOf({ keys = [], diffs = [], detailedDiff }: ReasonRecord): StepReason {
  const entries = Object.entries(detailedDiff ?? {}).map(
    ([path, entry]) => [path, { ...entry, kind: parseDiffKind(entry.kind) }] as const,
  )
  const hasDetails = detailedDiff !== undefined && detailedDiff !== null
  return { keys, diffs, detailedDiff: hasDetails ? new Map(entries) : null }
}

const diffKinds = [
  'add',
  'add-replace',
  'delete',
  'delete-replace',
  'update',
  'update-replace',
] as const

function parseDiffKind(text: string): (typeof diffKinds)[number] {
  return diffKinds.find(kind => kind === text) ?? 'update'
}
