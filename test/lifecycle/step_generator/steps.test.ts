import { afterEach, expect, test } from 'vitest'
import type { CreateRequest, UpdateRequest } from '../../../proto/gen/pulumi/provider.ts'
import { CreateResponse, ReadResponse, UpdateResponse } from '../../../proto/gen/pulumi/provider.ts'
import { createInitFailure } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { errorsOf, diagnosticsOf, statesOf, stepsOf } from '../run-events.ts'
import { createEngines, toWireSecret, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const createReading =
  (name: string, id: string): Program =>
  async monitor =>
    void (await monitor.read(name, id))

function createCloudWith(id: string, inputs: Record<string, unknown>): Cloud {
  const cloud = createCloud()
  cloud.objects.set(id, inputs)
  return cloud
}

const unknownText = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

test('TestDuplicateURN, TestDuplicateAlias: a URN or alias is assigned only once, in previews and deployments', async () => {
  const twiceProgram: Program = async monitor => {
    await registerThing(monitor, 'a', { v: 1 })
    await registerThing(monitor, 'a', { v: 1 })
  }
  const aliasedProgram: Program = async monitor => {
    const alias = { aliasURNs: ['urn:pulumi:dev::life::test:index:Thing::old'] }
    await registerThing(monitor, 'b', { v: 1 }, alias)
    await registerThing(monitor, 'c', { v: 1 }, alias)
  }
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ old: { v: 1 } }))
  for (const dryRun of [true, false]) {
    const one = await engine.run(twiceProgram, { dryRun })
    expect(one.result.result).toBe('failed')
    expect(diagnosticsOf(one).join()).toContain('Duplicate resource URN')
  }
  const other = await engines.open(createCloud())
  await other.run(createThings({ old: { v: 1 } }))
  for (const dryRun of [true, false]) {
    const two = await other.run(aliasedProgram, { dryRun })
    expect(two.result.result).toBe('failed')
    expect(diagnosticsOf(two).join()).toMatch(/Alias '.*::old'|has the URN that/)
  }
})

test('TestSecretMasked: the output of a secret input is secret', async () => {
  const cloud = createCloud()
  const create = (request: CreateRequest) =>
    CreateResponse.create({ id: 'x', properties: { word: 'hidden-word', v: request.preview } })
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, create } })
  const word = toWireSecret('hidden-word')
  const testRun = await engine.run(createThings({ a: { word } }))
  const [state] = statesOf(testRun, 'a')
  expect(JSON.stringify(state?.['outputs'])).toContain('ciphertext')
  expect(JSON.stringify([state, testRun.events])).not.toContain('hidden-word')
})

test('TestReadReplaceStep: a read with another id replaces the managed resource, which is deleted', async () => {
  const cloud = createCloudWith('other', { v: 2 })
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const testRun = await engine.run(createReading('a', 'other'))
  expect(stepsOf(testRun)).toEqual(['read-replacement a', 'replace a', 'delete-replaced a'])
  expect(cloud.mutatingCalls).toEqual(['create a', 'delete a-1'])
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'other', external: true, outputs: { v: 2 } }])
})

test('TestRelinquishStep: a read with the same id ends the management, and the object stays', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const testRun = await engine.run(createReading('a', 'a-1'))
  expect(stepsOf(testRun)).toEqual(['read a'])
  expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-1', external: true }])
  const nextRun = await engine.run(async () => undefined)
  expect(cloud.mutatingCalls).toEqual(['create a'])
  expect(statesOf(nextRun, 'a')).toEqual([])
})

test('TestTakeOwnershipStep: an external resource is created anew, and its old state is removed without a delete call', async () => {
  const cloud = createCloudWith('ext', { v: 1 })
  const engine = await engines.open(cloud)
  await engine.run(createReading('a', 'ext'))
  const testRun = await engine.run(createThings({ a: { v: 1 } }))
  expect(stepsOf(testRun)).toEqual(['create-replacement a', 'replace a', 'discard-replaced a'])
  expect(cloud.mutatingCalls).toEqual(['create a'])
  expect([...cloud.objects.keys()]).toEqual(['ext', 'a-1'])
  expect(statesOf(testRun, 'a')).toHaveLength(1)
  expect(statesOf(testRun, 'a')[0]).not.toHaveProperty('external')
})

