import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { portsOf } from '../../local/local.ts'
import { redrive } from '../../local/redrive.ts'
import { sweep } from '../../shared/engine/deployment/sweep.ts'
import { createExecutor } from '../../shared/engine/executor/executor.ts'
import type { ExecutionContext } from '../../shared/engine/executor/execution-context.ts'
import { createSlots } from '../../shared/engine/executor/slots.ts'
import { error } from '../../shared/errors/error.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/platform.ts'
import type { OperationsPort } from '../../shared/ports/records.ts'
import type {
  DeploymentId,
  EpochMs,
  ExecutorId,
  OperationId,
  OwnerToken,
  StackId,
} from '../../shared/records/ids.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import type { Operation } from '../../shared/records/operation.ts'

const home = mkdtempSync(join(tmpdir(), 'antichain-poison-'))
let platform: EmbeddedPlatform
beforeAll(async () => {
  platform = await openEmbeddedPlatform({ home })
})
afterAll(async () => {
  await platform.close()
  rmSync(home, { recursive: true, force: true })
})

let stacks = 0
const idOf = (number: number): OperationId => number as OperationId
const [one, barrier, next] = [idOf(1), idOf(2), idOf(3)]
const holder = { host: 'here', pid: 1, started: '1', who: 'someone: up' }

/** A delete with a barrier behind it, and one that the barrier releases. */
const plan: readonly Operation[] = [
  operation(one, { barrier }),
  operation(barrier, { op: 'join', needs: 1, releases: [next] }),
  operation(next, { needs: 1 }),
]

function operation(id: OperationId, given: Partial<Operation>): Operation {
  const urn = `urn:pulumi:s::p::t:m:T::n${id}` as Operation['urn']
  const place = { id, needs: 0, releases: [] }
  const what = { op: 'delete', urn, type: 't:m:T', provider: '', effect: 'remove' } as const
  return { ...place, ...what, logical: true, ...given }
}

interface Opened {
  readonly stack: StackId
  readonly deployment: DeploymentId
  readonly told: string[]
  /** Hands the first operation to an executor as its n-th delivery. */
  readonly deliver: (deliveries: number) => Promise<void>
}

/** A deployment whose executors stumble over `faults` of the operations port. */
async function opened(faults: Partial<OperationsPort>, controlFails = false): Promise<Opened> {
  const stack = stackIdOf('poison', `s${(stacks += 1)}`)
  await platform.catalog.createStack(stack, 1 as EpochMs)
  const about = { command: 'destroy', message: '', holder, at: 1 as EpochMs } as const
  const { deployment } = await platform.catalog.start(stack, about)
  await platform.control.create(deployment, holder)
  const told: string[] = []
  const context = {
    deployment,
    plan: { find: async (id: OperationId) => plan.find(each => each.id === id) },
    sealing: {},
    stepOf: async ({ urn }: Operation) => ({ op: 'delete', urn, skipCall: true, effect: 'remove' }),
    emitter: {
      pre: () => undefined,
      ended: (_step: unknown, end: { verdict: string; error?: { message: string } }) =>
        void told.push(`${end.verdict}: ${end.error?.message ?? ''}`),
      diagnostic: () => undefined,
    },
    performing: {},
    told: new Set(),
    slots: createSlots(4),
    holdsLease: () => true,
    admit: async () => 'now',
    isAbandoned: () => false,
  } as unknown as ExecutionContext
  const control = controlFails
    ? { ...platform.control, read: () => Promise.reject(error('STORE_UNAVAILABLE', 'away')) }
    : platform.control
  const ports = { ...platform, operations: { ...platform.operations, ...faults }, control }
  const executor = createExecutor(ports, {
    executor: 'e' as ExecutorId,
    contextOf: async () => context,
  })
  const message = { deployment, operations: [one] }
  const deliver = (deliveries: number): Promise<void> =>
    executor.handle({ message, receipt: 'none', deliveries })
  return { stack, deployment, told, deliver }
}

const headOf = async ({ deployment }: Opened, id = one) =>
  (await platform.operations.heads(deployment, [id])).get(id)

const stumbling: Partial<OperationsPort> = {
  begin: () => Promise.reject(new TypeError('a stone')),
}

