import type { CatalogPort } from '../../ports/catalog.ts'
import type { ChainQueuePort, HintsPort, NudgesPort } from '../../ports/queue.ts'
import type { ControlPort, OperationsPort } from '../../ports/records.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { Step } from '../step.ts'
import type { Sealing } from '../deployment/state/state-sealing.ts'
import type { Admission } from './admission.ts'
import { type PerformDeps } from './provider-call.ts'
import type { PlanIndex } from './plan-index.ts'
import type { Slots } from '../deployment/dispatch/slots.ts'

/** The knowledge of an executor about the deployment of its message. */
export interface ExecutionContext {
  readonly deployment: DeploymentId
  readonly plan: PlanIndex
  readonly sealing: Sealing
  /** Opens an operation with its old state from the pinned base. */
  readonly stepOf: (operation: Operation) => Promise<Step>
  readonly emitter: StepEmitter
  readonly performing: PerformDeps
  readonly slots: Slots
  /** Records the operations that were reported here, for a generator in the same process. */
  readonly reported: Set<OperationId>
  /**
   * Reports whether the executor's lease is valid. It is checked directly before each call (I1).
   */
  readonly holdsLease: () => boolean
  /** Reports whether a user abandoned the outcomes that this process holds and could not record. */
  readonly isAbandoned: () => boolean
  /**
   * Called when an operation stays begun that this executor can no longer settle. The executor must
   * retire after its running operations, because others wait for a living executor.
   */
  readonly onUnsettledBegin: () => void
  /** The last recorded durations of operations, in ms, by `slowKeyOf`. */
  readonly knownDurations: Map<string, number>
  /** Decides whether an operation fits into the time of this executor. */
  readonly admit: (operation: Operation) => Promise<Admission>
}

/** The ports that executors use. */
export interface ExecutorPorts {
  readonly operations: OperationsPort
  readonly catalog: CatalogPort
  readonly control: Pick<ControlPort, 'read'>
  readonly chains: ChainQueuePort
  readonly hints: HintsPort
  readonly nudges: NudgesPort
  readonly clock: ClockPort
  readonly random: RandomPort
}
