import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGeneratorPorts } from '../../local/local-engine.ts'
import { finishClose } from '../../shared/engine/deployment/ownership/finish-close.ts'
import { limits } from '../../shared/config/limits.ts'
import { createLiveness } from '../../shared/engine/deployment/ownership/liveness.ts'
import { endAbandonedOperations } from '../../shared/engine/deployment/recovery/end-abandoned-operations.ts'
import { sweep } from '../../shared/engine/deployment/recovery/sweep.ts'
import { startSweeping } from '../../shared/engine/deployment/recovery/sweeper.ts'
import type { Outcome } from '../../shared/records/head.ts'
import type { Operation } from '../../shared/records/operation.ts'
import type { EpochMs, ExecutorId, OperationId } from '../../shared/records/ids.ts'
import {
  testHolder,
  firstId,
  createOperation,
  openExecutorHarness,
  type HarnessDeployment,
  firstRegistration,
  type ExecutorHarness,
} from './executor-harness.ts'

let harness: ExecutorHarness
beforeAll(async () => {
  harness = await openExecutorHarness()
})
afterAll(() => harness.close())

const createOutcome = (attempt: number, verdict: Outcome['verdict'] = 'succeeded'): Outcome => {
  const at = 1 as EpochMs
  return { operation: firstId, attempt, verdict, startedAt: at, endedAt: at }
}

/** Runs one sweep over a plan, with every executor considered dead. */
function sweepDead({ deployment }: HarnessDeployment, operations: readonly Operation[]) {
  return sweep({ ...harness.platform, deployment, isGone: () => true }, operations)
}

describe('an operation that a dead executor had begun', () => {
  const create = createOperation(firstId, { op: 'create', effect: 'add' })

  test('gets the outcome that the executor stored', async () => {
    const running = await harness.openDeployment()
    await running.begin(firstId, 'dead')
    await harness.platform.operations.putOutcome(running.deployment, createOutcome(1))
    await sweepDead(running, [create])
    expect((await running.headOf(firstId))?.end).toEqual({ verdict: 'succeeded', attempt: 1 })
  })

  test('is interrupted when it was a create', async () => {
    const running = await harness.openDeployment()
    await running.begin(firstId, 'dead')
    await sweepDead(running, [create])
    expect((await running.headOf(firstId))?.end).toEqual({ verdict: 'interrupted', attempt: 1 })
  })

  test('may begin again when it was a delete', async () => {
    const running = await harness.openDeployment()
    await running.begin(firstId, 'dead')
    await sweepDead(running, [createOperation(firstId)])
    expect(await running.headOf(firstId)).toMatchObject({ owner: '', attempt: 1, givenBack: 0 })
    expect((await running.headOf(firstId))?.end).toBeUndefined()
  })
})

describe('a begun operation at a close', () => {
  test('gets its stored outcome or is interrupted, and an operation that was given back is skipped', async () => {
    const running = await harness.openDeployment()
    const { deployment } = running
    const [second, third] = [2, 3] as unknown as [OperationId, OperationId]
    await running.begin(firstId, 'dead')
    await harness.platform.operations.putOutcome(deployment, createOutcome(1, 'failed'))
    await running.begin(second, 'dead')
    const owner = await running.begin(third, 'dead')
    await harness.platform.operations.giveBack(deployment, third, owner, 1)
    const ports = { ...harness.platform, goneExecutors: new Set(['dead' as ExecutorId]) }
    await endAbandonedOperations(ports, deployment, [firstId, second, third])
    expect((await running.headOf(firstId))?.end).toEqual({ verdict: 'failed', attempt: 1 })
    expect((await running.headOf(second))?.end).toEqual({ verdict: 'interrupted', attempt: 1 })
    expect((await running.headOf(third))?.end).toBeUndefined()
  })

  test('is awaited while its owner lives', async () => {
    const running = await harness.openDeployment()
    const { deployment } = running
    const { platform } = harness
    await running.appendRecord(firstRegistration, { kind: 'closing', result: 'failed' })
    await platform.leases.register(deployment, 'alive' as ExecutorId, testHolder)
    const owner = await running.begin(firstId, 'alive')
    const ports = { ...createGeneratorPorts(platform), isAlive: () => true }
    const liveness = createLiveness(ports, deployment)
    const closed = finishClose(ports, deployment, { liveness, changes: {} })
    await new Promise(resolve => setTimeout(resolve, 150))
    expect(await platform.control.read(deployment)).toMatchObject({
      stop: 'graceful',
      closed: false,
    })
    await platform.operations.select(deployment, firstId, {
      owner,
      attempt: 1,
      verdict: 'succeeded',
    })
    await closed
    expect((await running.headOf(firstId))?.end).toEqual({ verdict: 'succeeded', attempt: 1 })
    expect(await platform.control.read(deployment)).toMatchObject({ closed: true })
  })

  test('is awaited for at most the duration of one lease after a forced stop, even while its owner renews the lease', async () => {
    const running = await harness.openDeployment()
    const { deployment } = running
    const { platform } = harness
    await running.appendRecord(firstRegistration, { kind: 'closing', result: 'cancelled' })
    const far = 'far' as ExecutorId
    await platform.leases.register(deployment, far, { ...testHolder, host: 'there' })
    await running.begin(firstId, far)
    await platform.control.stop(deployment, 'forced')
    let nowMs = 0
    const clock = {
      ...platform.clock,
      monotonicMs: () => nowMs,
      async sleep(ms: number) {
        nowMs += ms * 20
        await platform.leases.renew(deployment, far, [])
      },
    }
    const ports = { ...createGeneratorPorts(platform), clock, isAlive: () => undefined }
    const liveness = createLiveness(ports, deployment)
    await finishClose(ports, deployment, { liveness, changes: {} })
    expect(Math.round(nowMs / limits.leaseMs)).toBe(1)
    expect(await running.headOf(firstId)).toMatchObject({ end: { verdict: 'interrupted' } })
    // The next renewal of the lease fails, so the executor stops.
    expect(await platform.leases.renew(deployment, far, [])).toBe(false)
  })
})

