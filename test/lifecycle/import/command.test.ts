import { afterEach, expect, test } from 'vitest'
import { CheckResponse, ReadResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { ReadRequest } from '../../../proto/gen/pulumi/provider.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import type { ImportedResource } from '../../../shared/records/imported-resource.ts'
import type { StoredResource } from '../../../shared/state/stored.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { TestRunOptions, Program, TestRun } from '../engine.ts'
import { diagnosticsOf, statesOf, stepsOf } from '../run-events.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const urnOf = (type: string, name: string): Urn => `urn:pulumi:dev::life::${type}::${name}` as Urn
const stackUrn = urnOf('pulumi:pulumi:Stack', 'life-dev')

const createImport = (name: string, more: Partial<ImportedResource> = {}): ImportedResource => ({
  type: 'test:index:Thing',
  name,
  id: `ext-${name}`,
  parent: '',
  provider: '',
  version: '',
  pluginDownloadUrl: '',
  protect: true,
  isChosen: false,
  component: 'no',
  ...more,
})

const withImports = (...imports: readonly ImportedResource[]): TestRunOptions => ({
  command: 'import',
  imports,
})

/** A cloud with objects `ext-…` that no stack manages. */
function cloudOf(...names: readonly string[]): Cloud {
  const cloud = createCloud()
  for (const name of names) cloud.objects.set(`ext-${name}`, { v: name })
  return cloud
}

const countReads = (calls: readonly { readonly method: string }[]): number =>
  calls.filter(({ method }) => method === 'read').length

const idOf = (state: StoredResource | undefined): string => {
  const id = state?.['id']
  return typeof id === 'string' ? id : ''
}

const urnsOf = ({ state }: Pick<TestRun, 'state'>): readonly string[] =>
  (state.resources ?? []).map(({ urn }) => urn)

test('TestImportPlanEmptyState, TestImportDefaultProvider: an empty stack gets its stack resource, a default provider, and the imported resource', async () => {
  const cloud = cloudOf('a')
  const engine = await engines.open(cloud)
  const testRun = await engine.run(undefined, withImports(createImport('a')))
  expect(testRun.result.result).toBe('succeeded')
  expect(testRun.result.changes).toEqual({ create: 1, import: 1 })
  expect(urnsOf(testRun)).toEqual([
    stackUrn,
    urnOf('pulumi:providers:test', 'default'),
    urnOf('test:index:Thing', 'a'),
  ])
  const [state] = statesOf(testRun, 'a')
  expect(state).toMatchObject({
    id: 'ext-a',
    inputs: { v: 'a' },
    outputs: { v: 'a' },
    parent: stackUrn,
    protect: true,
  })
  expect(state?.['created']).toBe(state?.['modified'])
  expect(state).not.toHaveProperty('importID')
  const versionRun = await engine.run(
    undefined,
    withImports(createImport('a', { version: '1.2.3', name: 'b' })),
  )
  expect(urnsOf(versionRun)).toContain(urnOf('pulumi:providers:test', 'default_1_2_3'))
})

test('TestImportPlan, TestImportPlanExistingImport: existing resources are kept, a repeated import changes nothing, and another id for the same URN fails', async () => {
  const cloud = cloudOf('a', 'b')
  const engine = await engines.open(cloud)
  const before = await engine.run(
    async monitor => void (await registerThing(monitor, 'own', { v: 1 })),
  )
  const testRun = await engine.run(undefined, withImports(createImport('a')))
  expect(testRun.result.changes).toEqual({ import: 1, same: 2 })
  expect(statesOf(testRun, 'own')).toEqual(statesOf(before, 'own'))
  const nextRun = await engine.run(undefined, withImports(createImport('a'), createImport('b')))
  expect(nextRun.result.result).toBe('succeeded')
  // In the order of the state: the resource that changed last comes first.
  expect(stepsOf(nextRun)).toEqual(['same a', 'same own', 'import b'])
  expect(statesOf(nextRun, 'a')).toEqual(statesOf(testRun, 'a'))
  const otherIdRun = await engine.run(undefined, withImports(createImport('a', { id: 'ext-b' })))
  expect(otherIdRun.result.result).toBe('failed')
  expect(diagnosticsOf(otherIdRun)).toEqual([
    `resource '${urnOf('test:index:Thing', 'a')}' already exists`,
  ])
  expect(statesOf(otherIdRun, 'a')).toEqual(statesOf(testRun, 'a'))
})

test('TestImportPlanSuppliedOutputs: a resource with supplied inputs and outputs is not read', async () => {
  const engine = await engines.open(cloudOf())
  const supplied = { inputs: { v: 1 }, outputs: { v: 1, out: 'x' } }
  const testRun = await engine.run(undefined, withImports(createImport('a', supplied)))
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'ext-a', ...supplied }])
  expect(countReads(engine.provider.calls)).toBe(0)
})

