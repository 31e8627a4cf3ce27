import { afterEach, expect, test } from 'vitest'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'
import type { StoredResource } from '../../../shared/state/stored.ts'
import type { Monitor, Program, TestRunOptions } from '../engine.ts'
import { editStackResources, findResource, resourceOpsOf } from '../stack-states.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

const registerOwnProvider = async (monitor: Monitor, more: object = {}): Promise<string> => {
  const type = 'pulumi:providers:pkgA'
  const { urn, id } = await monitor.register({ type, name: 'own', custom: true, ...more })
  return `${urn}::${id}`
}

const registerThing = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'pkgA:m:typA', name, custom: true, object: { v: 1 }, ...more })

/**
 * Returns a provider script whose DiffConfig requests a replacement when `zone` changes. Optionally
 * the old provider is deleted first.
 */
const createZonedScript =
  (deleteBeforeReplace = false) =>
  () => ({
    diffConfig: ({
      oldInputs,
      news,
    }: {
      oldInputs?: { zone?: string }
      news?: { zone?: string }
    }) => {
      const isChanged = oldInputs?.zone !== news?.zone
      // 1 is DIFF_NONE, 2 is DIFF_SOME.
      return {
        changes: isChanged ? 2 : 1,
        replaces: isChanged ? ['zone'] : [],
        diffs: [],
        stables: [],
        deleteBeforeReplace,
        detailedDiff: new Map(),
        hasDetailedDiff: false,
      }
    },
  })

const operations = ['up', 'up', 'refresh', 'destroy'] as const

async function runLifecycle(program: Program): Promise<readonly string[]> {
  const cloud = createCloud()
  const { run } = await engines.open(cloud)
  const ops: string[] = []
  for (const command of operations) {
    await run(command === 'up' ? program : undefined, { command, dryRun: true })
    const before = cloud.mutatingCalls.length
    const { result } = await run(command === 'up' ? program : undefined, { command })
    ops.push(`${command} ${result.result}: ${cloud.mutatingCalls.slice(before).join(', ')}`)
  }
  return ops
}

const expectedLifecycle = [
  'up succeeded: create a',
  'up succeeded: ',
  'refresh succeeded: ',
  'destroy succeeded: delete a-1',
]

test('TestSingleResourceDefaultProviderLifecycle: a resource is created, kept, refreshed and deleted, with a preview of each', async () => {
  expect(await runLifecycle(async monitor => void (await registerThing(monitor, 'a')))).toEqual(
    expectedLifecycle,
  )
})

test('TestSingleResourceExplicitProviderLifecycle: a resource of an explicit provider is created, kept, refreshed and deleted, too', async () => {
  const program: Program = async monitor =>
    void (await registerThing(monitor, 'a', { provider: await registerOwnProvider(monitor) }))
  expect(await runLifecycle(program)).toEqual(expectedLifecycle)
})

const secretForm = {
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  ciphertext: expect.any(String),
}

/** Returns the resources of a state that an early version of Pulumi wrote: they have no providers. */
const removeProviders = (resource: StoredResource): readonly StoredResource[] => {
  const { provider: _provider, ...otherFields } = resource
  return resource.type === 'pulumi:providers:pkgA' ? [] : [otherFields]
}

