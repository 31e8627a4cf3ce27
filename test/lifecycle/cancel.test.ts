import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancel } from '../../local/cancel-deployment.ts'
import { createGeneratorPorts } from '../../local/local-engine.ts'
import { limits } from '../../shared/config/limits.ts'
import type { ExecutorId } from '../../shared/records/ids.ts'
import {
  testHolder,
  firstId,
  openExecutorHarness,
  firstRegistration,
  type ExecutorHarness,
} from './executor-harness.ts'

let harness: ExecutorHarness
beforeAll(async () => {
  harness = await openExecutorHarness()
})
afterAll(() => harness.close())

test('a forced cancel of a deployment with a dead generator ends the provider processes of living executors', async () => {
  const { platform } = harness
  const { stack, deployment, begin, appendRecord, headOf } = await harness.openDeployment()
  await appendRecord(firstRegistration)
  const executor = 'elsewhere' as ExecutorId
  const [living, group] = [
    { ...testHolder, pid: 3 },
    { pid: 77, started: 'then' },
  ]
  await platform.leases.register(deployment, executor, living)
  await platform.leases.renew(deployment, executor, [group])
  const owner = await begin(firstId, executor)
  const ended: unknown[] = []
  const ports = {
    ...createGeneratorPorts(platform),
    holder: { ...testHolder, pid: 2 },
    isAlive: ({ pid }: { readonly pid: number }) => pid === living.pid,
    endProcessGroup(processGroup: unknown) {
      ended.push(processGroup)
      // The executor that lost its provider during a call ends the operation itself.
      const end = { owner, attempt: 1, verdict: 'interrupted' } as const
      void platform.operations.select(deployment, firstId, end)
    },
  }
  expect(await cancel(ports, stack, { force: true })).toMatchObject({ kind: 'closed' })
  expect(ended).toEqual([group])
  expect(await headOf(firstId)).toMatchObject({ end: { verdict: 'interrupted' } })
  expect(await platform.control.read(deployment)).toMatchObject({ stop: 'forced', closed: true })
})

test('a forced cancel closes a deployment whose holder is on an unreachable host', async () => {
  const { platform } = harness
  const { stack, deployment, begin, appendRecord, headOf } = await harness.openDeployment()
  await appendRecord(firstRegistration)
  const executor = 'there' as ExecutorId
  await platform.leases.register(deployment, executor, { ...testHolder, host: 'renamed' })
  await begin(firstId, executor)
  let nowMs = 0
  const clock = {
    ...platform.clock,
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => void (nowMs += ms),
  }
  const ports = {
    ...createGeneratorPorts(platform),
    clock,
    holder: { ...testHolder, host: 'now' },
    isAlive: () => undefined,
  }
  expect(await cancel(ports, stack, { force: false })).toMatchObject({ kind: 'asked' })
  expect(await platform.control.read(deployment)).toMatchObject({ closed: false })
  expect(await cancel(ports, stack, { force: true })).toMatchObject({ kind: 'closed' })
  expect(nowMs).toBeGreaterThan(limits.leaseMs)
  expect(await headOf(firstId)).toMatchObject({ end: { verdict: 'interrupted' } })
  expect(await platform.catalog.getStack(stack)).toMatchObject({ current: '' })
})

test('a cancel tries again when the holder writes the next record first', async () => {
  const { platform } = harness
  const { stack, deployment, appendRecord } = await harness.openDeployment()
  await appendRecord(firstRegistration)
  let refusals = 0
  const { decisionLog } = platform
  const append: typeof decisionLog.append = async (...args) => {
    if (refusals === 2) return decisionLog.append(...args)
    refusals += 1
    return 'refused'
  }
  const ports = {
    ...createGeneratorPorts(platform),
    decisionLog: { ...decisionLog, append },
    holder: { ...testHolder, host: 'server' },
    isAlive: () => undefined,
  }
  expect(await cancel(ports, stack, { force: true })).toMatchObject({ kind: 'closed' })
  expect(refusals).toBe(2)
  expect(await platform.control.read(deployment)).toMatchObject({ closed: true })
})

test('a state edit whose process died after the publication is in the history with its version', async () => {
  const { platform } = harness
  const { stack, deployment } = await harness.openDeployment()
  const snapshot = await platform.blobs.put(Buffer.from('{"version":3}'))
  await platform.catalog.publish(stack, 0, snapshot)
  const ports = {
    ...createGeneratorPorts(platform),
    holder: { ...testHolder, pid: 2 },
    isAlive: () => false,
  }
  expect(await cancel(ports, stack, { force: false })).toMatchObject({ kind: 'closed' })
  const [line] = await platform.catalog.listHistory(stack, 1)
  expect(line).toMatchObject({ deployment, result: 'cancelled', version: 1 })
})
