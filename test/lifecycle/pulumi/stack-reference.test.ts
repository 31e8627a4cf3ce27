import { afterEach, expect, test } from 'vitest'
import { createPassphraseManager } from '../../../shared/secrets/passphrase-secrets.ts'
import type { SecretsManager } from '../../../shared/secrets/crypter.ts'
import { encodeSnapshot } from '../../../shared/state/snapshot-codec.ts'
import { createResourceState } from '../../../shared/state/resource.ts'
import { emptySnapshot } from '../../../shared/state/snapshot.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import { type PropertyMap, type PropertyValue, secretOf } from '../../../shared/values/value.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program, TestEngine } from '../engine.ts'
import { findResource, publishStack, resourceOpsOf, messagesOf } from '../stack-states.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const type = 'pulumi:pulumi:StackReference'
const secretMark = '1b47061264138c4ac30d75fd1eb44270'
const foreignManager = createPassphraseManager('a passphrase that is unknown here')

/** Publishes a stack `other` with these outputs. */
async function publishOther(
  engine: TestEngine,
  outputs: PropertyMap,
  manager?: SecretsManager,
): Promise<void> {
  const root = createResourceState({
    urn: 'urn:pulumi:other::life::pulumi:pulumi:Stack::life-other' as Urn,
    type: 'pulumi:pulumi:Stack',
    custom: false,
    outputs,
  })
  const secrets = manager ?? (await foreignManager)
  const snapshot = { ...emptySnapshot, resources: [root] }
  await publishStack(engine, 'other', await encodeSnapshot(snapshot, secrets, 'sealed'))
}

const read = (monitor: Monitor, name: string, more: Record<string, unknown> = {}) =>
  monitor.read('other', name, { type, properties: { name, ...more } })

test('TestStackReference: a read returns the current outputs of the other stack', async () => {
  const engine = await engines.open(createCloud())
  await publishOther(engine, new Map([['foo', 'bar']]))
  const seen: unknown[] = []
  const oneProgram: Program = async monitor => {
    seen.push((await read(monitor, 'organization/life/other')).properties)
  }
  const first = await engine.run(oneProgram)
  expect(resourceOpsOf(first.events, 'other')).toEqual(['read'])
  expect(findResource(first.state, 'other')).toMatchObject({
    id: 'organization/life/other',
    external: true,
    inputs: { name: 'organization/life/other' },
    outputs: { outputs: { foo: 'bar' }, secretOutputNames: [] },
  })
  await publishOther(engine, new Map([['foo', 'new']]))
  const preview = await engine.run(oneProgram, { dryRun: true })
  expect(preview.result.result).toBe('succeeded')
  const second = await engine.run(oneProgram)
  expect(findResource(second.state, 'other')?.['outputs']).toMatchObject({
    outputs: { foo: 'new' },
  })
  expect(seen).toMatchObject([
    { outputs: { foo: 'bar' } },
    { outputs: { foo: 'new' } },
    { outputs: { foo: 'new' } },
  ])
  expect(messagesOf(second.events, 'warning')).toEqual([])
  const destroyRun = await engine.run(undefined, { command: 'destroy' })
  expect(resourceOpsOf(destroyRun.events, 'other')).toEqual(['discard'])
  expect(destroyRun.state.resources ?? []).toEqual([])
})

test('TestStackReference: the name may omit organization and project', async () => {
  for (const name of ['other', 'life/other', 'organization/other']) {
    const engine = await engines.open(createCloud())
    await publishOther(engine, new Map([['foo', 'bar']]))
    const { state } = await engine.run(async monitor => void (await read(monitor, name)))
    expect(findResource(state, 'other')?.['outputs']).toMatchObject({
      name,
      outputs: { foo: 'bar' },
    })
  }
})

test('TestStackReference: unknown stacks and unknown properties are errors', async () => {
  const engine = await engines.open(createCloud())
  await publishOther(engine, new Map())
  const unknown = await engine.run(async monitor => void (await read(monitor, 'rehto')))
  expect(unknown.result.result).toBe('failed')
  expect(messagesOf(unknown.events, 'error').join()).toContain('unknown stack "rehto"')
  const extraRun = await engine.run(
    async monitor => void (await read(monitor, 'other', { foo: 1 })),
  )
  expect(extraRun.result.result).toBe('failed')
  expect(messagesOf(extraRun.events, 'error').join()).toContain('unknown property "foo"')
  expect(findResource(extraRun.state, 'other')).toBeUndefined()
})

