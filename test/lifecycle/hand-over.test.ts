import { afterEach, describe, expect, test } from 'vitest'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { RunningDeployment } from '../../shared/engine/request.ts'
import type { DeploymentId, LogNumber } from '../../shared/records/ids.ts'
import { createCloud } from './cloud.ts'
import type { Program, Ran, TestEngine } from './engine.ts'
import { createEngines, stackOf, thing, things } from './things.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Things side by side, and one after them that depends on all. */
const many =
  (count: number, value = 1): Program =>
  async monitor => {
    const made = await Promise.all(
      Array.from({ length: count }, (_, at) => thing(monitor, `n${at}`, { v: value })),
    )
    await thing(monitor, 'last', { v: value }, { dependencies: made.map(({ urn }) => urn) })
  }

/** What was said of generators that left. */
function left({ events }: Pick<Ran, 'events'>): readonly string[] {
  return events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.message.startsWith('Generator ')
      ? [event.diagnosticEvent.message]
      : [],
  )
}

/** Decisions of each life of a deployment, without its take-over. */
async function decisionsOf(engine: TestEngine, number: number): Promise<readonly number[]> {
  const { id } = await stackOf(engine.platform)
  const records = await engine.platform.decisionLog.read(
    `${id}/${number}` as DeploymentId,
    0 as LogNumber,
    999,
  )
  const lives = new Map<string, number>()
  for (const { writer, decisions } of records)
    lives.set(
      writer,
      (lives.get(writer) ?? 0) + decisions.filter(({ kind }) => kind !== 'takeover').length,
    )
  return [...lives.values()]
}

const stepsOf = (events: readonly EngineEventPayload[], op: string): readonly string[] =>
  events.flatMap(event =>
    'resOutputsEvent' in event && event.resOutputsEvent.metadata.op === op
      ? [event.resOutputsEvent.metadata.urn]
      : [],
  )

