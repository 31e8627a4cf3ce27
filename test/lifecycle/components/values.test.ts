import { afterEach, describe, expect, test } from 'vitest'
import type { CallRequest, ConstructRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import {
  component,
  componentScript,
  itself,
  type MakeComponent,
  urnOf,
  wire,
} from '../components.ts'
import type { Monitor, Program } from '../engine.ts'
import { createEngines, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const child = urnOf('r-child', 'comp:index:Group$test:index:Thing')
const output = (value: unknown, dependencies: readonly string[]): object =>
  wire.output({ value, dependencies: [...dependencies] })

/** An engine whose package `comp` makes a component with a child, and answers methods. */
async function answering(about: {
  readonly state?: object
  readonly stateDependencies?: Map<string, { urns: string[] }>
}) {
  const made: ConstructRequest[] = []
  const called: CallRequest[] = []
  const { state, stateDependencies = new Map() } = about
  const make: MakeComponent = async (request, monitor) => {
    made.push(request)
    const urn = await itself(request, monitor)
    await thing(monitor, `${request.name}-child`, {}, { parent: urn })
    return { urn, state: { ...state }, stateDependencies }
  }
  const script = componentScript({
    make,
    method: async request => {
      called.push(request)
      return { return: { ...state }, returnDependencies: stateDependencies }
    },
  })
  return { engine: await engines.of(createCloud(), { comp: script }), made, called }
}

const method = (monitor: Monitor, args: Record<string, unknown>, more: object = {}) =>
  monitor.call({ tok: 'comp:index:Group/say', args, ...more })

/** What the program is answered by a component and by a method. */
async function answersOf(
  { engine }: Awaited<ReturnType<typeof answering>>,
  args: Record<string, unknown> = {},
) {
  const answers: unknown[] = []
  const { result } = await engine.run(
    async monitor => {
      const group = await component(monitor, 'r', { acceptSecrets: true, object: args })
      const said = await method(monitor, args)
      answers.push([group.object, group.propertyDependencies])
      answers.push([said.return, said.returnDependencies])
    },
    { dryRun: true },
  )
  expect(result.result).toBe('succeeded')
  return answers
}

test('TestConstructCallSecretsUnknowns: secrets and unknowns reach components and methods as output values', async () => {
  const all = await answering({})
  const args = { foo: wire.secret('foo'), bar: wire.unknown }
  await answersOf(all, args)
  const sent = { foo: wire.output({ value: 'foo', secret: true }), bar: wire.output({}) }
  expect(all.made[0]?.inputs).toEqual(sent)
  expect(all.called[0]?.args).toEqual(sent)
})

test('TestConstructCallReturnDependencies: what answers depend on reaches the program', async () => {
  const dependencies = new Map([
    ['foo', { urns: [child] }],
    ['bar', { urns: [child] }],
  ])
  const state = { foo: wire.secret('foo'), bar: wire.unknown }
  const answers = await answersOf(await answering({ state, stateDependencies: dependencies }))
  expect(answers).toEqual([
    [state, dependencies],
    [state, dependencies],
  ])
})

test('TestConstructCallReturnOutputs: output values in answers become plain ones, and what they depend on stays', async () => {
  const state = {
    foo: wire.output({ value: 'foo', secret: true, dependencies: [child] }),
    bar: wire.output({ dependencies: [child] }),
    deep: [{ plain: output(1, [child]) }],
  }
  const plain = { foo: wire.secret('foo'), bar: wire.unknown, deep: [{ plain: 1 }] }
  const dependencies = new Map(['bar', 'deep', 'foo'].map(key => [key, { urns: [child] }]))
  const answers = await answersOf(await answering({ state }))
  expect(answers).toEqual([
    [plain, dependencies],
    [plain, dependencies],
  ])
})

describe('dependencies of arguments', () => {
  const [a, b] = [urnOf('a'), urnOf('b')]
  const sentWith = async (more: {
    object: Record<string, unknown>
    asked: Map<string, { urns: string[] }>
  }) => {
    const all = await answering({})
    const program: Program = async monitor => {
      for (const name of ['a', 'b']) await thing(monitor, name, {})
      await component(monitor, 'r', { object: more.object, propertyDependencies: more.asked })
      await method(monitor, more.object, { argDependencies: more.asked })
    }
    expect((await all.engine.run(program)).result.result).toBe('succeeded')
    return [all.made[0]?.inputDependencies, all.called[0]?.argDependencies]
  }

  test('TestConstructCallSendDependencies: those of output values are added to what is said', async () => {
    const object = { arg: output('x', [a]), none: 1 }
    const expected = new Map([
      ['arg', { urns: [a] }],
      ['none', { urns: [] }],
    ])
    expect(await sentWith({ object, asked: new Map() })).toEqual([expected, expected])
  })

  test('TestConstructCallDependencyDedeuplication: each is said once', async () => {
    const object = { arg: [output('x', [a, b]), output('y', [a])] }
    const asked = new Map([['arg', { urns: [a, a] }]])
    const expected = new Map([['arg', { urns: [a, b] }]])
    expect(await sentWith({ object, asked })).toEqual([expected, expected])
  })
})
