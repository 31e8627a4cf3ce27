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

/** What an executor knows of the deployment whose message it holds. */
export interface ExecutionContext {
  readonly deployment: DeploymentId
  readonly plan: PlanIndex
  readonly sealing: Sealing
  /** Opens an operation: its old state is looked up in the pinned base. */
  readonly stepOf: (operation: Operation) => Promise<Step>
  readonly emitter: StepEmitter
  readonly performing: PerformDeps
  readonly slots: Slots
  /** Where what is told here is noted, for the generator where it is in the same process. */
  readonly reported: Set<OperationId>
  /** Whether the executor's own lease is good: asked right before each call (I1). */
  readonly holdsLease: () => boolean
  /** Whether a person abandoned what this process still knows and could not record. */
  readonly isAbandoned: () => boolean
  /**
   * Something stays begun that this executor can settle no more: it must retire, once what runs has
   * ended, for who lives is waited for.
   */
  readonly onUnsettledBegin: () => void
  /** What kinds of operations took when it was last noted, in ms, by `slowKeyOf`. */
  readonly knownDurations: Map<string, number>
  /** Whether an operation fits into the time of this executor. */
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
