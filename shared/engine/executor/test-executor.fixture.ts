import type { ExecutorId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { type CallLimiterDeps, createCallLimiter } from '../call-limits/call-limiter.ts'
import { createOperationSlots } from '../deployment/dispatch/operation-slots.ts'
import { observeNothing } from '../telemetry/observe-operation.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import { createExecutor, type Executor } from './executor.ts'

/** Returns a delete without needs. */
export function createTestDelete(id: OperationId): Operation {
  const urn = `urn:pulumi:s::p::t:m:T::n-${id}`
  const operation = { id, urn, op: 'delete', needs: 0, releases: [], effect: 'remove' }
  return operation as unknown as Operation
}

/**
 * Creates an executor with one slot, whose operations are deletes and whose store accepts every
 * write. `calls` gets the calls that tests compare. The options replace parts of the ports, of the
 * context and of the operations.
 */
export function createTestExecutor(
  calls: string[],
  options: {
    readonly operations?: Partial<ExecutorPorts['operations']>
    readonly provider: ExecutionContext['performDeps']['provider']
    readonly holdsLease?: () => boolean
    readonly beforeRetry?: ExecutionContext['performDeps']['beforeRetry']
    readonly monotonicMs?: () => number
    readonly clock?: Pick<ExecutorPorts['clock'], 'now' | 'sleep'>
    readonly callLimits?: CallLimiterDeps['callLimits']
    readonly op?: Operation['op']
  },
): Executor {
  const operations: Partial<ExecutorPorts['operations']> = {
    async begin(_deployment, id) {
      calls.push(`begin ${id}`)
      return { kind: 'begun', attempt: 1 }
    },
    giveBack: async (_deployment, id) => calls.push(`give back ${id}`) > 0,
    putOutcome: async () => undefined,
    select: async (_deployment, id) => calls.push(`end ${id}`) > 0,
    ...options.operations,
  }
  const ports = {
    operations,
    control: { read: async () => ({ stop: 'none', closed: false }) },
    chains: { remove: async () => void calls.push('removed'), extend: async () => true },
    hints: { hint: () => undefined },
    callLimits: options.callLimits ?? { get: async () => undefined },
    clock: {
      defer: queueMicrotask,
      repeat: () => () => undefined,
      now: () => 1,
      monotonicMs: options.monotonicMs ?? (() => 1),
      sleep: async () => undefined,
      ...options.clock,
    },
    random: { uuid: () => 'token', bytes: (count: number) => new Uint8Array(count) },
  } as unknown as ExecutorPorts
  const { op = 'delete' } = options
  const limiterDeps = { ...ports, rules: [], waitMaxMs: Infinity, report: () => undefined }
  const context = {
    deployment: 'd',
    logIndex: { find: async (id: OperationId) => ({ ...createTestDelete(id), op }) },
    openStep: async (operation: Operation) => {
      const { urn } = operation
      const state = { urn, id: 'n-1', type: 't:m:T', customTimeouts: {} }
      const next = op === 'delete' ? undefined : state
      return { ...operation, provider: 'p', old: { state }, next }
    },
    emitter: { emitBegin: () => undefined, emitEnd: () => undefined, report: () => undefined },
    performDeps: {
      provider: options.provider,
      beforeRetry: options.beforeRetry,
      timestamp: () => '',
    },
    reportedOperations: new Set(),
    earlierDurationsMs: new Map(),
    slots: createOperationSlots(1),
    limiter: createCallLimiter({
      ...limiterDeps,
      deployment: 'd',
      stack: 's',
    } as unknown as CallLimiterDeps),
    providerInputsOf: () => undefined,
    mayGeneratorPark: true,
    holdsLease: options.holdsLease ?? (() => true),
    isAbandoned: () => false,
    admit: async () => 'now',
    observe: observeNothing,
    onUnsettledBegin: () => void calls.push('left begun'),
  } as unknown as ExecutionContext
  return createExecutor(ports, { executor: 'e' as ExecutorId, contextOf: async () => context })
}
