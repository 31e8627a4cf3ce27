import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program, Ran } from '../engine.ts'
import { ProgramFailed } from '../hosts.ts'
import { statesOf, stepsOf } from '../told.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const outputsOf = (ran: Ran): unknown => statesOf(ran, 'life-dev')[0]?.['outputs'] ?? {}

const both = (value: string) => ({ first: value, second: value })

test('TestStackOutputsProgramError: after an error old outputs stay below the new ones', async () => {
  const engine = await engines.of(createCloud())
  const program =
    (outputs: Record<string, unknown>, failure?: string): Program =>
    async monitor => {
      await monitor.outputs(monitor.stack, outputs)
      if (failure !== undefined) throw new ProgramFailed(failure)
    }
  const turns: readonly (readonly [Program, object, string])[] = [
    [program(both('0')), both('0'), 'succeeded'],
    [program({ first: '1' }, 'broken'), { first: '1', second: '0' }, 'failed'],
    [program({}, 'broken'), { first: '1', second: '0' }, 'failed'],
    [program(both('3')), both('3'), 'succeeded'],
    [program({ second: '4' }), { second: '4' }, 'succeeded'],
  ]
  for (const [next, outputs, result] of turns) {
    const ran = await engine.run(next)
    expect([ran.result.result, outputsOf(ran)]).toEqual([result, outputs])
  }
})

test('TestStackOutputsResourceError: the same when a resource fails', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  cloud.faults.add('create a')
  const program =
    (outputs: Record<string, unknown> | undefined, isBroken: boolean): Program =>
    async monitor => {
      if (outputs !== undefined) await monitor.outputs(monitor.stack, outputs)
      if (isBroken) await thing(monitor, 'a', {})
    }
  const turns: readonly (readonly [Program, object, string])[] = [
    [program(both('0'), false), both('0'), 'succeeded'],
    [program(undefined, true), both('0'), 'failed'],
    [program(both('2'), true), both('2'), 'failed'],
    [program(both('3'), false), both('3'), 'succeeded'],
  ]
  for (const [next, outputs, result] of turns) {
    const ran = await engine.run(next)
    expect([ran.result.result, outputsOf(ran)]).toEqual([result, outputs])
  }
})

test('TestComponentOutputs: the answer to a registration has no outputs of a component', async () => {
  const engine = await engines.of(createCloud())
  const heard: unknown[] = []
  const program: Program = async monitor => {
    const { urn, object } = await monitor.register({
      type: 'component',
      name: 'a',
      object: { v: 1 },
    })
    heard.push(object)
    await monitor.outputs(urn, { foo: 'bar' })
  }
  for (const _time of [1, 2]) {
    const ran = await engine.run(program)
    expect(statesOf(ran, 'a')).toMatchObject([{ outputs: { foo: 'bar' } }])
  }
  expect(heard).toEqual([{}, {}])
})

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

test('TestTimestampTracking: a state is created once and modified with each change', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (v: number): Program =>
    async monitor =>
      void (await thing(monitor, 'a', { v }))
  const timesOf = (ran: Ran) =>
    (ran.state.resources ?? []).map(({ urn, created, modified }) => ({ urn, created, modified }))
  const made = timesOf(await engine.run(program(1)))
  expect(made).toHaveLength(3)
  for (const { created, modified } of made) {
    expect(created).toMatch(isTime)
    expect(modified).toBe(created)
  }
  const refreshed = await engine.run(undefined, { command: 'refresh' })
  expect(new Set(timesOf(refreshed))).toEqual(new Set(made))
  const ran = await engine.run(program(2))
  expect(stepsOf(ran)).toEqual(['update a'])
  for (const { urn, created, modified } of timesOf(ran)) {
    expect(created).toBe(made.find(one => one.urn === urn)?.created)
    expect(modified).toMatch(isTime)
    const times = [created, modified].map(time => (typeof time === 'string' ? time : ''))
    expect(times.toSorted()).toEqual(times)
    expect(urn.endsWith('::a')).toBe(modified !== created)
  }
})
