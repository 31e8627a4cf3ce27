import { expect, test } from 'vitest'
import type { DeploymentId, ExecutorId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import { createExecutor } from './executor.ts'
import { createSlots } from '../deployment/dispatch/slots.ts'

const id = 1 as OperationId
const urn = 'urn:pulumi:s::p::t:m:T::n' as Operation['urn']
const operation = { id, urn, op: 'delete', needs: 0, releases: [], effect: 'remove' }

test('an executor that loses its lease while a plugin starts does not call the provider and gives the attempt back', async () => {
  const done: string[] = []
  let holds = true
  const ports = {
    operations: {
      begin: async () => ({ kind: 'begun', attempt: 1 }),
      giveBack: async () => done.push('given back') > 0,
      putOutcome: async () => void done.push('an outcome'),
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
  const state = { urn, id: 'n-1', type: 't:m:T', customTimeouts: {} }
  const context = {
    logIndex: { find: async () => operation },
    openStep: async () => ({ ...operation, provider: 'p', old: { state }, next: undefined }),
    emitter: { emitBegin: () => undefined, emitEnd: () => undefined },
    performDeps: {
      async provider() {
        holds = false
        return { delete: async () => void done.push('deleted') }
      },
    },
    reportedOperations: new Set(),
    slots: createSlots(1),
    holdsLease: () => holds,
    isAbandoned: () => false,
    admit: async () => 'now',
    onUnsettledBegin: () => void done.push('left begun'),
  } as unknown as ExecutionContext
  const executor = createExecutor(ports, {
    executor: 'e' as ExecutorId,
    contextOf: async () => context,
  })
  const message = { deployment: 'd' as DeploymentId, operations: [id] }
  await executor.runDelivery({ message, receipt: 'r', deliveries: 1 })
  expect(done).toEqual(['given back', 'removed'])
})
