import { afterEach, describe, expect, test } from 'vitest'
import type { CallRequest, ConstructRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import {
  registerComponent,
  createComponentScript,
  registerSelf,
  type ConstructComponent,
  resourceUrnOf,
  wireValues,
} from '../components.ts'
import type { Monitor, Program } from '../engine.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const child = resourceUrnOf('r-child', 'comp:index:Group$test:index:Thing')
const toOutput = (value: unknown, dependencies: readonly string[]): object =>
  wireValues.output({ value, dependencies: [...dependencies] })

/**
 * Opens an engine whose package `comp` constructs a component with a child, and has methods. Both
 * answer with the same values.
 */
async function openAnswering(answerOptions: {
  readonly state?: object
  readonly stateDependencies?: Map<string, { urns: string[] }>
}) {
  const constructRequests: ConstructRequest[] = []
  const callRequests: CallRequest[] = []
  const { state, stateDependencies = new Map() } = answerOptions
  const construct: ConstructComponent = async (request, monitor) => {
    constructRequests.push(request)
    const urn = await registerSelf(request, monitor)
    await registerThing(monitor, `${request.name}-child`, {}, { parent: urn })
    return { urn, state: { ...state }, stateDependencies }
  }
  const script = createComponentScript({
    construct,
    method: async request => {
      callRequests.push(request)
      return { return: { ...state }, returnDependencies: stateDependencies }
    },
  })
  return {
    engine: await engines.open(createCloud(), { comp: script }),
    constructRequests,
    callRequests,
  }
}

const callMethod = (monitor: Monitor, args: Record<string, unknown>, more: object = {}) =>
  monitor.call({ tok: 'comp:index:Group/say', args, ...more })

/** Returns the values that the program receives from a component and from a method. */
async function answersOf(
  { engine }: Awaited<ReturnType<typeof openAnswering>>,
  args: Record<string, unknown> = {},
) {
  const answers: unknown[] = []
  const { result } = await engine.run(
    async monitor => {
      const group = await registerComponent(monitor, 'r', { acceptSecrets: true, object: args })
      const reply = await callMethod(monitor, args)
      answers.push([group.object, group.propertyDependencies])
      answers.push([reply.return, reply.returnDependencies])
    },
    { dryRun: true },
  )
  expect(result.result).toBe('succeeded')
  return answers
}

test('TestConstructCallSecretsUnknowns: secrets and unknowns reach components and methods as output values', async () => {
  const answering = await openAnswering({})
  const args = { foo: wireValues.secret('foo'), bar: wireValues.unknown }
  await answersOf(answering, args)
  const sent = {
    foo: wireValues.output({ value: 'foo', secret: true }),
    bar: wireValues.output({}),
  }
  expect(answering.constructRequests[0]?.inputs).toEqual(sent)
  expect(answering.callRequests[0]?.args).toEqual(sent)
})

test('TestConstructCallReturnDependencies: the dependencies of results reach the program', async () => {
  const dependencies = new Map([
    ['foo', { urns: [child] }],
    ['bar', { urns: [child] }],
  ])
  const state = { foo: wireValues.secret('foo'), bar: wireValues.unknown }
  const answers = await answersOf(await openAnswering({ state, stateDependencies: dependencies }))
  expect(answers).toEqual([
    [state, dependencies],
    [state, dependencies],
  ])
})

test('TestConstructCallReturnOutputs: output values in results become plain values and keep their dependencies', async () => {
  const state = {
    foo: wireValues.output({ value: 'foo', secret: true, dependencies: [child] }),
    bar: wireValues.output({ dependencies: [child] }),
    deep: [{ plain: toOutput(1, [child]) }],
  }
  const plain = { foo: wireValues.secret('foo'), bar: wireValues.unknown, deep: [{ plain: 1 }] }
  const dependencies = new Map(['bar', 'deep', 'foo'].map(key => [key, { urns: [child] }]))
  const answers = await answersOf(await openAnswering({ state }))
  expect(answers).toEqual([
    [plain, dependencies],
    [plain, dependencies],
  ])
})

describe('dependencies of arguments', () => {
  const [a, b] = [resourceUrnOf('a'), resourceUrnOf('b')]
  const readSent = async ({
    object,
    dependencyMap,
  }: {
    object: Record<string, unknown>
    dependencyMap: Map<string, { urns: string[] }>
  }) => {
    const answering = await openAnswering({})
    const program: Program = async monitor => {
      for (const name of ['a', 'b']) await registerThing(monitor, name, {})
      await registerComponent(monitor, 'r', {
        object,
        propertyDependencies: dependencyMap,
      })
      await callMethod(monitor, object, { argDependencies: dependencyMap })
    }
    expect((await answering.engine.run(program)).result.result).toBe('succeeded')
    return [
      answering.constructRequests[0]?.inputDependencies,
      answering.callRequests[0]?.argDependencies,
    ]
  }

  test('TestConstructCallSendDependencies: those in output values are sent, even if they are not listed', async () => {
    const object = { arg: toOutput('x', [a]), none: 1 }
    const expected = new Map([
      ['arg', { urns: [a] }],
      ['none', { urns: [] }],
    ])
    expect(await readSent({ object, dependencyMap: new Map() })).toEqual([expected, expected])
  })

  test('TestConstructCallDependencyDedeuplication: each one is sent once', async () => {
    const object = { arg: [toOutput('x', [a, b]), toOutput('y', [a])] }
    const dependencyMap = new Map([['arg', { urns: [a, a] }]])
    const expected = new Map([['arg', { urns: [a, b] }]])
    expect(await readSent({ object, dependencyMap })).toEqual([expected, expected])
  })
})