test('TestStackReferenceRegister: a registration succeeds with a warning, and another name causes a replacement', async () => {
  const engine = await engines.open(createCloud())
  await publishOther(engine, new Map([['foo', 'bar']]))
  const register =
    (name: unknown): Program =>
    async monitor =>
      void (await monitor.register({ type, name: 'other', custom: true, object: { name } }))
  const first = await engine.run(register('other'))
  expect(resourceOpsOf(first.events, 'other')).toEqual(['create'])
  expect(messagesOf(first.events, 'warning').join()).toContain('resource type is deprecated')
  expect(findResource(first.state, 'other')?.['outputs']).toMatchObject({ outputs: { foo: 'bar' } })
  const same = await engine.run(register('other'))
  expect(resourceOpsOf(same.events, 'other')).toEqual(['same'])
  expect(messagesOf(same.events, 'warning').join()).toContain('resource type is deprecated')
  const moved = await engine.run(register('life/other'))
  expect(resourceOpsOf(moved.events, 'other')).toEqual([
    ...['create-replacement', 'replace', 'delete-replaced'],
  ])
  for (const wrong of [register(7), register('nobody')])
    expect((await engine.run(wrong)).result.result).toBe('failed')
})

test('secrets of the other stack stay secret, and undecryptable ones are elided with a message', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => void (await registerThing(monitor, 'own', {})))
  const outputs: PropertyMap = new Map<string, PropertyValue>([
    ['open', 1],
    ['sec', secretOf('hidden')],
  ])
  await publishOther(engine, outputs)
  const seen: unknown[] = []
  const program: Program = async monitor => {
    seen.push((await read(monitor, 'other')).properties)
  }
  const { events, state, result } = await engine.run(program)
  expect(result.result).toBe('failed')
  expect(messagesOf(events, 'error').join()).toContain('passphrase')
  expect(JSON.stringify(state)).not.toContain('hidden')
  process.env['PULUMI_CONFIG_PASSPHRASE'] = 'wrong'
  try {
    const elided = await engine.run(program)
    expect(messagesOf(elided.events, 'info').join()).toContain('eliding undecryptable secrets')
    expect(seen).toMatchObject([{ outputs: { open: 1, sec: { value: {} } } }])
    process.env['PULUMI_CONFIG_PASSPHRASE'] = 'a passphrase that is unknown here'
    const open = await engine.run(program)
    expect(seen[1]).toMatchObject({ outputs: { sec: { value: 'hidden' } } })
    expect(seen[1]).toMatchObject({ secretOutputNames: ['sec'] })
    expect(JSON.stringify(seen[1])).toContain(secretMark)
    expect(JSON.stringify(open.state)).not.toContain('hidden')
    expect(JSON.stringify(open.events)).not.toContain('hidden')
  } finally {
    delete process.env['PULUMI_CONFIG_PASSPHRASE']
  }
})

test('functions read the outputs and the resources of another stack', async () => {
  const engine = await engines.open(createCloud())
  await publishOther(engine, new Map([['foo', 'bar']]))
  const seen: unknown[] = []
  const { result } = await engine.run(async monitor => {
    seen.push(await monitor.invoke('pulumi:pulumi:readStackOutputs', { name: 'other' }))
    const args = { stackName: 'other' }
    seen.push(await monitor.invoke('pulumi:pulumi:readStackResourceOutputs', args))
  })
  expect(result.result).toBe('succeeded')
  const urn = 'urn:pulumi:other::life::pulumi:pulumi:Stack::life-other'
  expect(seen).toEqual([
    { name: 'other', outputs: { foo: 'bar' }, secretOutputNames: [] },
    { name: 'other', outputs: { [urn]: { type: 'pulumi:pulumi:Stack', outputs: { foo: 'bar' } } } },
  ])
  const wrong = await engine.run(async monitor => {
    await monitor.invoke('pulumi:pulumi:readStackOutputs', { name: 'nobody' })
  })
  expect(wrong.result.result).toBe('failed')
})
