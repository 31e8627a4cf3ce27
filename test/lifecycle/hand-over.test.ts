import { afterEach, describe, expect, test } from 'vitest'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { RunningDeployment } from '../../shared/engine/request.ts'
import type { DeploymentId, LogNumber } from '../../shared/records/ids.ts'
import { createCloud } from './cloud.ts'
import type { Program, TestRun, TestEngine } from './engine.ts'
import { createEngines, getTestStack, registerThing, createThings } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Returns a program with independent things, and a thing `last` that depends on all of them. */
const createMany =
  (count: number, value = 1): Program =>
  async monitor => {
    const resources = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        registerThing(monitor, `n${index}`, { v: value }),
      ),
    )
    await registerThing(
      monitor,
      'last',
      { v: value },
      { dependencies: resources.map(({ urn }) => urn) },
    )
  }

/** Returns the messages of generators that handed over. */
function readHandOvers({ events }: Pick<TestRun, 'events'>): readonly string[] {
  return events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.message.startsWith('Generator ')
      ? [event.diagnosticEvent.message]
      : [],
  )
}

/** Returns the number of decisions of each generator run, without takeovers. */
async function countDecisions(
  engine: TestEngine,
  deploymentNumber: number,
): Promise<readonly number[]> {
  const { id } = await getTestStack(engine.platform)
  const records = await engine.platform.decisionLog.read(
    `${id}/${deploymentNumber}` as DeploymentId,
    0 as LogNumber,
    999,
  )
  const countsByWriter = new Map<string, number>()
  for (const { writer, decisions } of records)
    countsByWriter.set(
      writer,
      (countsByWriter.get(writer) ?? 0) +
        decisions.filter(({ kind }) => kind !== 'takeover').length,
    )
  return [...countsByWriter.values()]
}

const listUrnsByOp = (events: readonly EngineEventPayload[], op: string): readonly string[] =>
  events.flatMap(event =>
    'resOutputsEvent' in event && event.resOutputsEvent.metadata.op === op
      ? [event.resOutputsEvent.metadata.urn]
      : [],
  )

