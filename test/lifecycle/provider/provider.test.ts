import { afterEach, expect, test } from 'vitest'
import { createBench } from '../bench.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program } from '../engine.ts'
import { named, stepsOf } from '../states.ts'

const bench = createBench()
afterEach(() => bench.close())

const own = async (monitor: Monitor, more: object = {}): Promise<string> => {
  const type = 'pulumi:providers:pkgA'
  const { urn, id } = await monitor.register({ type, name: 'own', custom: true, ...more })
  return `${urn}::${id}`
}

const thing = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'pkgA:m:typA', name, custom: true, object: { v: 1 }, ...more })

/** Lets DiffConfig replace the provider when its `zone` changes, maybe after its resources. */
const zoned =
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

async function lifecycle(program: Program): Promise<readonly string[]> {
  const cloud = createCloud()
  const { run } = await bench.of(cloud)
  const ops: string[] = []
  for (const command of operations) {
    await run(command === 'up' ? program : undefined, { command, dryRun: true })
    const before = cloud.log.length
    const { result } = await run(command === 'up' ? program : undefined, { command })
    ops.push(`${command} ${result.result}: ${cloud.log.slice(before).join(', ')}`)
  }
  return ops
}

const whole = [
  'up succeeded: create a',
  'up succeeded: ',
  'refresh succeeded: ',
  'destroy succeeded: delete a-1',
]

test('TestSingleResourceDefaultProviderLifecycle: made, unchanged, refreshed, deleted, each with its preview', async () => {
  expect(await lifecycle(async monitor => void (await thing(monitor, 'a')))).toEqual(whole)
})

test('TestSingleResourceExplicitProviderLifecycle: the same under a provider of its own', async () => {
  const program: Program = async monitor =>
    void (await thing(monitor, 'a', { provider: await own(monitor) }))
  expect(await lifecycle(program)).toEqual(whole)
})

test('TestSingleResourceDefaultProviderUpgrade: another version is another provider; the resource moves without a step', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud)
  const at =
    (version: string): Program =>
    async monitor =>
      void (await thing(monitor, 'a', { version }))
  await run(at(''))
  const { state, events, result } = await run(at('1.0.0'))
  expect(stepsOf(events, 'a')).toEqual(['same'])
  expect(named(state, 'default')).toBeUndefined()
  expect(named(state, 'a')?.['provider']).toContain('::default_1_0_0::')
  expect(result.changes).toEqual({ same: 2 })
  expect(cloud.log).toEqual(['create a'])
})

test('TestDefaultProviderDiff: versions side by side, none of them a reason to replace', async () => {
  const cloud = createCloud()
  const { run, plugins } = await bench.of(cloud)
  const at =
    (a: string, b: string): Program =>
    async monitor => {
      await thing(monitor, 'a', { version: a })
      await thing(monitor, 'b', { version: b })
    }
  await run(at('', ''))
  await run(at('0.17.10', '0.17.10'))
  plugins.take()
  const { state, events } = await run(at('0.17.11', '0.17.12'))
  expect([...stepsOf(events, 'a'), ...stepsOf(events, 'b')]).toEqual(['same', 'same'])
  expect(named(state, 'a')?.['provider']).toContain('::default_0_17_11::')
  expect(named(state, 'b')?.['provider']).toContain('::default_0_17_12::')
  expect(plugins.take().map(({ plugin }) => plugin.version)).toEqual(['0.17.11', '0.17.12'])
  expect(cloud.log).toEqual(['create a', 'create b'])
})

const configured = (zone: string) => ({ configured: { 'pkgA:zone': { text: zone } } })

test('TestSingleResourceDefaultProviderReplace: a provider that must be replaced replaces what is its', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud, zoned())
  const program: Program = async monitor => void (await thing(monitor, 'a'))
  await run(program, configured('1'))
  const { events, result } = await run(program, configured('2'))
  expect(result.result).toBe('succeeded')
  expect(stepsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
  expect(cloud.log).toEqual(['create a', 'create a', 'delete a-1'])
})