test('TestSingleResourceDefaultProviderUpgrade: a state without providers gets default providers, without a change of its resources', async () => {
  const program: Program = async monitor => void (await registerThing(monitor, 'a'))
  const runFromEarlyState = async (options: TestRunOptions) => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const configTexts = { 'pkgA:key': { text: 'hush', isSecret: true } }
    await engine.run(program)
    await editStackResources(engine, removeProviders)
    const callCount = cloud.mutatingCalls.length
    const isUp = options.command === undefined
    const outcome = await engine.run(isUp ? program : undefined, {
      ...options,
      configTexts,
    })
    const again = await engine.run(program, { configTexts })
    return { ...outcome, again: again.result.changes, calls: cloud.mutatingCalls.slice(callCount) }
  }
  const updated = await runFromEarlyState({})
  expect(updated.calls).toEqual([])
  expect(updated.result.changes).toEqual({ same: 2 })
  const provider = findResource(updated.state, 'default')
  expect(provider?.['inputs']).toEqual({ key: secretForm })
  expect(provider?.['outputs']).toEqual({ key: secretForm })
  const reference = findResource(updated.state, 'a')?.['provider']
  expect(reference).toEqual(expect.stringContaining('::pulumi:providers:pkgA::default::'))
  expect(reference).toContain(provider?.['id'])
  expect(updated.again).toEqual({ same: 2 })
  const refreshed = await runFromEarlyState({ command: 'refresh' })
  expect(refreshed.result.result).toBe('succeeded')
  expect(refreshed.calls).toEqual([])
  expect(findResource(refreshed.state, 'a')?.['provider']).toContain('::default::')
  const destroyed = await runFromEarlyState({ command: 'destroy' })
  expect(destroyed.calls).toEqual(['delete a-1', 'create a'])
  expect(destroyed.state.resources ?? []).toEqual([])
  const previewed = await runFromEarlyState({ dryRun: true })
  expect(previewed.result.changes).toEqual({ same: 2 })
})

test('another version is another provider, and the resource moves to it without a change', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud)
  const createAt =
    (version: string): Program =>
    async monitor =>
      void (await registerThing(monitor, 'a', { version }))
  await run(createAt(''))
  const { state, events, result } = await run(createAt('1.0.0'))
  expect(resourceOpsOf(events, 'a')).toEqual(['same'])
  expect(findResource(state, 'default')).toBeUndefined()
  expect(findResource(state, 'a')?.['provider']).toContain('::default_1_0_0::')
  expect(result.changes).toEqual({ same: 2 })
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

test('TestDefaultProviderDiff: several versions coexist, and none causes a replacement', async () => {
  const cloud = createCloud()
  const { run, plugins } = await engines.open(cloud)
  const createAt =
    (versionOfA: string, versionOfB: string): Program =>
    async monitor => {
      await registerThing(monitor, 'a', { version: versionOfA })
      await registerThing(monitor, 'b', { version: versionOfB })
    }
  await run(createAt('', ''))
  await run(createAt('0.17.10', '0.17.10'))
  plugins.takeLoaded()
  const { state, events } = await run(createAt('0.17.11', '0.17.12'))
  expect([...resourceOpsOf(events, 'a'), ...resourceOpsOf(events, 'b')]).toEqual(['same', 'same'])
  expect(findResource(state, 'a')?.['provider']).toContain('::default_0_17_11::')
  expect(findResource(state, 'b')?.['provider']).toContain('::default_0_17_12::')
  expect(plugins.takeLoaded().map(({ plugin }) => plugin.version)).toEqual(['0.17.11', '0.17.12'])
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
})

const configureZone = (zone: string) => ({ configTexts: { 'pkgA:zone': { text: zone } } })

test('TestSingleResourceDefaultProviderReplace: the replacement of a default provider replaces its resources', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud, createZonedScript())
  const program: Program = async monitor => void (await registerThing(monitor, 'a'))
  await run(program, configureZone('1'))
  const { events, result } = await run(program, configureZone('2'))
  expect(result.result).toBe('succeeded')
  expect(resourceOpsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
  expect(cloud.mutatingCalls).toEqual(['create a', 'create a', 'delete a-1'])
})

test('TestDefaultProviderDiffReplacement: the provider of another version can request the replacement of the resources that move to it', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud, () => ({
    diffConfig: () => ({ ...changedDiff, replaces: ['id'] }),
  }))
  const createAt =
    (version: string): Program =>
    async monitor =>
      void (await registerThing(monitor, 'a', { version }))
  await run(createAt('1.0.0'))
  const { events } = await run(createAt('1.1.0'))
  expect(resourceOpsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
})

