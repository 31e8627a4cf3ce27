import type { OperationsPort } from '../../ports/records.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { type Base, withBaseViews } from '../deployment/state/base.ts'
import type { Pin } from '../deployment/log/log-view.ts'
import { stepOfOperation } from '../deployment/state/step-operations.ts'
import type { Sealing } from '../deployment/state/state-sealing.ts'
import type { Step, TrackedState } from '../step.ts'
import type { LogIndex } from './log-index.ts'

/** The dependencies of opening operations. */
export interface StepOpenerDeps {
  readonly deployment: DeploymentId
  readonly logIndex: LogIndex
  readonly operations: OperationsPort
  readonly sealing: Sealing
  /** Returns the base of a pin, with its states opened. */
  readonly baseOfPin: (pin: Pin) => Promise<Base>
}

/**
 * Creates a function that returns the step of an operation. The function works in any process that
 * has the records and the key of the stack's secrets. Old states are in the pinned base, or are
 * results of earlier operations of the deployment. An operation is decided after its pin, and a new
 * pin is written only when all earlier operations have ended. The last pin of the log is therefore
 * the pin of every operation that is still to run.
 */
export function createStepOpener(deps: StepOpenerDeps): (operation: Operation) => Promise<Step> {
  const { logIndex, sealing } = deps
  const findResultState = async (id: OperationId): Promise<TrackedState | undefined> => {
    const settledState = logIndex.settledStateOf(id)
    const ends = await deps.operations.getEnds(
      deps.deployment,
      settledState === undefined ? [id] : [],
    )
    const storedState = settledState ?? ends.get(id)?.outcome?.state
    if (storedState === undefined) return undefined
    return { state: sealing.open(storedState), ref: { kind: 'operation', operation: id } }
  }
  return async operation => {
    const pin = await logIndex.readPin()
    if (pin === undefined) throw new Error('the log contains no pin before the operation')
    const { old } = operation
    const resultState = old?.kind === 'operation' ? await findResultState(old.operation) : undefined
    const base = await deps.baseOfPin(pin)
    return withBaseViews(
      stepOfOperation(operation, { base, sealing, findResultState: () => resultState }),
      base,
    )
  }
}