test('TestInitErrorsStep, TestInitErrorsIgnoreChanges: a partially created resource is updated, and the provider receives its ignoreChanges', async () => {
  for (const ignoreChanges of [[], ['v']]) {
    const cloud = createCloud()
    const updates: UpdateRequest[] = []
    const script = {
      ...cloud.script,
      create: () => {
        throw createInitFailure({ id: 'x', properties: { v: 1 }, reasons: ['not yet', 'nor soon'] })
      },
      update: (request: UpdateRequest) => {
        updates.push(request)
        return UpdateResponse.create({ properties: request.news ?? {} })
      },
    }
    const engine = await engines.open({ ...cloud, script })
    const program: Program = async monitor =>
      void (await registerThing(monitor, 'a', { v: 1 }, { ignoreChanges }))
    const failed = await engine.run(program)
    expect(statesOf(failed, 'a')).toMatchObject([{ id: 'x', initErrors: ['not yet', 'nor soon'] }])
    expect(errorsOf(failed)).toEqual(['a: 2 errors occurred:\n\t* not yet\n\t* nor soon\n\n'])
    const testRun = await engine.run(program)
    expect(stepsOf(testRun)).toEqual(['update a'])
    expect(updates).toMatchObject([{ id: 'x', ignoreChanges }])
    expect(statesOf(testRun, 'a')[0]).not.toHaveProperty('initErrors')
  }
})

test('TestReadNilOutputs: a missing object cannot be read', async () => {
  const engine = await engines.open(createCloud())
  for (const dryRun of [true, false]) {
    const testRun = await engine.run(createReading('a', 'my-resource-id'), { dryRun })
    expect(testRun.result.result).toBe('failed')
    expect(diagnosticsOf(testRun).join()).toContain("resource 'my-resource-id' does not exist")
  }
})

test('TestExternalEventMetadata: events mark external resources', async () => {
  const engine = await engines.open(createCloudWith('ext', { v: 1 }))
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'managed', { v: 1 })
    await monitor.read('read', 'ext')
  })
  const external = testRun.events.flatMap(event => {
    const { metadata } =
      'resourcePreEvent' in event
        ? event.resourcePreEvent
        : 'resOutputsEvent' in event
          ? event.resOutputsEvent
          : {}
    const name = metadata?.urn.split('::').at(-1)
    return metadata?.new && ['managed', 'read'].includes(name ?? '')
      ? [[name, metadata.new.external === true]]
      : []
  })
  expect(external).toEqual([
    ['managed', false],
    ['managed', false],
    ['read', true],
    ['read', true],
  ])
})

test('a read with an unknown id calls no provider, and an empty id is refused', async () => {
  const engine = await engines.open(createCloud())
  const previewed = await engine.run(createReading('a', unknownText), { dryRun: true })
  expect(previewed.result.result).toBe('succeeded')
  expect(stepsOf(previewed)).toEqual(['read a'])
  expect(engine.provider.calls.some(({ method }) => method === 'read')).toBe(false)
  const withoutId = await engine.run(createReading('a', ''))
  expect(withoutId.result.result).toBe('failed')
  expect(diagnosticsOf(withoutId).join()).toContain('Expected an ID for')
})

test('an unchanged external resource keeps its times', async () => {
  const cloud = createCloudWith('ext', { v: 1 })
  const read = () =>
    ReadResponse.create({
      id: 'ext',
      properties: cloud.objects.get('ext'),
      refreshBeforeUpdate: true,
    })
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, read } })
  const first = await engine.run(createReading('a', 'ext'))
  expect(statesOf(first, 'a')[0]).not.toHaveProperty('modified')
  expect(statesOf(first, 'a')[0]).not.toHaveProperty('refreshBeforeUpdate')
  const same = await engine.run(createReading('a', 'ext'))
  expect(statesOf(same, 'a')).toEqual(statesOf(first, 'a'))
  cloud.objects.set('ext', { v: 2 })
  const changed = await engine.run(createReading('a', 'ext'))
  expect(statesOf(changed, 'a')[0]).toHaveProperty('modified')
})

test('the outputs of a replaced component are reported with the step `replace`, as in Pulumi', async () => {
  const engine = await engines.open(createCloud())
  const program: Program = async monitor => {
    const { urn } = await monitor.register({ type: 'local', name: 'l', object: {} })
    await monitor.registerOutputs(urn, { out: 1 })
  }
  await engine.run(program)
  const replaces = ['urn:pulumi:dev::life::local::l']
  const { events } = await engine.run(program, { targeting: { replaces } })
  const ops = events.flatMap(event =>
    'resOutputsEvent' in event && event.resOutputsEvent.metadata.type === 'local'
      ? [event.resOutputsEvent.metadata.op]
      : [],
  )
  expect(ops).toEqual(['replace'])
})
