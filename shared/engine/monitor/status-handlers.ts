import {
  type PublishViewStepsRequest,
  type ViewStep,
  ViewStep_Op as Op,
  ViewStep_Status as Status,
  type ViewStepState,
} from '../../../proto/gen/pulumi/resource_status.ts'
import { parsePropertyDiff } from '../../providers/pulumi/check-diff.ts'
import type { StepOp } from '../../records/operation.ts'
import { decodeWire } from '../../values/decode-wire.ts'
import type { ViewStatusRegistry } from '../executor/view-status-registry.ts'
import type { ReportedViewState, ReportedViewStep } from '../executor/view-steps.ts'

/**
 * Creates the handlers of the service with which providers report view steps. Source:
 * docs/spec/step-execution.md#views.
 */
export function createStatusHandlers(registry: ViewStatusRegistry) {
  return {
    publishViewSteps({ token, steps }: PublishViewStepsRequest): Promise<object> {
      return Promise.resolve().then(() => {
        registry.publish(token, steps.map(readStep))
        return {}
      })
    },
  }
}

function readStep(step: ViewStep): ReportedViewStep {
  const { status, error, old, new: next, keys, diffs } = step
  const detailedEntries = [...step.detailedDiff].map(
    ([path, diff]) => [path, parsePropertyDiff(diff)] as const,
  )
  return {
    op: stepOpOf(step.op),
    status: statusOf(status),
    error,
    keys,
    diffs,
    old: old === undefined ? undefined : readState(old),
    next: next === undefined ? undefined : readState(next),
    detailedDiff: step.hasDetailedDiff ? new Map(detailedEntries) : null,
  }
}

/**
 * Reads the state of a view, and ignores the parent in the request. As in Pulumi, the parent of a
 * view is always its owner.
 */
function readState({ type, name, inputs, outputs }: ViewStepState): ReportedViewState {
  const options = {
    ...({ unknowns: 'keep', secrets: true, references: true } as const),
    outputs: false,
    allowsByteStrings: true,
  }
  return { type, name, inputs: decodeWire(inputs, options), outputs: decodeWire(outputs, options) }
}

const stepOpsByWireOp: ReadonlyMap<Op, StepOp> = new Map([
  [Op.SAME, 'same'],
  [Op.CREATE, 'create'],
  [Op.UPDATE, 'update'],
  [Op.DELETE, 'delete'],
  [Op.REPLACE, 'replace'],
  [Op.CREATE_REPLACEMENT, 'create-replacement'],
  [Op.DELETE_REPLACED, 'delete-replaced'],
  [Op.READ, 'read'],
  [Op.READ_REPLACEMENT, 'read-replacement'],
  [Op.REFRESH, 'refresh'],
  [Op.READ_DISCARD, 'discard'],
  [Op.DISCARD_REPLACED, 'discard-replaced'],
  [Op.REMOVE_PENDING_REPLACE, 'remove-pending-replace'],
  [Op.IMPORT, 'import'],
  [Op.IMPORT_REPLACEMENT, 'import-replacement'],
])

function stepOpOf(op: Op): StepOp {
  const stepOp = stepOpsByWireOp.get(op)
  if (stepOp === undefined) throw new Error(`unmarshaling steps: unknown step op ${op}`)
  return stepOp
}

function statusOf(status: Status): ReportedViewStep['status'] {
  switch (status) {
    case Status.OK:
      return 'ok'
    case Status.PARTIAL_FAILURE:
      return 'partial'
    case Status.UNKNOWN:
      return 'unknown'
    default:
      throw new Error(`unmarshaling steps: unknown step status ${String(status)}`)
  }
}
