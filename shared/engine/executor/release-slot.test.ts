import { expect, test } from 'vitest'
import type { DeploymentId, ExecutorId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import { createExecutor } from './executor.ts'
import { createSlots } from '../deployment/dispatch/slots.ts'

const message = {
  deployment: 'd' as DeploymentId,
  operations: [1 as OperationId, 2 as OperationId],
}
const operationOf = (id: OperationId) =>
  ({
    id,
    urn: `urn:pulumi:s::p::t:m:T::n-${id}`,
    op: 'delete',
    needs: 0,
    releases: [],
    effect: 'remove',
  }) as unknown as Operation

/** Runs the deletes of two operations with one slot. `done` has the calls in their order. */
async function runWithOneSlot(
  putOutcome: (operation: number) => Promise<void>,
  failure?: Error,
): Promise<readonly string[]> {
  const done: string[] = []
  const ports = {
    operations: {
      begin: async (_: unknown, id: number) => {
        done.push(`begin ${id}`)
        return { kind: 'begun', attempt: 1 }
      },
      putOutcome: (_: unknown, { operation }: { readonly operation: number }) =>
        putOutcome(operation),
      select: async (_: unknown, id: number) => done.push(`end ${id}`) > 0,
    },
    control: { read: async () => ({ stop: 'none', closed: false }) },
    chains: { remove: async () => void done.push('removed'), extend: async () => true },
    hints: { hint: () => undefined },
    clock: {
      defer: setImmediate,
      repeat: () => () => undefined,
      now: () => 1,
      monotonicMs: () => 1,
    },
    random: { uuid: () => 'token' },
  } as unknown as ExecutorPorts
  const context = {
    logIndex: { find: async (id: OperationId) => operationOf(id) },
    openStep: async (operation: Operation) => {
      const { urn } = operation
      const state = { urn, id: 'n-1', type: 't:m:T', customTimeouts: {} }
      return { ...operation, provider: 'p', old: { state }, next: undefined }
    },
    emitter: { emitBegin: () => undefined, emitEnd: () => undefined, report: () => undefined },
    performDeps: {
      provider: async () => ({
        async delete() {
          done.push('delete')
          if (failure !== undefined) throw failure
        },
      }),
    },
    reportedOperations: new Set(),
    earlierDurationsMs: new Map(),
    slots: createSlots(1),
    holdsLease: () => true,
    isAbandoned: () => false,
    admit: async () => 'now',
    onUnsettledBegin: () => void done.push('left begun'),
  } as unknown as ExecutionContext
  const executor = createExecutor(ports, {
    executor: 'e' as ExecutorId,
    contextOf: async () => context,
  })
  await executor.runDelivery({ message, receipt: 'r', deliveries: 1 })
  return done
}

test('an operation begins while the outcome of the previous one is recorded, also with one slot', async () => {
  const secondRecorded = Promise.withResolvers<void>()
  const done = await runWithOneSlot(async operation => {
    if (operation === 2) secondRecorded.resolve()
    else await secondRecorded.promise
  })
  expect(done.slice(0, 4)).toEqual(['begin 1', 'delete', 'begin 2', 'delete'])
  expect(done.slice(4)).toEqual(expect.arrayContaining(['end 1', 'end 2', 'removed']))
})

test('an operation does not begin before the failure of the previous one is recorded', async () => {
  const done = await runWithOneSlot(async () => undefined, new Error('refused'))
  expect(done).toEqual(['begin 1', 'delete', 'end 1', 'begin 2', 'delete', 'end 2', 'removed'])
})
