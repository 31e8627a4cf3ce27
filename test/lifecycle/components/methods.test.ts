import { afterEach, describe, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import {
  registerComponent,
  createComponentScript,
  trimmedErrorsOf,
  registerSelf,
  resourceUrnOf,
} from '../components.ts'
import type { Monitor, Program } from '../engine.ts'
import { ProcessKilledError } from '../test-process.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const groupUrn = resourceUrnOf('g', 'comp:index:Group')
const callMethod = (monitor: Monitor, tok: string, self: object, more: object = {}) =>
  monitor.call({ tok, args: { __self__: self, ...more } })

/**
 * Opens an engine whose provider `comp` constructs components with two methods. `make` registers a
 * resource, and `count` only returns a value.
 */
async function openComponentEngine(cloud = createCloud()) {
  const calls: string[] = []
  const script = createComponentScript({
    construct: async (request, monitor) => ({ urn: await registerSelf(request, monitor) }),
    method: async ({ tok, args }, monitor) => {
      calls.push(tok)
      const name = String(args?.['name'])
      if (tok.endsWith('/count')) return { return: { count: calls.length } }
      const resource = await registerThing(monitor, name, { v: 1 }, { parent: groupUrn })
      return {
        return: { id: resource.id, count: calls.length },
        returnDependencies: new Map([['id', { urns: [resource.urn] }]]),
      }
    },
  })
  return { engine: await engines.open(cloud, { comp: script }), cloud, calls }
}

const callMake = (monitor: Monitor, name: string) =>
  callMethod(monitor, 'comp:index:Group/make', { urn: groupUrn }, { name })

test('TestSingleComponentMethodResourceDefaultProviderLifecycle: a method registers resources', async () => {
  const { engine, cloud } = await openComponentEngine()
  const answers: unknown[] = []
  const program: Program = async monitor => {
    await registerComponent(monitor, 'g')
    const reply = await callMake(monitor, 'x')
    answers.push(reply.return?.['id'], reply.returnDependencies.get('id'))
  }
  const { result, state } = await engine.run(program)
  expect(result.result).toBe('succeeded')
  const urn = 'urn:pulumi:dev::life::comp:index:Group$test:index:Thing::x'
  expect(answers).toEqual(['x-1', { urns: [urn] }])
  expect(state.resources?.map(resource => resource.urn)).toContain(urn)
  await engine.run(program)
  expect(cloud.mutatingCalls).toEqual(['create x'])
  await engine.run(monitor => registerComponent(monitor, 'g').then(() => undefined))
  expect(cloud.mutatingCalls).toEqual(['create x', 'delete x-1'])
})

test('TestSingleComponentMethodDefaultProviderLifecycle: the program reads the result of a method', async () => {
  const { engine } = await openComponentEngine()
  let answer: unknown
  await engine.run(async monitor => {
    await registerComponent(monitor, 'g')
    answer = (await callMethod(monitor, 'comp:index:Group/count', { urn: groupUrn })).return
  })
  expect(answer).toEqual({ count: 1 })
})

test('TestCallSelfProvider: a method is called on the provider of its resource', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud, {
    comp: createComponentScript(
      { method: async () => ({ return: { from: 'comp' } }) },
      cloud.script,
    ),
  })
  let answer: unknown
  const { state } = await engine.run(async monitor => {
    const type = 'pulumi:providers:comp'
    const prov = await monitor.register({ type, name: 'p', custom: true, object: { state: 'foo' } })
    const provider = `${prov.urn}::${prov.id}`
    const resource = await monitor.register({
      type: 'comp:index:Thing',
      name: 'a',
      custom: true,
      object: {},
      provider,
    })
    answer = (await callMethod(monitor, 'comp:index:Thing/say', resource)).return
  })
  expect(answer).toEqual({ from: 'comp' })
  const providers = state.resources?.filter(({ type }) => type === 'pulumi:providers:comp')
  expect(providers?.map(({ urn }) => urn.split('::').at(-1))).toEqual(['p'])
})

describe('methods in a resumed deployment', () => {
  const killBeforeBegin = (effect: number) =>
    ({ kill: { effect, call: 'operations.begin', when: 'before' } }) as const
  const program: Program = async monitor => {
    await registerComponent(monitor, 'g')
    const first = await callMake(monitor, 'x')
    await registerThing(monitor, 'b', { of: first.return?.['count'] })
    const second = await callMake(monitor, 'y')
    await registerThing(monitor, 'c', { of: second.return?.['count'] })
  }

  test('a method that registers resources is called again, and its recorded result is returned', async () => {
    const { engine, cloud, calls } = await openComponentEngine()
    const thrown = await engine.run(program, killBeforeBegin(2)).catch((reason: unknown) => reason)
    expect(thrown).toBeInstanceOf(ProcessKilledError)
    expect(calls).toHaveLength(1)
    const { result, state } = await engine.run(program, { resume: true })
    expect(result.result).toBe('succeeded')
    expect(calls).toHaveLength(3)
    expect(cloud.mutatingCalls.toSorted()).toEqual(['create b', 'create c', 'create x', 'create y'])
    // The input `of` has the result of the first call, not that of the repetition.
    expect(cloud.objects.get('b-1')).toEqual({ of: 1 })
    const names = state.resources?.map(({ urn }) => urn.split('::').at(-1))
    expect(names).toEqual(expect.arrayContaining(['x', 'y', 'b', 'c']))
  })

  test('a method creates its resource once although the process was killed during the call', async () => {
    const { engine, cloud } = await openComponentEngine()
    await engine.run(program, killBeforeBegin(1)).catch(() => undefined)
    const { result } = await engine.run(program, { resume: true })
    expect(result.result).toBe('succeeded')
    expect(cloud.mutatingCalls.toSorted()).toEqual(['create b', 'create c', 'create x', 'create y'])
  })

  test('a method that only returns a value is not called again', async () => {
    const { engine, calls } = await openComponentEngine()
    const countProgram: Program = async monitor => {
      await registerComponent(monitor, 'g')
      await callMethod(monitor, 'comp:index:Group/count', { urn: groupUrn })
      await registerThing(monitor, 'b', {})
    }
    await engine.run(countProgram, killBeforeBegin(1)).catch(() => undefined)
    await engine.run(countProgram, { resume: true })
    // The result is recorded with the next decision.
    expect(calls).toHaveLength(1)
  })
})

test('a method whose resource fails ends the deployment with that error only', async () => {
  const cloud = createCloud()
  cloud.faults.add('create x')
  const { engine } = await openComponentEngine(cloud)
  const { result, events } = await engine.run(async monitor => {
    await registerComponent(monitor, 'g')
    await callMake(monitor, 'x')
  })
  expect(result.result).toBe('failed')
  expect(
    trimmedErrorsOf(events).filter(text => text.includes('create x was refused')),
  ).toHaveLength(1)
  expect(trimmedErrorsOf(events).join()).not.toContain('call to function')
})