test('TestImportPlanSuppliedInputsMerge: supplied inputs fill gaps, and an input that is supplied as a secret is stored as a secret', async () => {
  const cloud = cloudOf('a')
  cloud.objects.set('ext-a', { v: 'read', empty: null, word: 'open' })
  const engine = await engines.open(cloud)
  const inputs = {
    v: 'supplied',
    empty: 'filled',
    more: 1,
    // A secret in the format of states: this key and its value mark an object as a secret.
    word: {
      '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
      plaintext: '"x"',
    },
  }
  const testRun = await engine.run(undefined, withImports(createImport('a', { inputs })))
  const [state] = statesOf(testRun, 'a')
  expect(state?.['inputs']).toMatchObject({ v: 'read', empty: 'filled', more: 1 })
  expect(JSON.stringify(state?.['inputs'])).not.toContain('open')
})

test('TestImportPlanSpecificProvider: an import may name a provider of the stack or a new one', async () => {
  const cloud = cloudOf('a', 'b', 'c')
  const engine = await engines.open(cloud)
  const type = 'pulumi:providers:test'
  const program: Program = async monitor =>
    void (await monitor.register({ type, name: 'p', custom: true, object: { region: 'r' } }))
  const before = await engine.run(program)
  const [p] = statesOf(before, 'p')
  const provider = urnOf(type, 'p')
  const testRun = await engine.run(undefined, withImports(createImport('a', { provider })))
  expect(statesOf(testRun, 'a')).toMatchObject([{ provider: `${provider}::${idOf(p)}` }])
  expect(urnsOf(testRun)).not.toContain(urnOf(type, 'default'))
  const secondRun = await engine.run(
    undefined,
    withImports(
      createImport('b', { provider: urnOf(type, 'q') }),
      createImport('q', { type, id: '', inputs: { region: 'q' } }),
      createImport('c', {
        provider: urnOf(type, 'without-exceptions'),
        providerInputs: { region: 'c' },
      }),
    ),
  )
  expect(statesOf(secondRun, 'q')).toMatchObject([
    { inputs: { region: 'q' }, outputs: { region: 'q' } },
  ])
  expect(statesOf(secondRun, 'without-exceptions')).toMatchObject([{ inputs: { region: 'c' } }])
  expect(statesOf(secondRun, 'b')[0]?.['provider']).toBe(
    `${urnOf(type, 'q')}::${idOf(statesOf(secondRun, 'q')[0])}`,
  )
})

test('TestImportPlanSpecificProperties, TestImportInputDiff: chosen properties do not reduce the state, and no difference is displayed', async () => {
  const cloud = cloudOf('a')
  cloud.objects.set('ext-a', { v: 1, w: 2 })
  const script = {
    ...cloud.script,
    check: () => CheckResponse.create({ inputs: { v: 'normal' }, failures: [] }),
  }
  const engine = await engines.open({ ...cloud, script })
  const testRun = await engine.run(undefined, withImports(createImport('a', { isChosen: true })))
  expect(statesOf(testRun, 'a')).toMatchObject([{ inputs: { v: 1, w: 2 } }])
  const importEvents = testRun.events.flatMap(event =>
    'resOutputsEvent' in event && event.resOutputsEvent.metadata.op === 'import'
      ? [event.resOutputsEvent.metadata]
      : [],
  )
  expect(importEvents[0]?.old?.inputs).toEqual(importEvents[0]?.new?.inputs)
})

