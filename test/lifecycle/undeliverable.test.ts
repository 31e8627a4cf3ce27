import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGeneratorPorts } from '../../local/local-engine.ts'
import { redrive } from '../../local/redrive.ts'
import { sweep } from '../../shared/engine/deployment/recovery/sweep.ts'
import { createError } from '../../shared/errors/error.ts'
import type { EmbeddedPlatform } from '../../shared/platform/embedded/embedded-platform.ts'
import type { OperationsPort } from '../../shared/ports/records.ts'
import type {
  DeploymentId,
  EpochMs,
  ExecutorId,
  OwnerToken,
  StackId,
} from '../../shared/records/ids.ts'
import {
  barrierId,
  secondId,
  firstId,
  type HarnessDeployment,
  openExecutorHarness,
  twoDeletesPlan,
  type ExecutorHarness,
} from './executor-harness.ts'

let harness: ExecutorHarness
let platform: EmbeddedPlatform
beforeAll(async () => {
  harness = await openExecutorHarness()
  platform = harness.platform
})
afterAll(() => harness.close())

const throwingOperations: Partial<OperationsPort> = {
  begin: () => Promise.reject(new TypeError('a stone')),
}

describe('an operation that no delivery can handle', () => {
  test('is delivered again four times', async () => {
    const deployment = await harness.openDeployment({ operations: throwingOperations })
    for (const count of [1, 2, 3, 4])
      await expect(deployment.deliver(count)).rejects.toThrow('a stone')
    expect(await deployment.headOf(firstId)).toBeUndefined()
  })

  test('fails at the fifth delivery with its cause, and its barrier opens', async () => {
    const deployment = await harness.openDeployment({ operations: throwingOperations })
    await deployment.deliver(5).catch(() => undefined)
    const ends = await platform.operations.getEnds(deployment.deployment, [firstId, barrierId])
    expect(ends.get(firstId)?.head.end?.verdict).toBe('failed')
    expect(ends.get(firstId)?.outcome?.error?.message).toContain('a stone')
    expect(ends.get(barrierId)?.head.end?.verdict).toBe('succeeded')
    expect(deployment.reported[0]).toMatch(/^failed: every delivery .* a stone$/)
  })

  test('is not reported by the executor if it has hooks, because the generator reports it', async () => {
    const plannedOperations = twoDeletesPlan.map(operation => ({ ...operation, hooked: true }))
    const operations = throwingOperations
    const deployment = await harness.openDeployment({ operations, plannedOperations })
    await deployment.deliver(5).catch(() => undefined)
    expect((await deployment.headOf(firstId))?.end?.verdict).toBe('failed')
    expect(deployment.reported).toEqual([])
  })

  test('loses its message while it waits for other operations, because its last arrival sends a new one', async () => {
    const deployment = await harness.openDeployment({ operations: throwingOperations })
    await deployment.deliver(5, secondId)
    expect(await deployment.headOf(secondId)).toBeUndefined()
    expect(deployment.reported).toEqual([])
  })

  test('ends as interrupted if an earlier attempt may have called the provider', async () => {
    const deployment = await harness.openDeployment({ operations: throwingOperations })
    const owner = 'o' as OwnerToken
    const beginRequest = { owner, executor: 'x' as ExecutorId, expectedAttempt: 0, needs: 0 }
    await platform.operations.begin(deployment.deployment, firstId, beginRequest)
    await platform.operations.lapse(deployment.deployment, firstId, owner, 1)
    await deployment.deliver(5).catch(() => undefined)
    expect((await deployment.headOf(firstId))?.end).toEqual({ verdict: 'interrupted', attempt: 1 })
  })

  test('stays in the queue when the store fails', async () => {
    const storeError = createError('STORE_UNAVAILABLE', 'away')
    const deployment = await harness.openDeployment({
      operations: { begin: () => Promise.reject(storeError) },
    })
    await expect(deployment.deliver(5)).rejects.toBe(storeError)
    expect(await deployment.headOf(firstId)).toBeUndefined()
  })

  test('is given back when the control record cannot be read after the begin', async () => {
    const deployment = await harness.openDeployment({
      control: { read: () => Promise.reject(createError('STORE_UNAVAILABLE', 'away')) },
    })
    await expect(deployment.deliver(1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await deployment.headOf(firstId)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
  })

  test('that killed five executors is interrupted by the sweep', async () => {
    const { deployment } = await harness.openDeployment()
    const { operations, chains } = platform
    const firstOperations = twoDeletesPlan.slice(0, 1)
    const isGone = (): boolean => true
    for (let attempt = 0; attempt < 5; attempt++) {
      const owner = `o${attempt}` as OwnerToken
      const beginRequest = {
        owner,
        executor: 'x' as ExecutorId,
        expectedAttempt: attempt,
        needs: 0,
      }
      expect((await operations.begin(deployment, firstId, beginRequest)).kind).toBe('begun')
      await sweep({ deployment, operations, chains, isGone }, firstOperations)
    }
    const head = (await operations.getHeads(deployment, [firstId])).get(firstId)
    expect(head?.end).toEqual({ verdict: 'interrupted', attempt: 5 })
  })
})

describe('redrive', () => {
  const createPorts = () => ({ ...createGeneratorPorts(platform), isAlive: () => true })

  /** Delivers a message until the queue moves it to the dead letters. */
  async function makeDeadLetter({ deployment }: HarnessDeployment): Promise<void> {
    const { chains } = platform
    await chains.send([{ deployment, operations: [firstId] }])
    for (let count = 0; count < 5; count++) {
      const [delivery] = await chains.receive(1, 5_000, { deployment })
      await chains.extend(delivery?.receipt ?? '', 0)
    }
    expect(await chains.receive(1, 0, { deployment })).toEqual([])
  }

  test('sends a dead letter again if its operation has not ended', async () => {
    const deployment = await harness.openDeployment()
    expect(await redrive(createPorts(), deployment.stack)).toEqual({ kind: 'nothing' })
    await makeDeadLetter(deployment)
    expect(await redrive(createPorts(), deployment.stack)).toEqual({ kind: 'sent', operations: 1 })
    const receiveOptions = { deployment: deployment.deployment }
    const [delivery] = await platform.chains.receive(1, 5_000, receiveOptions)
    expect(delivery?.deliveries).toBe(1)
  })

  test('sends the dead letters of every open targeted deployment', async () => {
    const ids: DeploymentId[] = []
    for (let count = 0; count < 2; count += 1) {
      const deployment = await harness.openDeployment()
      await makeDeadLetter(deployment)
      ids.push(deployment.deployment)
    }
    const idle = await harness.openDeployment()
    const targeted = [idle.deployment, ...ids].map(deployment => ({ deployment }))
    const getStack = async (id: StackId) => {
      const record = await platform.catalog.getStack(id)
      return record === undefined ? undefined : { ...record, targeted: targeted as never }
    }
    const ports = { ...createPorts(), catalog: { ...platform.catalog, getStack } }
    expect(await redrive(ports, idle.stack)).toEqual({ kind: 'sent', operations: 2 })
    for (const deployment of ids)
      expect(await platform.chains.receive(1, 5_000, { deployment })).toHaveLength(1)
  })

  test('skips an ended operation', async () => {
    const deployment = await harness.openDeployment()
    await makeDeadLetter(deployment)
    const end = { owner: '', attempt: 0, verdict: 'failed' } as const
    await platform.operations.select(deployment.deployment, firstId, end)
    expect(await redrive(createPorts(), deployment.stack)).toEqual({ kind: 'nothing' })
  })

  test('does nothing for a deployment that was stopped, died or ended', async () => {
    const deployment = await harness.openDeployment()
    await makeDeadLetter(deployment)
    const dead = { ...createPorts(), isAlive: () => false }
    expect(await redrive(dead, deployment.stack)).toEqual({ kind: 'dead' })
    await platform.control.stop(deployment.deployment, 'graceful')
    expect(await redrive(createPorts(), deployment.stack)).toEqual({ kind: 'stopped' })
    const end = { at: 2 as EpochMs, result: 'failed', changes: {}, version: 0 } as const
    await platform.control.close(deployment.deployment)
    await platform.catalog.release(deployment.deployment, end)
    expect(await redrive(createPorts(), deployment.stack)).toEqual({ kind: 'none' })
  })
})