describe('work that no delivery can handle', () => {
  test('comes again four times', async () => {
    const deployment = await opened(stumbling)
    for (const count of [1, 2, 3, 4])
      await expect(deployment.deliver(count)).rejects.toThrow('a stone')
    expect(await headOf(deployment)).toBeUndefined()
  })

  test('ends at the fifth as failed with its cause, and its barrier opens', async () => {
    const deployment = await opened(stumbling)
    await deployment.deliver(5).catch(() => undefined)
    const ends = await platform.operations.ends(deployment.deployment, [one, barrier])
    expect(ends.get(one)?.head.end?.verdict).toBe('failed')
    expect(ends.get(one)?.outcome?.error?.message).toContain('a stone')
    expect(ends.get(barrier)?.head.end?.verdict).toBe('succeeded')
    expect(deployment.told[0]).toMatch(/^failed: no delivery .* a stone$/)
  })

  test('ends as interrupted where an attempt before may have called', async () => {
    const deployment = await opened(stumbling)
    const owner = 'o' as OwnerToken
    const claim = { owner, executor: 'x' as ExecutorId, attempt: 0, needs: 0 }
    await platform.operations.begin(deployment.deployment, one, claim)
    await platform.operations.lapse(deployment.deployment, one, owner, 1)
    await deployment.deliver(5).catch(() => undefined)
    expect((await headOf(deployment))?.end).toEqual({ verdict: 'interrupted', attempt: 1 })
  })

  test('keeps waiting when the store is at fault', async () => {
    const away = error('STORE_UNAVAILABLE', 'away')
    const deployment = await opened({ begin: () => Promise.reject(away) })
    await expect(deployment.deliver(5)).rejects.toBe(away)
    expect(await headOf(deployment)).toBeUndefined()
  })

  test('is given back when the control record cannot be read after the begin', async () => {
    const deployment = await opened({}, true)
    await expect(deployment.deliver(1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await headOf(deployment)).toMatchObject({ owner: '', attempt: 1, givenBack: 1 })
  })

  test('that five executors died of is interrupted by the sweep', async () => {
    const { deployment } = await opened({})
    const { operations, chains } = platform
    const only = plan.slice(0, 1)
    const isGone = (): boolean => true
    for (let attempt = 0; attempt < 5; attempt++) {
      const owner = `o${attempt}` as OwnerToken
      const claim = { owner, executor: 'x' as ExecutorId, attempt, needs: 0 }
      expect((await operations.begin(deployment, one, claim)).kind).toBe('begun')
      await sweep({ deployment, operations, chains, isGone }, only)
    }
    const head = (await operations.heads(deployment, [one])).get(one)
    expect(head?.end).toEqual({ verdict: 'interrupted', attempt: 5 })
  })
})

describe('redrive', () => {
  const ports = () => ({ ...portsOf(platform), isAlive: () => true })

  /** Delivers a message in vain until the queue gives it up. */
  async function givenUp({ deployment }: Opened): Promise<void> {
    const { chains } = platform
    await chains.send([{ deployment, operations: [one] }])
    for (let count = 0; count < 5; count++) {
      const [delivery] = await chains.receive(1, 5_000, { deployment })
      await chains.extend(delivery?.receipt ?? '', 0)
    }
    expect(await chains.receive(1, 0, { deployment })).toEqual([])
  }

  test('tries again what was given up and has not ended', async () => {
    const deployment = await opened({})
    expect(await redrive(ports(), deployment.stack)).toEqual({ kind: 'nothing' })
    await givenUp(deployment)
    expect(await redrive(ports(), deployment.stack)).toEqual({ kind: 'sent', operations: 1 })
    const about = { deployment: deployment.deployment }
    const [delivery] = await platform.chains.receive(1, 5_000, about)
    expect(delivery?.deliveries).toBe(1)
  })

  test('leaves what has ended', async () => {
    const deployment = await opened({})
    await givenUp(deployment)
    const end = { owner: '', attempt: 0, verdict: 'failed' } as const
    await platform.operations.select(deployment.deployment, one, end)
    expect(await redrive(ports(), deployment.stack)).toEqual({ kind: 'nothing' })
  })

  test('does nothing for a deployment that was stopped, died or is over', async () => {
    const deployment = await opened({})
    await givenUp(deployment)
    const dead = { ...ports(), isAlive: () => false }
    expect(await redrive(dead, deployment.stack)).toEqual({ kind: 'dead' })
    await platform.control.stop(deployment.deployment, 'graceful')
    expect(await redrive(ports(), deployment.stack)).toEqual({ kind: 'stopped' })
    const end = { at: 2 as EpochMs, result: 'failed', changes: {}, version: 0 } as const
    await platform.control.close(deployment.deployment)
    await platform.catalog.release(deployment.deployment, end)
    expect(await redrive(ports(), deployment.stack)).toEqual({ kind: 'none' })
  })
})