test('TestImportIntoParent: a child is imported after its parent', async () => {
  const cloud = cloudOf('top', 'child', 'below')
  const order: string[] = []
  const read = (request: ReadRequest) => {
    order.push(request.id)
    const object = cloud.objects.get(request.id) ?? {}
    return ReadResponse.create({ id: request.id, properties: object, inputs: object })
  }
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, read } })
  const top = urnOf('test:index:Thing', 'top')
  const child = urnOf('test:index:Thing$test:index:Thing', 'child')
  const testRun = await engine.run(
    undefined,
    withImports(
      createImport('below', { parent: child }),
      createImport('child', { parent: top }),
      createImport('top'),
    ),
  )
  expect(testRun.result.result).toBe('succeeded')
  expect(order).toEqual(['ext-top', 'ext-child', 'ext-below'])
  expect(statesOf(testRun, 'child')).toMatchObject([{ parent: top }])
  const nowhere = urnOf('case:index:Group', 'none')
  const refused = await engine.run(undefined, withImports(createImport('x', { parent: nowhere })))
  expect(diagnosticsOf(refused).join()).toContain(`unknown parent '${nowhere}'`)
})

test('TestImportComponent, TestImportRemoteComponent: components are created without a read, remote ones with a provider', async () => {
  const engine = await engines.open(cloudOf('in'))
  const group = { type: 'case:index:Group', id: '', component: 'local' } as const
  const testRun = await engine.run(
    undefined,
    withImports(
      createImport('g', group),
      createImport('in', { parent: urnOf('case:index:Group', 'g') }),
    ),
  )
  expect(testRun.result.changes).toEqual({ create: 1, import: 2 })
  const [local] = statesOf(testRun, 'g')
  expect(local).toMatchObject({ custom: false, parent: stackUrn, protect: true })
  expect(local).not.toHaveProperty('provider')
  const remote = { type: 'test:index:Comp', id: '', component: 'remote' } as const
  const remoteRun = await engine.run(undefined, withImports(createImport('r', remote)))
  expect(statesOf(remoteRun, 'r')[0]?.['provider']).toContain('pulumi:providers:test::default::')
  expect(countReads(engine.provider.calls)).toBe(1)
})

test('TestImportFailedCreate: a failed import is not in the state, and earlier imports stay', async () => {
  const cloud = cloudOf('a')
  const engine = await engines.open(cloud)
  const parentUrn = urnOf('test:index:Thing', 'a')
  const testRun = await engine.run(
    undefined,
    withImports(createImport('a'), createImport('gone', { parent: parentUrn })),
  )
  expect(testRun.result.result).toBe('failed')
  expect(diagnosticsOf(testRun)).toContain("resource 'ext-gone' does not exist")
  expect(statesOf(testRun, 'a')).toHaveLength(1)
  expect(statesOf(testRun, 'gone')).toEqual([])
  expect(testRun.state.pending_operations ?? []).toEqual([])
})

test('an import whose inputs fail the check of its own provider succeeds with a warning', async () => {
  const cloud = cloudOf('a')
  const script = {
    ...cloud.script,
    check: () => CheckResponse.create({ failures: [{ property: 'v', reason: 'too short' }] }),
  }
  const engine = await engines.open({ ...cloud, script })
  const testRun = await engine.run(undefined, withImports(createImport('a')))
  expect(testRun.result.result).toBe('succeeded')
  const warnings = diagnosticsOf(testRun, 'warning').join('\n')
  expect(warnings).toContain('almost certainly a bug in the `test` provider')
  expect(warnings).toContain(`property v value "a" has a problem: too short`)
})

test('a preview reads the resources to import and changes nothing', async () => {
  const engine = await engines.open(cloudOf('a'))
  const testRun = await engine.run(undefined, { ...withImports(createImport('a')), dryRun: true })
  expect(testRun.result.result).toBe('succeeded')
  expect(stepsOf(testRun)).toEqual(['import a'])
  expect(testRun.state.resources ?? []).toEqual([])
  const missing = await engine.run(undefined, {
    ...withImports(createImport('none')),
    dryRun: true,
  })
  expect(missing.result.result).toBe('failed')
})

test('a duplicate URN and an invalid type are refused before any call', async () => {
  const engine = await engines.open(cloudOf('a'))
  const duplicate = await engine.run(undefined, withImports(createImport('a'), createImport('a')))
  expect(diagnosticsOf(duplicate)).toEqual(["duplicate import 'a' of type 'test:index:Thing'"])
  const invalid = await engine.run(undefined, withImports(createImport('a', { type: 'Thing' })))
  expect(diagnosticsOf(invalid).join()).toContain('not a valid resource type token')
  expect(urnsOf(invalid)).toEqual([])
})