test('TestDefaultProviderDiffReplacement: the provider of another version may say that its resources are to be replaced', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud, () => ({
    diffConfig: () => ({ ...replacing, replaces: ['id'] }),
  }))
  const at =
    (version: string): Program =>
    async monitor =>
      void (await thing(monitor, 'a', { version }))
  await run(at('1.0.0'))
  const { events } = await run(at('1.1.0'))
  expect(stepsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
})

const replacing = {
  changes: 2,
  replaces: [] as string[],
  diffs: [],
  stables: [],
  deleteBeforeReplace: false,
  detailedDiff: new Map(),
  hasDetailedDiff: false,
}

const zone =
  (value: string, more: object = {}, name = 'a'): Program =>
  async monitor => {
    const provider = await own(monitor, { object: { zone: value }, ...more })
    await thing(monitor, name, { provider })
  }

test('TestSingleResourceExplicitProviderReplace: an explicit provider that must be replaced replaces what is its', async () => {
  const cloud = createCloud()
  const { run, plugins } = await bench.of(cloud, zoned())
  await run(zone('1'))
  plugins.take()
  const { events, state } = await run(zone('2'))
  expect(stepsOf(events, 'own')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
  expect(stepsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
  expect(named(state, 'own')?.['inputs']).toEqual({ zone: '2' })
  // What is old is deleted by the old instance, configured from the state.
  const deleting = plugins.take().filter(one => one.heard().includes('delete'))
  expect(deleting.map(one => one.asked('configure')['args'])).toEqual([{ zone: '1' }])
})

test('TestExplicitProviderDiffReplacement: moving to a provider of other settings replaces where it says so', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud, zoned())
  await run(zone('1'))
  const { events } = await run(zone('2', { name: 'other' }))
  expect(stepsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
  const { events: again } = await run(zone('2', { name: 'third' }))
  expect(stepsOf(again, 'a')).toEqual(['same'])
})

test('what names a provider that an interrupted deployment replaced is held to the one that lives', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud, zoned())
  await run(zone('1'))
  const failing: Program = async monitor => {
    await own(monitor, { object: { zone: '2' } })
    throw new Error('the program fails')
  }
  expect((await run(failing)).result.result).toBe('failed')
  const { events, state } = await run(zone('2'))
  expect([...stepsOf(events, 'a'), ...stepsOf(events, 'own')]).toEqual([
    'same',
    'same',
    'delete-replaced',
  ])
  const provider = named(state, 'own')
  expect(named(state, 'a')?.['provider']).toBe(
    `${provider?.urn ?? ''}::${provider?.['id'] as string}`,
  )
  expect(cloud.log).toEqual(['create a'])
})

test('TestSingleResourceExplicitProviderDeleteBeforeReplace: one that must go first lets what is its go before', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud, zoned(true))
  await run(zone('1'))
  const { events, result } = await run(zone('2'))
  expect(result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['create a', 'delete a-1', 'create a'])
  const order = events.flatMap(event =>
    'resourcePreEvent' in event && /::(own|a)$/.test(event.resourcePreEvent.metadata.urn)
      ? [
          `${event.resourcePreEvent.metadata.op} ${event.resourcePreEvent.metadata.urn.split('::').at(-1)}`,
        ]
      : [],
  )
  expect(order.slice(0, 2)).toEqual(['delete-replaced a', 'delete-replaced own'])
})

const renamed = {
  aliases: [
    {
      alias: {
        $case: 'spec' as const,
        value: { name: 'own', type: '', stack: '', project: '', parent: undefined },
      },
    },
  ],
}

