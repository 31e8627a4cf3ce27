import { afterEach, expect, test } from 'vitest'
import { readStateAt, readDeploymentTimeline } from '../../shared/runtime/state/state-at-time.ts'
import {
  removeOldRecords,
  type RetentionDeps,
} from '../../shared/engine/deployment/retention/remove-old-records.ts'
import { sweepBlobs } from '../../shared/engine/deployment/retention/sweep-blobs.ts'
import {
  type DeploymentId,
  deploymentIdOf,
  type EpochMs,
  type ExecutorId,
  type OperationId,
} from '../../shared/records/ids.ts'
import type { LateOutcome } from '../../shared/records/late-outcome.ts'
import type { Urn } from '../../shared/names/urn.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { createCloud } from './cloud.ts'
import type { TestEngine } from './engine.ts'
import { firstProgram } from './resume.ts'
import { testHolder } from './executor-harness.ts'
import { createEngines, getTestStack, createThings } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const dayMs = 24 * 3_600_000
const policy = { recordsKeptMs: 30 * dayMs, versionsKept: 2 }
const farFuture = 4e12 as EpochMs
const removalOptions = { policy, deploymentsMax: 100, dryRun: false }

/** Returns the same ports with a clock that is ahead by this many days. */
function withLaterClock(platform: Platform, days: number): Platform {
  const now = (): EpochMs => (platform.clock.now() + days * dayMs) as EpochMs
  return { ...platform, clock: { ...platform.clock, now } }
}

function depsOf(platform: Platform, more: Partial<RetentionDeps> = {}): RetentionDeps {
  return { ...platform, isAlive: () => false, ...more }
}

/** Returns an engine whose stack has had three deployments: two updates and a destroy. */
async function runDeployments(): Promise<TestEngine> {
  const engine = await engines.open(createCloud())
  await engine.run(firstProgram)
  await engine.run(createThings({ a: { v: 2 } }))
  await engine.run(undefined, { command: 'destroy' })
  return engine
}

async function listDeploymentsWithRecords(platform: Platform): Promise<readonly DeploymentId[]> {
  return (await platform.retention.listDeployments()).map(({ deployment }) => deployment)
}

test('records are kept until they are old and no call of their deployment can take effect', async () => {
  const { platform } = await runDeployments()
  expect(
    (await removeOldRecords(depsOf(withLaterClock(platform, 29)), removalOptions)).deployments,
  ).toEqual([])
  const [living, unknown] = [{ isAlive: () => true }, { isAlive: () => undefined }]
  const noRetention = { ...removalOptions, policy: { ...policy, recordsKeptMs: 0 } }
  for (const liveness of [living, unknown])
    expect((await removeOldRecords(depsOf(platform, liveness), noRetention)).deployments).toEqual(
      [],
    )
  const dryRunResult = await removeOldRecords(depsOf(withLaterClock(platform, 31)), {
    ...removalOptions,
    dryRun: true,
  })
  expect(dryRunResult.deployments).toHaveLength(3)
  expect(await listDeploymentsWithRecords(platform)).toHaveLength(3)
  const bounded = await removeOldRecords(depsOf(withLaterClock(platform, 31)), {
    ...removalOptions,
    deploymentsMax: 1,
  })
  expect(bounded.deployments).toHaveLength(1)
  expect(await listDeploymentsWithRecords(platform)).toHaveLength(2)
  await removeOldRecords(depsOf(withLaterClock(platform, 31), unknown), removalOptions)
  expect(await listDeploymentsWithRecords(platform)).toEqual([])
})

test('records are kept while a retired executor lives, and are removed after it has left', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(firstProgram)
  const { platform } = engine
  const [deployment] = await listDeploymentsWithRecords(platform)
  if (deployment === undefined) throw new Error('no records')
  const executor = 'deposed' as ExecutorId
  await platform.leases.register(deployment, executor, testHolder)
  await platform.leases.retire(deployment, executor)
  const living = depsOf(withLaterClock(platform, 31), { isAlive: () => true })
  expect((await removeOldRecords(living, removalOptions)).deployments).toEqual([])
  await platform.leases.leave(deployment, executor)
  expect((await removeOldRecords(living, removalOptions)).deployments).toEqual([deployment])
})

