import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program, TestRun } from '../engine.ts'
import { ProgramFailed } from '../scripted-hosts.ts'
import { statesOf, stepsOf } from '../run-events.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const outputsOf = (testRun: TestRun): unknown => statesOf(testRun, 'life-dev')[0]?.['outputs'] ?? {}

const createBothOutputs = (value: string) => ({ first: value, second: value })

test('TestStackOutputsProgramError: after a program error the old outputs stay, overridden by the new ones', async () => {
  const engine = await engines.open(createCloud())
  const program =
    (outputs: Record<string, unknown>, failure?: string): Program =>
    async monitor => {
      await monitor.registerOutputs(monitor.stack, outputs)
      if (failure !== undefined) throw new ProgramFailed(failure)
    }
  const turns: readonly (readonly [Program, object, string])[] = [
    [program(createBothOutputs('0')), createBothOutputs('0'), 'succeeded'],
    [program({ first: '1' }, 'broken'), { first: '1', second: '0' }, 'failed'],
    [program({}, 'broken'), { first: '1', second: '0' }, 'failed'],
    [program(createBothOutputs('3')), createBothOutputs('3'), 'succeeded'],
    [program({ second: '4' }), { second: '4' }, 'succeeded'],
  ]
  for (const [next, outputs, result] of turns) {
    const testRun = await engine.run(next)
    expect([testRun.result.result, outputsOf(testRun)]).toEqual([result, outputs])
  }
})

test('TestStackOutputsResourceError: after a failed resource the old outputs stay, overridden by the new ones', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  cloud.faults.add('create a')
  const program =
    (outputs: Record<string, unknown> | undefined, isBroken: boolean): Program =>
    async monitor => {
      if (outputs !== undefined) await monitor.registerOutputs(monitor.stack, outputs)
      if (isBroken) await registerThing(monitor, 'a', {})
    }
  const turns: readonly (readonly [Program, object, string])[] = [
    [program(createBothOutputs('0'), false), createBothOutputs('0'), 'succeeded'],
    [program(undefined, true), createBothOutputs('0'), 'failed'],
    [program(createBothOutputs('2'), true), createBothOutputs('2'), 'failed'],
    [program(createBothOutputs('3'), false), createBothOutputs('3'), 'succeeded'],
  ]
  for (const [next, outputs, result] of turns) {
    const testRun = await engine.run(next)
    expect([testRun.result.result, outputsOf(testRun)]).toEqual([result, outputs])
  }
})

test('TestComponentOutputs: the response to a registration contains no component outputs', async () => {
  const engine = await engines.open(createCloud())
  const received: unknown[] = []
  const program: Program = async monitor => {
    const { urn, object } = await monitor.register({
      type: 'component',
      name: 'a',
      object: { v: 1 },
    })
    received.push(object)
    await monitor.registerOutputs(urn, { foo: 'bar' })
  }
  for (const _time of [1, 2]) {
    const testRun = await engine.run(program)
    expect(statesOf(testRun, 'a')).toMatchObject([{ outputs: { foo: 'bar' } }])
  }
  expect(received).toEqual([{}, {}])
})

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

test('TestTimestampTracking: created is set once, and modified at each change', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (v: number): Program =>
    async monitor =>
      void (await registerThing(monitor, 'a', { v }))
  const timesOf = (testRun: TestRun) =>
    (testRun.state.resources ?? []).map(({ urn, created, modified }) => ({
      urn,
      created,
      modified,
    }))
  const firstTimes = timesOf(await engine.run(program(1)))
  expect(firstTimes).toHaveLength(3)
  for (const { created, modified } of firstTimes) {
    expect(created).toMatch(timestampPattern)
    expect(modified).toBe(created)
  }
  const refreshed = await engine.run(undefined, { command: 'refresh' })
  expect(new Set(timesOf(refreshed))).toEqual(new Set(firstTimes))
  const testRun = await engine.run(program(2))
  expect(stepsOf(testRun)).toEqual(['update a'])
  for (const { urn, created, modified } of timesOf(testRun)) {
    expect(created).toBe(firstTimes.find(firstTime => firstTime.urn === urn)?.created)
    expect(modified).toMatch(timestampPattern)
    const times = [created, modified].map(time => (typeof time === 'string' ? time : ''))
    expect(times.toSorted()).toEqual(times)
    expect(urn.endsWith('::a')).toBe(modified !== created)
  }
})