test('TestSingleResourceExplicitProviderAliasUpdateDelete: a renamed provider serves what was made under its old name', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud)
  await run(zone('1'))
  const moved: Program = async monitor => {
    const provider = await own(monitor, { name: 'new', object: { zone: '1' }, ...renamed })
    await thing(monitor, 'a', { provider, object: { v: 2 } })
  }
  const { events, state, result } = await run(moved)
  expect(result.result).toBe('succeeded')
  expect(stepsOf(events, 'new')).toEqual(['same'])
  expect(stepsOf(events, 'a')).toEqual(['update'])
  expect(named(state, 'a')?.['provider']).toContain('::new::')
  const gone = await run(
    async monitor =>
      void (await own(monitor, {
        name: 'newer',
        object: { zone: '1' },
        aliases: [
          { alias: { $case: 'spec', value: { ...renamed.aliases[0]?.alias.value, name: 'new' } } },
        ],
      })),
  )
  expect(gone.result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['create a', 'update a-1', 'delete a-1'])
})

test('TestSingleResourceExplicitProviderAliasReplace: a renamed provider that must be replaced replaces what is its', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud, zoned())
  await run(zone('1'))
  await run(zone('1', { name: 'new', ...renamed }))
  const { events, result } = await run(zone('2', { name: 'new', ...renamed }))
  expect(result.result).toBe('succeeded')
  expect(stepsOf(events, 'a')).toEqual(['create-replacement', 'replace', 'delete-replaced'])
})

// A quirk of the original: the new name alone decides that it is the same provider.
test('a provider that is renamed and replaced at once replaces nothing of what is its', async () => {
  const cloud = createCloud()
  const { run } = await bench.of(cloud, zoned())
  await run(zone('1'))
  const { events, state, result } = await run(zone('2', { name: 'new', ...renamed }))
  expect(result.result).toBe('succeeded')
  expect(stepsOf(events, 'a')).toEqual(['same'])
  expect(named(state, 'a')?.['provider']).toContain('::new::')
  expect(cloud.log).toEqual(['create a'])
})

test('TestProviderSameStep: a provider of which nothing differs is configured as it was, and its new inputs are kept', async () => {
  const { run, plugins } = await bench.of(createCloud(), () => ({
    diffConfig: () => ({ ...replacing, changes: 1 }),
  }))
  const at =
    (value: string): Program =>
    async monitor =>
      void (await thing(monitor, 'a', { provider: await own(monitor, { object: { value } }) }))
  await run(at('100'))
  plugins.take()
  const { state } = await run(at('200'))
  const [first] = plugins.take()
  expect(first?.asked('configure')['args']).toEqual({ value: '100' })
  expect(named(state, 'own')).toMatchObject({ inputs: { value: '200' }, outputs: { value: '100' } })
})

test('TestMalformedProvider: what is no provider reference is told to the program, which may go on', async () => {
  const { run } = await bench.of(createCloud())
  const refusals: string[] = []
  const { result } = await run(async monitor => {
    const { urn } = await monitor.register({
      type: 'pulumi:providers:pkgA',
      name: 'own',
      custom: true,
    })
    for (const provider of [urn, 'hello world'])
      await thing(monitor, 'a', { provider }).catch((thrown: Error) =>
        refusals.push(thrown.message),
      )
  })
  expect(refusals).toEqual([
    expect.stringContaining('could not parse provider reference'),
    expect.stringContaining('could not parse provider reference'),
  ])
  expect(result.result).toBe('succeeded')
})

test('TestMissingIDRefresh: a read without an id says that the resource is gone, whatever else it says', async () => {
  const { run } = await bench.of(createCloud(), () => ({
    read: ({ inputs, properties }: { inputs?: object; properties?: object }) => ({
      id: '',
      inputs,
      properties,
      refreshBeforeUpdate: false,
    }),
  }))
  await run(async monitor => void (await thing(monitor, 'a')))
  const { state, result } = await run(undefined, { command: 'refresh' })
  expect(result.result).toBe('succeeded')
  expect(named(state, 'a')).toBeUndefined()
})
