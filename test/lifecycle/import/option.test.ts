import { afterEach, expect, test } from 'vitest'
import { DiffResponse, ReadResponse, UpdateResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { ReadRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createInitFailure } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { diagnosticsOf, statesOf, stepsOf } from '../run-events.ts'
import { createEngines, deleteFirst, toWireSecret, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** A cloud with one object that no stack manages. */
function createCloudWith(id: string, inputs: Record<string, unknown>): Cloud {
  const cloud = createCloud()
  cloud.objects.set(id, inputs)
  return cloud
}

const createImporting =
  (inputs: Record<string, unknown>, importId: string, more: object = {}): Program =>
  async monitor =>
    void (await registerThing(monitor, 'a', inputs, { importId, ...more }))

test('TestImportOption: a difference is updated after the import, and equal inputs need no update', async () => {
  const cloud = createCloudWith('ext', { v: 1 })
  const engine = await engines.open(cloud)
  const equal = await engine.run(createImporting({ v: 1 }, 'ext'))
  expect(stepsOf(equal)).toEqual(['import a'])
  expect(equal.result.changes).toEqual({ create: 1, import: 1 })
  expect(statesOf(equal, 'a')[0]).toMatchObject({ id: 'ext', importID: 'ext', inputs: { v: 1 } })
  const nextRun = await engine.run(createImporting({ v: 1 }, 'ext'))
  expect(stepsOf(nextRun)).toEqual(['same a'])
  expect(statesOf(nextRun, 'a')[0]).toMatchObject({ id: 'ext', importID: 'ext' })
  const changed = await engine.run(createImporting({ v: 2 }, 'ext'))
  expect(stepsOf(changed)).toEqual(['update a'])
  const other = await engines.open(createCloudWith('ext', { v: 1 }))
  const differing = await other.run(createImporting({ v: 3 }, 'ext'))
  expect(stepsOf(differing)).toEqual(['import a', 'update a'])
  const [state] = statesOf(differing, 'a')
  expect(state).toMatchObject({ id: 'ext', importID: 'ext', inputs: { v: 3 }, outputs: { v: 3 } })
  const reads = other.provider.calls.filter(({ method }) => method === 'read')
  expect(reads.map(({ request }) => request)).toMatchObject([
    { id: 'ext', inputs: {}, properties: {} },
  ])
})

test('TestImportOption: an imported resource is not replaced while the program specifies its id', async () => {
  const cloud = createCloudWith('ext', { replace: 1 })
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createImporting({ replace: 2 }, 'ext'))
  expect(testRun.result.result).toBe('failed')
  expect(diagnosticsOf(testRun).join()).toContain(
    'previously-imported resources that still specify an ID may not be replaced',
  )
  expect(diagnosticsOf(testRun).join()).toContain('replace: 1 => 2')
  expect(statesOf(testRun, 'a')[0]).toMatchObject({ id: 'ext', inputs: { replace: 1 } })
  const shown = await engine.run(createImporting({ replace: 2 }, 'ext'), { dryRun: true })
  expect(shown.result.result).toBe('succeeded')
  expect(diagnosticsOf(shown, 'warning').join()).toContain('may not be replaced')
  expect(stepsOf(shown).slice(0, 2)).toEqual(['create-replacement a', 'replace a'])
})

test('TestImportOption: an import with another id replaces the existing resource, and one with the same id changes nothing', async () => {
  const cloud = createCloudWith('ext', { v: 1 })
  const engine = await engines.open(cloud)
  await engine.run(createImporting({ v: 1 }, ''))
  const same = await engine.run(createImporting({ v: 1 }, 'a-1'))
  expect(stepsOf(same)).toEqual(['same a'])
  const testRun = await engine.run(createImporting({ v: 1 }, 'ext'))
  expect(stepsOf(testRun)).toEqual(['import-replacement a', 'replace a', 'delete-replaced a'])
  expect(testRun.result.changes).toMatchObject({ replace: 1 })
  expect([...cloud.objects.keys()]).toEqual(['ext'])
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'ext', importID: 'ext' }])
  const withoutImport = await engine.run(createImporting({ v: 1 }, ''))
  expect(stepsOf(withoutImport)).toEqual(['same a'])
  expect(statesOf(withoutImport, 'a')[0]).not.toHaveProperty('importID')
})

test('TestImportOption: a read resource is replaced by its import, and its object is not deleted', async () => {
  const cloud = createCloudWith('ext', { v: 1 })
  const engine = await engines.open(cloud)
  await engine.run(async monitor => void (await monitor.read('a', 'ext')))
  const testRun = await engine.run(createImporting({ v: 1 }, 'ext'))
  expect(stepsOf(testRun)).toEqual(['import-replacement a', 'replace a', 'discard-replaced a'])
  expect(cloud.mutatingCalls).toEqual([])
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'ext', importID: 'ext' }])
  expect(statesOf(testRun, 'a')[0]).not.toHaveProperty('external')
})