test('after its records were removed, a stack keeps its state, history and retained versions', async () => {
  const engine = await runDeployments()
  const { platform } = engine
  const before = await getTestStack(platform)
  const removed = await removeOldRecords(depsOf(withLaterClock(platform, 31)), removalOptions)
  expect(removed.removedVersions).toEqual([{ stack: before.id, versions: [1] }])
  expect(await getTestStack(platform)).toEqual(before)
  const timeline = await readDeploymentTimeline(platform, before, 2)
  expect(timeline.moments).toBeUndefined()
  expect(timeline.record.result).toBe('succeeded')
  const recordsRemovedError = { code: 'RECORDS_REMOVED' }
  const atMoment = { kind: 'lamport', deployment: 2, lamport: 3 } as const
  await expect(readStateAt(platform, before, atMoment, farFuture)).rejects.toMatchObject(
    recordsRemovedError,
  )
  const during = { kind: 'time', timeMs: timeline.record.startedAt } as const
  await expect(readStateAt(platform, before, during, farFuture)).rejects.toMatchObject(
    recordsRemovedError,
  )
  const after = { kind: 'time', timeMs: platform.clock.now() } as const
  expect(await readStateAt(platform, before, after, farFuture)).toBeDefined()
  const nextRun = await engine.run(createThings({ b: { v: 1 } }))
  expect(nextRun.result.result).toBe('succeeded')
})

test('a removal that ends after any row is continued by the next removal', async () => {
  const { platform } = await runDeployments()
  const stack = await getTestStack(platform)
  let checkCount = 0
  for (let row = 0; row < 1_000; row += 1) {
    const [next] = await listDeploymentsWithRecords(platform)
    if (next === undefined) {
      expect(checkCount).toBe(2)
      return
    }
    await platform.retention.removeRecords(next, 1)
    // The checks at two rows are samples.
    if (row === 3 || row === 40) {
      const rest = await removeOldRecords(depsOf(withLaterClock(platform, 31)), {
        ...removalOptions,
        dryRun: true,
      })
      expect(rest.deployments).toContain(next)
      const point = { kind: 'lamport', deployment: 1, lamport: 1 } as const
      await expect(readStateAt(platform, stack, point, farFuture)).rejects.toMatchObject({
        code: 'RECORDS_REMOVED',
      })
      checkCount += 1
    }
  }
  throw new Error('the removal did not end')
})

/**
 * Opens an engine whose first deployment died in the create of `a`, which took place nevertheless.
 */
async function openWithLateCreate(): Promise<{ engine: TestEngine; item: LateOutcome }> {
  const program = createThings({ a: { v: 1 } })
  const whole = await (await engines.open(createCloud())).run(program)
  const engine = await engines.open(createCloud())
  const { platform } = engine
  const kill = { call: 'provider.create', effect: 1, when: 'before' } as const
  await expect(engine.run(program, { kill })).rejects.toThrow('killed')
  const testRun = await engine.run(createThings({ b: { v: 1 } }), { clearPendingCreates: true })
  const provider = testRun.state.resources?.find(({ id }) => id === 'b-1')?.['provider'] ?? null
  const { id: stack } = await getTestStack(platform)
  const deployment = deploymentIdOf(stack, 1)
  const ids = Array.from({ length: 9 }, (_, id) => id as OperationId)
  const heads = await platform.operations.getHeads(deployment, ids)
  const interruptedHead = [...heads].find(([, { end }]) => end?.verdict === 'interrupted')
  const createdState = whole.state.resources?.find(({ id }) => id === 'a-1')
  if (interruptedHead === undefined || createdState === undefined)
    throw new Error('no operation was interrupted')
  const lateState = { ...createdState, provider }
  const [operation, { attempt }] = interruptedHead
  const at = { startedAt: 1 as EpochMs, endedAt: 2 as EpochMs }
  const outcome = { operation, attempt, verdict: 'succeeded' as const, state: lateState, ...at }
  await platform.operations.putOutcome(deployment, outcome)
  expect(testRun.state.pending_operations).toBeUndefined()
  return {
    engine,
    item: { deployment, operation, attempt, urn: lateState.urn as Urn, state: lateState },
  }
}

