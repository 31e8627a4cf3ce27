import { afterEach, describe, expect, test } from 'vitest'
import {
  type DiffRequest,
  DiffResponse,
  PropertyDiff_Kind,
  type UpdateRequest,
  UpdateResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { diagnosticsOf, stepsOf } from '../run-events.ts'
import { createEngines, toWireSecret, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

type Properties = Record<string, unknown>

const createOneThing =
  (object: Properties, more: object = {}): Program =>
  async monitor =>
    void (await registerThing(monitor, 'a', object, more))

/** The inputs of one deployment, its ignored paths, and the expected step. */
type DeploymentCase = readonly [object: Properties, ignoreChanges: readonly string[], step: string]

const createDeepInputs = (number: number, text: string) => ({
  a: number,
  b: { c: text },
  d: [number],
  e: [number],
  f: { g: { h: text } },
})

test('TestSingleResourceIgnoreChanges: an ignored property keeps its old value, on every path', async () => {
  const cloud = createCloud()
  const ignored: unknown[] = []
  const script = {
    ...cloud.script,
    // The provider reports no difference kind, so the engine compares.
    diff: ({ ignoreChanges }: DiffRequest) => {
      ignored.push(ignoreChanges)
      return DiffResponse.create({})
    },
    update: ({ news, ignoreChanges }: UpdateRequest) => {
      ignored.push(ignoreChanges)
      return UpdateResponse.create({ properties: news ?? {} })
    },
  }
  const engine = await engines.open({ ...cloud, script })
  const paths = ['a', 'b.c', 'd', 'e[0]', 'f.g["h"]']
  const topPaths = ['a', 'b', 'd', 'e', 'f']
  const deployments: readonly DeploymentCase[] = [
    [createDeepInputs(1, 'foo'), paths, 'create'],
    [createDeepInputs(2, 'bar'), paths, 'same'],
    [createDeepInputs(3, 'qux'), [], 'update'],
    [{ e: [] }, topPaths, 'same'],
    [{ e: [] }, [], 'update'],
    [{ a: 4, b: { c: 'zed' }, d: [4], e: [] }, ['a', 'b', 'd', 'e[0]', 'f'], 'same'],
    [{ e: [], i: 4 }, topPaths, 'update'],
    [{ a: 3, b: ['foo', 'bar'] }, [], 'update'],
    [{ a: 3, b: ['foo', 'baz'] }, ['b[1]'], 'same'],
    [{ a: 3, b: ['foo', 'baz'] }, ['b[*]'], 'same'],
    [{ a: 3, b: toWireSecret(['foo', 'bar']) }, [], 'same'],
    [{ a: 3, b: toWireSecret(['foo', 'baz']) }, ['b[1]'], 'same'],
  ]
  for (const [number, [object, ignoreChanges, step]] of deployments.entries()) {
    ignored.length = 0
    const testRun = await engine.run(createOneThing(object, { ignoreChanges }))
    expect([number, testRun.result.result, stepsOf(testRun)]).toEqual([
      number,
      'succeeded',
      [`${step} a`],
    ])
    expect(diagnosticsOf(testRun)).toEqual([])
    for (const ignoredPath of ignored)
      expect([number, ignoredPath]).toEqual([number, ignoreChanges])
  }
})

test('TestIgnoreChangesInvalidPaths: a path that is missing in the old or the new inputs ignores nothing', async () => {
  const oldObject = { foo: { bar: 'baz' }, qux: ['zed'] }
  const cases: readonly (readonly [Properties, string])[] = [
    [{}, 'foo.bar'],
    [{ qux: [] }, 'qux[0]'],
    [{}, 'qux[0]'],
    [{ qux: ['zed', 'zob'] }, 'qux[1]'],
  ]
  for (const [object, path] of cases) {
    const engine = await engines.open(createCloud())
    await engine.run(createOneThing(oldObject))
    const received: unknown[] = []
    const testRun = await engine.run(async monitor => {
      const resource = await registerThing(monitor, 'a', object, { ignoreChanges: [path] })
      received.push(resource.object ?? {})
    })
    expect([path, testRun.result.result, received]).toEqual([path, 'succeeded', [object]])
    expect(diagnosticsOf(testRun, 'warning')).toEqual([])
  }
})

/** Returns a detailed diff in which the value 42 of `a` equals any old value. */
function diffDetailed({ oldInputs = {}, news = {} }: Partial<DiffRequest>): DiffResponse {
  const comparedNews = news['a'] === 42 ? { ...news, a: oldInputs['a'] } : news
  const paths = new Map([
    ['a', 'a'],
    ['b', 'b.c'],
  ])
  const diffs = Object.keys({ ...oldInputs, ...comparedNews }).filter(
    key => JSON.stringify(oldInputs[key]) !== JSON.stringify(comparedNews[key]),
  )
  const changes = diffs.map(key => {
    const kind = PropertyDiff_Kind.UPDATE
    return [paths.get(key) ?? key, { kind, inputDiff: false }] as const
  })
  return DiffResponse.create({
    changes: diffs.length > 0 ? 2 : 1,
    diffs,
    detailedDiff: new Map(changes),
    hasDetailedDiff: diffs.length > 0,
  })
}

describe('TestReplaceOnChanges: changes of the named paths replace', () => {
  const replaced = ['create-replacement a', 'replace a', 'delete-replaced a']
  test.each([
    ['with the diff of the provider', diffDetailed, ['same a']],
    ['with the diff of the engine', () => DiffResponse.create({}), replaced],
  ])('%s', async (_title, diff, stepsFor42) => {
    const cloud = createCloud()
    const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
    const deployments: readonly (readonly [Properties, readonly string[], readonly string[]])[] = [
      [{ a: 1, b: { c: 'foo' } }, ['a', 'b.c'], ['create a']],
      [{ a: 2, b: { c: 'foo' } }, ['a'], replaced],
      [{ a: 2, b: { c: 'bar' } }, ['b.c'], replaced],
      [{ a: 3, b: { c: 'baz' } }, ['*'], replaced],
      [{ a: 4, b: { c: 'qux' } }, [], ['update a']],
      [{ a: 42, b: { c: 'qux' } }, ['a'], stepsFor42],
    ]
    for (const [number, [object, replaceOnChanges, steps]] of deployments.entries()) {
      const testRun = await engine.run(createOneThing(object, { replaceOnChanges }))
      expect([number, testRun.result.result, stepsOf(testRun)]).toEqual([
        number,
        'succeeded',
        steps,
      ])
    }
  })
})