const changedDiff = {
  changes: 2,
  replaces: [] as string[],
  diffs: [],
  stables: [],
  deleteBeforeReplace: false,
  detailedDiff: new Map(),
  hasDetailedDiff: false,
}

const createInZone =
  (value: string, more: object = {}, name = 'a'): Program =>
  async monitor => {
    const provider = await registerOwnProvider(monitor, { object: { zone: value }, ...more })
    await registerThing(monitor, name, { provider })
  }

test('TestSingleResourceExplicitProviderReplace: the replacement of an explicit provider replaces its resources', async () => {
  const cloud = createCloud()
  const { run, plugins } = await engines.open(cloud, createZonedScript())
  await run(createInZone('1'))
  plugins.takeLoaded()
  const { events, state } = await run(createInZone('2'))
  expect(resourceOpsOf(events, 'own')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
  expect(resourceOpsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
  expect(findResource(state, 'own')?.['inputs']).toEqual({ zone: '2' })
  // The old instance, configured from the state, deletes the old object.
  const deleting = plugins.takeLoaded().filter(plugin => plugin.listCalls().includes('delete'))
  expect(deleting.map(plugin => plugin.requestOf('configure')['args'])).toEqual([{ zone: '1' }])
})

test('TestExplicitProviderDiffReplacement: a move to a provider with other settings replaces a resource if the provider requests that', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud, createZonedScript())
  await run(createInZone('1'))
  const { events } = await run(createInZone('2', { name: 'other' }))
  expect(resourceOpsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
  const { events: again } = await run(createInZone('2', { name: 'third' }))
  expect(resourceOpsOf(again, 'a')).toEqual(['same'])
})

test('a resource whose provider an interrupted deployment replaced is compared with the current provider', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud, createZonedScript())
  await run(createInZone('1'))
  const failingProgram: Program = async monitor => {
    await registerOwnProvider(monitor, { object: { zone: '2' } })
    throw new Error('the program fails')
  }
  expect((await run(failingProgram)).result.result).toBe('failed')
  const { events, state } = await run(createInZone('2'))
  expect([...resourceOpsOf(events, 'a'), ...resourceOpsOf(events, 'own')]).toEqual([
    'same',
    'same',
    'delete-replaced',
  ])
  const provider = findResource(state, 'own')
  expect(findResource(state, 'a')?.['provider']).toBe(
    `${provider?.urn ?? ''}::${provider?.['id'] as string}`,
  )
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

test('TestSingleResourceExplicitProviderDeleteBeforeReplace: if a provider is deleted before its replacement, its resources are deleted before it', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud, createZonedScript(true))
  await run(createInZone('1'))
  const { events, result } = await run(createInZone('2'))
  expect(result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a', 'delete a-1', 'create a'])
  const order = events.flatMap(event =>
    'resourcePreEvent' in event && /::(own|a)$/.test(event.resourcePreEvent.metadata.urn)
      ? [
          `${event.resourcePreEvent.metadata.op} ${event.resourcePreEvent.metadata.urn.split('::').at(-1)}`,
        ]
      : [],
  )
  expect(order.slice(0, 2)).toEqual(['delete-replaced a', 'delete-replaced own'])
})

/** The option of a provider that was named `own` before. */
const aliasOfOwn = {
  aliases: [
    {
      alias: {
        $case: 'spec' as const,
        value: { name: 'own', type: '', stack: '', project: '', parent: undefined },
      },
    },
  ],
}