test('the late outcome of a create is in the inbox before its records are removed', async () => {
  const { engine, item } = await openWithLateCreate()
  const { platform } = engine
  const { id } = await getTestStack(platform)
  expect(await platform.catalog.listLateOutcomes(id, 9)).toEqual([])
  await removeOldRecords(depsOf(withLaterClock(platform, 31)), {
    ...removalOptions,
    deploymentsMax: 1,
  })
  expect(await platform.catalog.listLateOutcomes(id, 9)).toEqual([item])
  expect(await listDeploymentsWithRecords(platform)).toEqual([deploymentIdOf(id, 2)])
})

test('an inbox item that a deployment has taken is not put into the inbox again', async () => {
  const { engine, item } = await openWithLateCreate()
  const { platform } = engine
  const { id } = await getTestStack(platform)
  await platform.catalog.putLateOutcome(id, item)
  await engine.run(createThings({ b: { v: 1 } }))
  await removeOldRecords(depsOf(withLaterClock(platform, 31)), removalOptions)
  expect(await platform.catalog.listLateOutcomes(id, 9)).toEqual([])
  expect(await listDeploymentsWithRecords(platform)).toEqual([])
})

test('unreferenced blobs are removed in two steps, a day apart, and referenced ones are kept', async () => {
  const { platform } = await runDeployments()
  const stack = await getTestStack(platform)
  const snapshotLength = (await platform.blobs.get(stack.snapshot as never)).length
  const sweep = (days: number) => sweepBlobs(withLaterClock(platform, days), { dryRun: false })
  expect(await sweep(0)).toMatchObject({ setAside: 0, removed: 0 })
  expect(await sweep(31)).toMatchObject({ setAside: 0, removed: 0 })
  await removeOldRecords(depsOf(withLaterClock(platform, 31)), removalOptions)
  const [firstSweep, secondSweep] = [await sweep(32), await sweep(32.5)]
  expect(firstSweep.setAside).toBeGreaterThan(0)
  expect(secondSweep).toMatchObject({ setAside: 0, removed: 0 })
  const dryRunResult = await sweepBlobs(withLaterClock(platform, 34), { dryRun: true })
  expect(await sweep(34)).toEqual(dryRunResult)
  expect(dryRunResult.removed).toBe(firstSweep.setAside)
  expect((await platform.blobs.get(stack.snapshot as never)).length).toBe(snapshotLength)
  for (const { snapshot } of await platform.catalog.listVersions(stack.id, 9))
    await platform.blobs.get(snapshot)
})

test('a blob that is referenced again while it is set aside is put back', async () => {
  const { platform } = await runDeployments()
  const stack = await getTestStack(platform)
  const bytes = Buffer.from('{"version":3,"deployment":null}')
  const hash = await platform.blobs.put(bytes)
  await sweepBlobs(withLaterClock(platform, 2), { dryRun: false })
  // A writer found the blob before the sweep, and references it only now.
  await platform.catalog.publish(stack.id, stack.version, hash)
  expect(Buffer.from(await platform.blobs.get(hash))).toEqual(bytes)
  expect(await sweepBlobs(withLaterClock(platform, 4), { dryRun: false })).toMatchObject({
    putBack: 1,
  })
  expect(Buffer.from(await platform.blobs.get(hash))).toEqual(bytes)
})