test('TestImportWithDifferingImportIdentifierFormat, TestImportUpdatedID, TestImportIDPreservedAcrossUpdate: the id of the provider is stored beside the id of the import', async () => {
  const cloud = createCloudWith('own', { v: 1 })
  const read = (providerRequest: ReadRequest) => {
    const object =
      cloud.objects.get(providerRequest.id === 'projects/x/own' ? 'own' : providerRequest.id) ?? {}
    return ReadResponse.create({ id: 'own', properties: object, inputs: object })
  }
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, read } })
  const program = createImporting({ v: 2 }, 'projects/x/own')
  const first = await engine.run(program)
  expect(stepsOf(first)).toEqual(['import a', 'update a'])
  expect(statesOf(first, 'a')).toMatchObject([{ id: 'own', importID: 'projects/x/own' }])
  const second = await engine.run(program)
  expect(stepsOf(second)).toEqual(['same a'])
  expect(statesOf(second, 'a')).toMatchObject([{ id: 'own', importID: 'projects/x/own' }])
})

test('TestImportThenSecretValueDoesNotReplace: a value that becomes secret is not a difference', async () => {
  for (const isDiffUnknown of [false, true]) {
    const cloud = createCloudWith('ext', { replace: 'v' })
    const diff = () => DiffResponse.create(isDiffUnknown ? {} : { changes: 1 })
    const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
    await engine.run(createImporting({ replace: 'v' }, 'ext'))
    const testRun = await engine.run(createImporting({ replace: toWireSecret('v') }, 'ext'))
    expect(testRun.result.result).toBe('succeeded')
    expect(stepsOf(testRun)).toEqual(['same a'])
    expect(JSON.stringify(statesOf(testRun, 'a')[0]?.['inputs'])).toContain('ciphertext')
  }
})

test('TestImportIgnoreChanges: ignored changes are relative to the imported inputs', async () => {
  const cloud = createCloudWith('ext', { v: 1, w: 1 })
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createImporting({ v: 2, w: 2 }, 'ext', { ignoreChanges: ['v'] }))
  expect(stepsOf(testRun)).toEqual(['import a', 'update a'])
  expect(cloud.objects.get('ext')).toEqual({ v: 1, w: 2 })
  expect(statesOf(testRun, 'a')[0]).toMatchObject({ inputs: { v: 1, w: 2 } })
})

test('TestImportWithFailedUpdate: an imported resource stays when its update fails', async () => {
  const cloud = createCloudWith('ext', { v: 1 })
  cloud.faults.add('update ext')
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createImporting({ v: 2 }, 'ext'))
  expect(testRun.result.result).toBe('failed')
  expect(stepsOf(testRun)).toEqual(['import a', 'update a'])
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'ext', inputs: { v: 1 }, outputs: { v: 1 } }])
  expect(testRun.state.pending_operations ?? []).toEqual([])
})

test('TestImportDeleteBeforeReplace: a preview shows a difference that would delete the imported resource before its replacement', async () => {
  const cloud = createCloudWith('ext', { replace: 1 })
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createImporting({ replace: 2 }, 'ext', deleteFirst), {
    dryRun: true,
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(stepsOf(testRun)).toEqual([
    'import a',
    'delete-replaced a',
    'replace a',
    'create-replacement a',
  ])
  expect(cloud.mutatingCalls).toEqual([])
})

test('an import is refused when the object does not exist or the provider does not support imports', async () => {
  const cloud = createCloudWith('mute', { v: 1 })
  // A provider that supports imports returns inputs from a read.
  const read = (providerRequest: ReadRequest) =>
    providerRequest.id === 'mute'
      ? ReadResponse.create({ id: 'mute', properties: { v: 1 } })
      : ReadResponse.create({})
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, read } })
  const missing = await engine.run(createImporting({ v: 1 }, 'nowhere'))
  expect(missing.result.result).toBe('failed')
  expect(diagnosticsOf(missing)).toContain("resource 'nowhere' does not exist")
  const mute = await engine.run(createImporting({ v: 1 }, 'mute'))
  expect(diagnosticsOf(mute).join()).toContain("please try updating the 'test' plugin")
  expect(statesOf(mute, 'a')).toEqual([])
})

test('a failed import of an existing resource leaves it unchanged, even with --continue-on-error', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createImporting({ v: 1 }, ''))
  const program: Program = async monitor => {
    await registerThing(monitor, 'a', { v: 1 }, { importId: 'gone' }).catch(() => undefined)
    await registerThing(monitor, 'b', { v: 1 })
  }
  const testRun = await engine.run(program, { continueOnError: true })
  expect(testRun.result.result).toBe('failed')
  expect([...cloud.objects.keys()].sort()).toEqual(['a-1', 'b-1'])
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-1' }])
})

test('an unhealthy object is imported and updated immediately', async () => {
  const cloud = createCloudWith('ext', { v: 1 })
  const script = {
    ...cloud.script,
    read: () => {
      throw createInitFailure({
        id: 'ext',
        properties: { v: 1 },
        inputs: { v: 1 },
        reasons: ['slow'],
      })
    },
    update: () => UpdateResponse.create({ properties: { v: 1 } }),
    diff: () => DiffResponse.create({ changes: 1 }),
  }
  const engine = await engines.open({ ...cloud, script })
  const testRun = await engine.run(createImporting({ v: 1 }, 'ext'))
  expect(stepsOf(testRun)).toEqual(['import a', 'update a'])
  expect(statesOf(testRun, 'a')[0]).not.toHaveProperty('initErrors')
})