describe('under a time limit of its functions', () => {
  test('a deployment goes on from generator to generator and repeats nothing', async () => {
    const cloud = createCloud(250)
    const engine = await engines.of(cloud)
    const ran = await engine.run(many(24), { functionLimitMs: 1_200, parallel: 2 })
    expect(ran.result.result).toBe('succeeded')
    expect(ran.result.changes).toMatchObject({ create: 26 })
    expect(new Set(cloud.log).size).toBe(25)
    expect(cloud.log).toHaveLength(25)
    expect(cloud.peak()).toBeLessThanOrEqual(2)
    expect(left(ran).length).toBeGreaterThan(1)
    expect((await decisionsOf(engine, 1)).length).toBeGreaterThan(2)
    // Every step is told once, whoever ran it and whoever decided it.
    const told = stepsOf(ran.events, 'create').filter(urn => !urn.includes('pulumi:pulumi:Stack'))
    expect(told).toHaveLength(25)
    expect(new Set(told).size).toBe(25)
  }, 240_000)

  test('a program that is edited meanwhile does not run again, and the person is told so', async () => {
    const cloud = createCloud(250)
    const engine = await engines.of(cloud)
    let digest = 'the same'
    const program: Program = async monitor => {
      await many(24)(monitor)
      digest = 'never reached'
    }
    const edited = setTimeout(() => (digest = 'another'), 600)
    const asked = { functionLimitMs: 1_200, parallel: 2, digestNow: () => digest }
    await expect(engine.run(program, asked)).rejects.toMatchObject({
      code: 'RESUME_DIFFERS',
      message: expect.stringContaining('the program was changed while its deployment ran'),
    })
    clearTimeout(edited)
    expect(cloud.log.length).toBeLessThan(25)
    const after = await engine.run(many(24))
    expect(after.result).toMatchObject({ result: 'succeeded', pending: [] })
    expect(new Set(cloud.log).size).toBe(25)
    expect(cloud.log).toHaveLength(25)
  }, 240_000)

  test('deletes and refreshes are followed from generator to generator', async () => {
    const cloud = createCloud(250)
    const engine = await engines.of(cloud)
    await engine.run(many(12))
    const again = await engine.run(many(12, 2), {
      functionLimitMs: 1_200,
      parallel: 2,
      refresh: true,
    })
    expect(again.result.changes).toMatchObject({ update: 13 })
    const gone = await engine.run(undefined, {
      command: 'destroy',
      functionLimitMs: 1_200,
      parallel: 2,
    })
    expect(gone.result.changes).toMatchObject({ delete: 14 })
    expect([...cloud.objects.keys()]).toEqual([])
    expect(cloud.log.filter(line => line.startsWith('delete '))).toHaveLength(13)
  }, 240_000)

  test('what earlier generators did is counted when a later one only follows deletes', async () => {
    const cloud = createCloud(300)
    const engine = await engines.of(cloud)
    await engine.run(many(10))
    const ran = await engine.run(things({ n0: { v: 2 }, other: { v: 1 } }), {
      functionLimitMs: 1_200,
      parallel: 2,
    })
    expect(ran.result.changes).toMatchObject({ update: 1, create: 1, delete: 10 })
    expect(left(ran).length).toBeGreaterThan(0)
  }, 240_000)

  test('a generator that only waits parks, and the end of a long call wakes the next', async () => {
    const cloud = createCloud(3_000)
    const engine = await engines.of(cloud)
    const ran = await engine.run(many(1), { functionLimitMs: 1_500 })
    expect(ran.result.changes).toMatchObject({ create: 3 })
    expect(cloud.log).toHaveLength(2)
    expect(left(ran).filter(line => line.includes('parks'))).toHaveLength(2)
  }, 240_000)

  test('who parks is cancelled like any other', async () => {
    const cloud = createCloud(3_000)
    const engine = await engines.of(cloud)
    let running: RunningDeployment | undefined
    const ran = engine.run(many(1), {
      functionLimitMs: 1_500,
      began: begun => {
        running = begun
      },
    })
    await new Promise(done => setTimeout(done, 1_500))
    running?.cancel()
    expect((await ran).result.result).toBe('cancelled')
    expect((await ran).events.filter(event => 'summaryEvent' in event)).toHaveLength(1)
    // What ran was awaited and recorded.
    expect((await ran).state.resources?.map(({ id }) => id)).toContain('n0-1')
    expect(cloud.log).toEqual(['create n0'])
  }, 240_000)

  test('a program that needs longer than a generator may last comes to its end without a limit', async () => {
    const cloud = createCloud()
    const engine = await engines.of(cloud)
    const slow: Program = async monitor => {
      await thing(monitor, 'early', { v: 1 })
      await new Promise(done => setTimeout(done, 2_500))
      await thing(monitor, 'late', { v: 1 })
    }
    const ran = await engine.run(slow, { functionLimitMs: 1_500 })
    expect(ran.result.changes).toMatchObject({ create: 3 })
    expect(cloud.log).toEqual(['create early', 'create late'])
    expect(left(ran).at(-1)).toContain('the next one has no limit')
  }, 240_000)

  test('what a failure stopped is seen to its end, and is a failure', async () => {
    const cloud = createCloud()
    const slow = createCloud(4_000)
    const [remove, removeSlowly] = [cloud, slow].map(({ script }) => script.delete)
    const engine = await engines.of({
      ...cloud,
      script: {
        ...cloud.script,
        delete: (ask: never) => (ask['id'] === 'b-1' ? removeSlowly : remove)?.(ask),
      },
    })
    const both: Program = async monitor => {
      await Promise.all(['a', 'b'].map(name => thing(monitor, name, { v: 1 })))
    }
    await engine.run(both)
    cloud.faults.add('delete a-1')
    const ran = await engine.run(undefined, { command: 'destroy', functionLimitMs: 1_500 })
    expect(ran.result.result).toBe('failed')
    expect(slow.log).toEqual(['delete b-1'])
    expect(ran.state.resources?.map(({ id }) => id)).not.toContain('b-1')
    expect(ran.events.some(event => 'summaryEvent' in event)).toBe(true)
  }, 240_000)

  test('an operation that needs all the time of an executor is not handed on for ever', async () => {
    const cloud = createCloud()
    const engine = await engines.of(cloud)
    const long: Program = async monitor => {
      const customTimeouts = { create: '2s', update: '', delete: '' }
      await thing(monitor, 'a', { v: 1 }, { customTimeouts })
    }
    const ran = await engine.run(long, { functionLimitMs: 2_500 })
    expect(ran.result.changes).toMatchObject({ create: 2 })
    expect(left(ran)).toEqual([])
  }, 240_000)
})