describe('with a time limit for functions', () => {
  test('a deployment continues from generator to generator and repeats nothing', async () => {
    const cloud = createCloud(250)
    const engine = await engines.open(cloud)
    const testRun = await engine.run(createMany(24), { functionLimitMs: 1_200, parallel: 2 })
    expect(testRun.result.result).toBe('succeeded')
    expect(testRun.result.changes).toMatchObject({ create: 26 })
    expect(new Set(cloud.mutatingCalls).size).toBe(25)
    expect(cloud.mutatingCalls).toHaveLength(25)
    expect(cloud.readPeakConcurrency()).toBeLessThanOrEqual(2)
    expect(readHandOvers(testRun).length).toBeGreaterThan(1)
    expect((await countDecisions(engine, 1)).length).toBeGreaterThan(2)
    // Every step is reported once, whichever executor ran it and whichever generator decided it.
    const createdUrns = listUrnsByOp(testRun.events, 'create').filter(
      urn => !urn.includes('pulumi:pulumi:Stack'),
    )
    expect(createdUrns).toHaveLength(25)
    expect(new Set(createdUrns).size).toBe(25)
  }, 240_000)

  test('a program that is edited during its deployment does not run again, and the user gets an error', async () => {
    const cloud = createCloud(250)
    const engine = await engines.open(cloud)
    let digest = 'the same'
    const program: Program = async monitor => {
      await createMany(24)(monitor)
      digest = 'never reached'
    }
    const editTimer = setTimeout(() => (digest = 'another'), 600)
    const options = { functionLimitMs: 1_200, parallel: 2, readDigest: () => digest }
    await expect(engine.run(program, options)).rejects.toMatchObject({
      code: 'RESUME_DIFFERS',
      message: expect.stringContaining('the program changed while its deployment was running'),
    })
    clearTimeout(editTimer)
    expect(cloud.mutatingCalls.length).toBeLessThan(25)
    const after = await engine.run(createMany(24))
    expect(after.result).toMatchObject({ result: 'succeeded', pending: [] })
    expect(new Set(cloud.mutatingCalls).size).toBe(25)
    expect(cloud.mutatingCalls).toHaveLength(25)
  }, 240_000)

  test('deletes and refreshes continue from generator to generator', async () => {
    const cloud = createCloud(250)
    const engine = await engines.open(cloud)
    await engine.run(createMany(12))
    const updateRun = await engine.run(createMany(12, 2), {
      functionLimitMs: 1_200,
      parallel: 2,
      refresh: true,
    })
    expect(updateRun.result.changes).toMatchObject({ update: 13 })
    const destroyRun = await engine.run(undefined, {
      command: 'destroy',
      functionLimitMs: 1_200,
      parallel: 2,
    })
    expect(destroyRun.result.changes).toMatchObject({ delete: 14 })
    expect([...cloud.objects.keys()]).toEqual([])
    expect(cloud.mutatingCalls.filter(line => line.startsWith('delete '))).toHaveLength(13)
  }, 240_000)

  test('the summary counts the steps of earlier generators when a later one only waits for deletes', async () => {
    const cloud = createCloud(300)
    const engine = await engines.open(cloud)
    await engine.run(createMany(10))
    const testRun = await engine.run(createThings({ n0: { v: 2 }, other: { v: 1 } }), {
      functionLimitMs: 1_200,
      parallel: 2,
    })
    expect(testRun.result.changes).toMatchObject({ update: 1, create: 1, delete: 10 })
    expect(readHandOvers(testRun).length).toBeGreaterThan(0)
  }, 240_000)

  test('a generator that only waits parks, and the end of a long call wakes the next one', async () => {
    const cloud = createCloud(3_000)
    const engine = await engines.open(cloud)
    const testRun = await engine.run(createMany(1), { functionLimitMs: 1_500 })
    expect(testRun.result.changes).toMatchObject({ create: 3 })
    expect(cloud.mutatingCalls).toHaveLength(2)
    expect(readHandOvers(testRun).filter(line => line.includes('parks'))).toHaveLength(2)
  }, 240_000)

  test('a parked deployment is cancelled like any other', async () => {
    const cloud = createCloud(3_000)
    const engine = await engines.open(cloud)
    let running: RunningDeployment | undefined
    const testRun = engine.run(createMany(1), {
      functionLimitMs: 1_500,
      onStart: begun => {
        running = begun
      },
    })
    await new Promise(done => setTimeout(done, 1_500))
    running?.cancel()
    expect((await testRun).result.result).toBe('cancelled')
    expect((await testRun).events.filter(event => 'summaryEvent' in event)).toHaveLength(1)
    // The running operation was awaited and recorded.
    expect((await testRun).state.resources?.map(({ id }) => id)).toContain('n0-1')
    expect(cloud.mutatingCalls).toEqual(['create n0'])
  }, 240_000)

  test('a program that needs longer than the time limit is completed by a generator without a limit', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const slowProgram: Program = async monitor => {
      await registerThing(monitor, 'early', { v: 1 })
      await new Promise(done => setTimeout(done, 2_500))
      await registerThing(monitor, 'late', { v: 1 })
    }
    const testRun = await engine.run(slowProgram, { functionLimitMs: 1_500 })
    expect(testRun.result.changes).toMatchObject({ create: 3 })
    expect(cloud.mutatingCalls).toEqual(['create early', 'create late'])
    expect(readHandOvers(testRun).at(-1)).toContain('the next generator has no time limit')
  }, 240_000)

  test('a deployment that a failure stopped is completed by later generators, with the result failed', async () => {
    const cloud = createCloud()
    const slowCloud = createCloud(4_000)
    const [remove, removeSlowly] = [cloud, slowCloud].map(({ script }) => script.delete)
    const engine = await engines.open({
      ...cloud,
      script: {
        ...cloud.script,
        delete: (providerRequest: never) =>
          (providerRequest['id'] === 'b-1' ? removeSlowly : remove)?.(providerRequest),
      },
    })
    const bothProgram: Program = async monitor => {
      await Promise.all(['a', 'b'].map(name => registerThing(monitor, name, { v: 1 })))
    }
    await engine.run(bothProgram)
    cloud.faults.add('delete a-1')
    const testRun = await engine.run(undefined, { command: 'destroy', functionLimitMs: 1_500 })
    expect(testRun.result.result).toBe('failed')
    expect(slowCloud.mutatingCalls).toEqual(['delete b-1'])
    expect(testRun.state.resources?.map(({ id }) => id)).not.toContain('b-1')
    expect(testRun.events.some(event => 'summaryEvent' in event)).toBe(true)
  }, 240_000)

  test('an operation that needs the whole time of an executor is not passed on forever', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const longProgram: Program = async monitor => {
      const customTimeouts = { create: '2s', update: '', delete: '' }
      await registerThing(monitor, 'a', { v: 1 }, { customTimeouts })
    }
    const testRun = await engine.run(longProgram, { functionLimitMs: 2_500 })
    expect(testRun.result.changes).toMatchObject({ create: 2 })
    expect(readHandOvers(testRun)).toEqual([])
  }, 240_000)
})