test('TestSingleResourceExplicitProviderAliasUpdateDelete: a renamed provider serves the resources of its old name', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud)
  await run(createInZone('1'))
  const movedProgram: Program = async monitor => {
    const provider = await registerOwnProvider(monitor, {
      name: 'new',
      object: { zone: '1' },
      ...aliasOfOwn,
    })
    await registerThing(monitor, 'a', { provider, object: { v: 2 } })
  }
  const { events, state, result } = await run(movedProgram)
  expect(result.result).toBe('succeeded')
  expect(resourceOpsOf(events, 'new')).toEqual(['same'])
  expect(resourceOpsOf(events, 'a')).toEqual(['update'])
  expect(findResource(state, 'a')?.['provider']).toContain('::new::')
  const deleteRun = await run(
    async monitor =>
      void (await registerOwnProvider(monitor, {
        name: 'newer',
        object: { zone: '1' },
        aliases: [
          {
            alias: { $case: 'spec', value: { ...aliasOfOwn.aliases[0]?.alias.value, name: 'new' } },
          },
        ],
      })),
  )
  expect(deleteRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a', 'update a-1', 'delete a-1'])
})

test('TestSingleResourceExplicitProviderAliasReplace: the replacement of a renamed provider replaces its resources', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud, createZonedScript())
  await run(createInZone('1'))
  await run(createInZone('1', { name: 'new', ...aliasOfOwn }))
  const { events, result } = await run(createInZone('2', { name: 'new', ...aliasOfOwn }))
  expect(result.result).toBe('succeeded')
  expect(resourceOpsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
})

// As in Pulumi, resources count a provider as unchanged if an alias of it is their old provider.
test('a provider that is renamed and replaced in one deployment does not replace its resources', async () => {
  const cloud = createCloud()
  const { run } = await engines.open(cloud, createZonedScript())
  await run(createInZone('1'))
  const { events, state, result } = await run(createInZone('2', { name: 'new', ...aliasOfOwn }))
  expect(result.result).toBe('succeeded')
  expect(resourceOpsOf(events, 'a')).toEqual(['same'])
  expect(findResource(state, 'a')?.['provider']).toContain('::new::')
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

test('TestProviderSameStep: a provider without a difference keeps its old configuration, and its new inputs are stored', async () => {
  const { run, plugins } = await engines.open(createCloud(), () => ({
    diffConfig: () => ({ ...changedDiff, changes: 1 }),
  }))
  const createWithSetting =
    (value: string): Program =>
    async monitor =>
      void (await registerThing(monitor, 'a', {
        provider: await registerOwnProvider(monitor, { object: { value } }),
      }))
  await run(createWithSetting('100'))
  plugins.takeLoaded()
  const { state } = await run(createWithSetting('200'))
  const [first] = plugins.takeLoaded()
  expect(first?.requestOf('configure')['args']).toEqual({ value: '100' })
  expect(findResource(state, 'own')).toMatchObject({
    inputs: { value: '200' },
    outputs: { value: '100' },
  })
})

test('TestMalformedProvider: an invalid provider reference is an error of the program, which may continue', async () => {
  const { run } = await engines.open(createCloud())
  const refusals: string[] = []
  const { result } = await run(async monitor => {
    const { urn } = await monitor.register({
      type: 'pulumi:providers:pkgA',
      name: 'own',
      custom: true,
    })
    for (const provider of [urn, 'hello world'])
      await registerThing(monitor, 'a', { provider }).catch((thrown: Error) =>
        refusals.push(thrown.message),
      )
  })
  expect(refusals).toEqual([
    expect.stringContaining('could not parse provider reference'),
    expect.stringContaining('could not parse provider reference'),
  ])
  expect(result.result).toBe('succeeded')
})

test('TestMissingIDRefresh: a read response without an id means that the object is gone', async () => {
  const { run } = await engines.open(createCloud(), () => ({
    read: ({ inputs, properties }: { inputs?: object; properties?: object }) => ({
      id: '',
      inputs,
      properties,
      refreshBeforeUpdate: false,
    }),
  }))
  await run(async monitor => void (await registerThing(monitor, 'a')))
  const { state, result } = await run(undefined, { command: 'refresh' })
  expect(result.result).toBe('succeeded')
  expect(findResource(state, 'a')).toBeUndefined()
})