describe('a sweep', () => {
  const [join, waiter] = [3, 4] as unknown as [OperationId, OperationId]
  const plan = [
    createOperation(1, { releases: [join] }),
    createOperation(2, { releases: [join] }),
    createOperation(3, { op: 'join', needs: 2, releases: [waiter] }),
    createOperation(4, { needs: 1 }),
  ]

  /** Ends operations like an executor that dies before it records their arrivals. */
  async function endOperations(
    { deployment, begin }: HarnessDeployment,
    ids: readonly number[],
  ): Promise<void> {
    for (const id of ids as readonly OperationId[]) {
      const owner = await begin(id, 'dead')
      const end = { owner, attempt: 1, verdict: 'succeeded' } as const
      await harness.platform.operations.select(deployment, id, end)
    }
  }

  test('does not end a join that still waits', async () => {
    const running = await harness.openDeployment()
    await endOperations(running, [1])
    await sweepDead(running, plan)
    expect((await running.headOf(join))?.arrived).toEqual([1])
    expect((await running.headOf(join))?.end).toBeUndefined()
  })

  test('repeats arrivals, ends a complete join, and sends the operations that are ready', async () => {
    const running = await harness.openDeployment()
    const { deployment } = running
    await endOperations(running, [1, 2])
    await sweepDead(running, plan)
    expect((await running.headOf(join))?.end?.verdict).toBe('succeeded')
    const [delivery] = await harness.platform.chains.receive(1, 1_000, { deployment })
    expect(delivery?.message.operations).toEqual([waiter])
  })

  test('does not recover operations of a living executor', async () => {
    const running = await harness.openDeployment()
    const { deployment } = running
    const owner = await running.begin(firstId, 'alive')
    await sweep({ ...harness.platform, deployment, isGone: () => false }, plan)
    expect(await running.headOf(firstId)).toMatchObject({ owner, attempt: 1 })
  })

  test('does nothing in a stopped deployment', async () => {
    const running = await harness.openDeployment()
    const { deployment } = running
    const { platform } = harness
    await running.appendRecord({
      kind: 'registration',
      urn: createOperation(firstId).urn,
      goal: '',
      operations: plan,
      sets: {},
    })
    await running.begin(firstId, 'dead')
    await platform.control.stop(deployment, 'graceful')
    const gone = new Set(['dead' as ExecutorId])
    const liveness = {
      observe: async () => gone,
      observeUntilKnown: async () => gone,
      retire: async () => undefined,
      isRenewalOverdue: () => false,
    }
    let sleepCount = 0
    const fourthSleep = Promise.withResolvers<void>()
    const clock = {
      ...platform.clock,
      sleep: async (_ms: number, signal?: AbortSignal) => {
        if ((sleepCount += 1) < 4) return
        fourthSleep.resolve()
        await new Promise(resolve => signal?.addEventListener('abort', resolve))
      },
    }
    const sweeping = startSweeping({ ...platform, clock, deployment, liveness })
    await fourthSleep.promise
    await sweeping.end()
    expect(await running.headOf(firstId)).toMatchObject({ owner: 'owner of 1', attempt: 1 })
  })
})
