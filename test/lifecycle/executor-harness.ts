import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { observeNothing } from '../../shared/engine/telemetry/observe-operation.ts'
import type { Admission } from '../../shared/engine/executor/pool-admission.ts'
import { createExecutor } from '../../shared/engine/executor/executor.ts'
import { type TrackedState, stepOf } from '../../shared/engine/step.ts'
import { createResourceState } from '../../shared/state/resource.ts'
import type { ExecutionContext } from '../../shared/engine/executor/execution-context.ts'
import { createCallLimiter } from '../../shared/engine/call-limits/call-limiter.ts'
import { createOperationSlots } from '../../shared/engine/deployment/dispatch/operation-slots.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import type { ControlPort, OperationsPort } from '../../shared/ports/records.ts'
import type { Head } from '../../shared/records/head.ts'
import {
  type DeploymentId,
  type EpochMs,
  type ExecutorId,
  type LogNumber,
  type OperationId,
  type OwnerToken,
  type StackId,
  type WriterToken,
  stackIdOf,
} from '../../shared/records/ids.ts'
import type { Decision } from '../../shared/records/log.ts'
import type { Operation } from '../../shared/records/operation.ts'

/** Returns an operation with this id: by default a delete without a provider call. */
export function createOperation(id: number, overrides: Partial<Operation> = {}): Operation {
  const urn = `urn:pulumi:s::p::t:m:T::n${id}` as Operation['urn']
  const graphFields = { id: id as OperationId, needs: 0, releases: [] }
  const stepFields = { op: 'delete', urn, type: 't:m:T', provider: '', effect: 'remove' } as const
  return { ...graphFields, ...stepFields, logical: true, ...overrides }
}

export const [firstId, barrierId, secondId] = [1 as OperationId, 2 as OperationId, 3 as OperationId]

/** A plan of two deletes. The first is followed by a barrier, which releases the second. */
export const twoDeletesPlan: readonly Operation[] = [
  createOperation(firstId, { barrier: barrierId }),
  createOperation(barrierId, { op: 'join', needs: 1, releases: [secondId] }),
  createOperation(secondId, { needs: 1 }),
]

/** The decision that contains the first operation. */
export const firstRegistration: Decision = {
  kind: 'registration',
  urn: createOperation(firstId).urn,
  goal: '',
  operations: [createOperation(firstId)],
  sets: {},
}

/** The holder of every deployment of a harness. */
export const testHolder = { host: 'here', pid: 1, started: '1', who: 'someone: up' }

/** Faults that affect an executor. */
interface Faults {
  readonly operations?: Partial<OperationsPort>
  readonly control?: Partial<ControlPort>
  readonly holdsLease?: () => boolean
  readonly admission?: Admission
}

/** The options of a deployment of a harness. `plannedOperations` replace `plan`. */
interface DeploymentOptions extends Faults {
  readonly plannedOperations?: readonly Operation[]
}

/** A deployment with one executor, which runs the planned operations that the test delivers. */
export interface HarnessDeployment {
  readonly stack: StackId
  readonly deployment: DeploymentId
  /** Reported ends, as `failed: reason`. */
  readonly reported: string[]
  /**
   * Delivers the message of an operation, by default of the first, to the executor. `deliveries`:
   * the number of deliveries of this message so far.
   */
  readonly deliver: (deliveries: number, id?: OperationId) => Promise<void>
  /** Begins an operation for another executor. */
  readonly begin: (id: OperationId, executor: string) => Promise<OwnerToken>
  readonly headOf: (id: OperationId) => Promise<Head | undefined>
  /** Appends the first record of the log. */
  readonly appendRecord: (...decisions: readonly Decision[]) => Promise<void>
}

/** A platform on which tests run the executor of a deployment step by step. */
export interface ExecutorHarness {
  readonly platform: EmbeddedPlatform
  readonly openDeployment: (options?: DeploymentOptions) => Promise<HarnessDeployment>
  readonly close: () => Promise<void>
}

/** Opens a harness in a temporary folder, which `close` removes. */
export async function openExecutorHarness(): Promise<ExecutorHarness> {
  const home = mkdtempSync(join(tmpdir(), 'antichain-harness-'))
  const platform = await openEmbeddedPlatform({ home })
  let stackCount = 0
  return {
    platform,
    async openDeployment({ plannedOperations = twoDeletesPlan, ...faults } = {}) {
      const stack = stackIdOf('harness', `s${(stackCount += 1)}`)
      await platform.catalog.createStack(stack, 1 as EpochMs)
      const startInput = {
        command: 'destroy',
        message: '',
        at: 1 as EpochMs,
      } as const
      const { deployment } = await platform.catalog.start(stack, startInput)
      await platform.control.create(deployment, testHolder)
      return createHarnessDeployment(platform, { stack, deployment, plannedOperations, faults })
    },
    async close() {
      await platform.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function stateOf(urn: Operation['urn']): TrackedState {
  const ref = { kind: 'base', epoch: 1, index: 0, urn } as const
  return { state: createResourceState({ urn, type: 't:m:T', custom: true }), ref }
}

function createHarnessDeployment(
  platform: EmbeddedPlatform,
  input: {
    readonly stack: StackId
    readonly deployment: DeploymentId
    readonly plannedOperations: readonly Operation[]
    readonly faults: Faults
  },
): HarnessDeployment {
  const { stack, deployment, plannedOperations, faults } = input
  const reported: string[] = []
  const context = {
    deployment,
    logIndex: {
      find: async (id: OperationId) => plannedOperations.find(operation => operation.id === id),
    },
    sealing: {},
    openStep: async ({ urn }: Operation) =>
      stepOf({ op: 'delete', effect: 'remove', old: stateOf(urn), skipCall: true }),
    emitter: {
      emitBegin: () => undefined,
      emitEnd: (_step: unknown, end: { verdict: string; error?: { message: string } }) =>
        void reported.push(`${end.verdict}: ${end.error?.message ?? ''}`),
      report: () => undefined,
    },
    performDeps: {},
    reportedOperations: new Set(),
    slots: createOperationSlots(4),
    limiter: createCallLimiter({
      ...platform,
      stack,
      deployment,
      rules: [],
      waitMaxMs: Infinity,
      report: () => undefined,
    }),
    providerInputsOf: () => undefined,
    mayGeneratorPark: true,
    observe: observeNothing,
    holdsLease: faults.holdsLease ?? (() => true),
    earlierDurationsMs: new Map(),
    admit: async () => faults.admission ?? 'now',
  } as unknown as ExecutionContext
  const ports = {
    ...platform,
    operations: { ...platform.operations, ...faults.operations },
    control: { ...platform.control, ...faults.control },
  }
  const executor = createExecutor(ports, {
    executor: 'e' as ExecutorId,
    contextOf: async () => context,
  })
  return {
    stack,
    deployment,
    reported,
    deliver: (deliveries, id = firstId) =>
      executor.runDelivery({
        message: { deployment, operations: [id] },
        receipt: 'none',
        deliveries,
      }),
    async begin(id, executorName) {
      const owner = `owner of ${id}` as OwnerToken
      const beginRequest = {
        owner,
        executor: executorName as ExecutorId,
        expectedAttempt: 0,
        needs: 0,
      }
      await platform.operations.begin(deployment, id, beginRequest)
      return owner
    },
    headOf: async id => (await platform.operations.getHeads(deployment, [id])).get(id),
    async appendRecord(...decisions) {
      const [number, writer, at] = [0 as LogNumber, 'w' as WriterToken, 1 as EpochMs]
      await platform.decisionLog.append(deployment, { number, writer, at, decisions })
    },
  }
}
