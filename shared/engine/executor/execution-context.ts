import type { CatalogPort } from '../../ports/catalog.ts'
import type { ChainQueuePort, HintsPort, NudgesPort } from '../../ports/queue.ts'
import type { ControlPort, OperationsPort } from '../../ports/records.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { CallLimiter } from '../call-limits/call-limiter.ts'
import type { PropertyMap } from '../../values/value.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { Step } from '../step.ts'
import type { Sealing } from '../deployment/state/state-sealing.ts'
import type { ObserveOperation } from '../telemetry/observe-operation.ts'
import type { Admission } from './pool-admission.ts'
import { type PerformDeps } from './provider-call.ts'
import type { LogIndex } from './log-index.ts'
import type { OperationSlots } from '../deployment/dispatch/operation-slots.ts'

/** The dependencies with which an executor runs the operations of one deployment. */
export interface ExecutionContext {
  readonly deployment: DeploymentId
  readonly logIndex: LogIndex
  readonly sealing: Sealing
  /** Returns the step of an operation, with its states opened. */
  readonly openStep: (operation: Operation) => Promise<Step>
  readonly emitter: StepEmitter
  readonly performDeps: PerformDeps
  readonly slots: OperationSlots
  /**
   * The operations whose steps this executor has reported. A generator in the same process does not
   * report these steps again.
   */
  readonly reportedOperations: Set<OperationId>
  /**
   * Reports whether the executor's lease is valid. Called directly before each provider call (I1).
   */
  readonly holdsLease: () => boolean
  /** Reports whether a user gave up the outcomes that this process has not recorded yet. */
  readonly isAbandoned: () => boolean
  /** Whether the generator of the deployment may park. It does so only under a time limit. */
  readonly mayGeneratorPark: boolean
  /**
   * Called when this executor can neither end nor give back an operation that it began. The
   * executor must retire after its running operations, because no operation of a living executor is
   * recovered.
   */
  readonly onUnsettledBegin: () => void
  /** Durations of earlier operations of the stack, by the keys of `durationKeyOf`. */
  readonly earlierDurationsMs: Map<string, number>
  /** Limits the calls to providers. */
  readonly limiter: CallLimiter
  /** Returns the inputs of a provider instance. Undefined if this process does not know them. */
  readonly providerInputsOf: (reference: string) => PropertyMap | undefined
  /** Decides whether an operation fits into the remaining time of this executor. */
  readonly admit: (operation: Operation) => Promise<Admission>
  /** Begins the observation of an operation for telemetry. */
  readonly observe: ObserveOperation
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
