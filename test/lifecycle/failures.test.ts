import { afterEach, expect, test } from 'vitest'
import { createCloud } from './cloud.ts'
import { type Monitor, openEngine, type Program, type Ran, type TestEngine } from './engine.ts'

const open: TestEngine[] = []
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close()
})

async function engineOf(cloud: ReturnType<typeof createCloud>): Promise<TestEngine> {
  const engine = await openEngine(cloud.script)
  open.push(engine)
  return engine
}

const thing = (
  monitor: Monitor,
  name: string,
  object: Record<string, unknown>,
  more: object = {},
) =>
  monitor.register({
    type: 'test:index:Thing',
    name,
    custom: true,
    object,
    supportsResultReporting: true,
    ...more,
  })

const idsOf = (ran: Ran): string[] =>
  (ran.state.resources ?? []).flatMap(({ id, type }) =>
    type === 'test:index:Thing' && typeof id === 'string' ? [id] : [],
  )

const goOn = { continueOnError: true }

test('a replacement that failed leaves the old resource where it is', async () => {
  const cloud = createCloud()
  const engine = await engineOf(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      await thing(monitor, 'a', { replace: value })
    }
  await engine.run(program(1))
  cloud.faults.add('create a')
  const ran = await engine.run(program(2), goOn)
  expect(ran.result.result).toBe('failed')
  expect([...cloud.objects.keys()]).toEqual(['a-1'])
  expect(idsOf(ran)).toEqual(['a-1'])
})

test('a replacement that could not delete first loses none of its dependents', async () => {
  const cloud = createCloud()
  const engine = await engineOf(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      const first = { deleteBeforeReplace: true, deleteBeforeReplaceDefined: true }
      const root = await thing(monitor, 'root', { replace: value }, first)
      if (root.urn === '') return
      const dependencies = new Map([['replace', { urns: [root.urn] }]])
      const upon = { dependencies: [root.urn], propertyDependencies: dependencies }
      await thing(monitor, 'd1', { replace: root.id }, upon)
      await thing(monitor, 'd2', { replace: root.id }, upon)
    }
  await engine.run(program(1))
  cloud.faults.add('delete d2-1')
  const ran = await engine.run(program(2), goOn)
  expect(ran.result.result).toBe('failed')
  expect(idsOf(ran).sort()).toEqual([...cloud.objects.keys()].sort())
})

test('with an error that it went on after, a deployment has failed', async () => {
  const cloud = createCloud()
  const engine = await engineOf(cloud)
  cloud.faults.add('create a')
  const ran = await engine.run(async monitor => {
    await thing(monitor, 'a', { v: 1 })
    await thing(monitor, 'b', { v: 1 })
  }, goOn)
  expect(ran.result.result).toBe('failed')
  expect(idsOf(ran)).toEqual(['b-1'])
})

test('what goes with another in a replacement is not deleted by itself', async () => {
  const cloud = createCloud()
  const engine = await engineOf(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      const first = { deleteBeforeReplace: true, deleteBeforeReplaceDefined: true }
      const root = await thing(monitor, 'root', { replace: value }, first)
      await thing(monitor, 'inside', { v: 1 }, { deletedWith: root.urn })
    }
  await engine.run(program(1))
  await engine.run(program(2))
  expect(cloud.log).not.toContain('delete inside-1')
})

test.each(['operations.putOutcome', 'operations.select'])(
  'a store that refuses %s once loses nothing',
  async name => {
    const program: Program = async monitor => {
      await thing(monitor, 'a', { v: 1 })
    }
    const unharmed = await engineOf(createCloud())
    const effect = (await unharmed.run(program)).effects.indexOf(name) + 1
    const cloud = createCloud()
    const engine = await engineOf(cloud)
    const ran = await engine.run(program, { kill: { effect, when: 'refused' } })
    expect(ran.effects[effect - 1]).toBe(name)
    expect(ran.result.result).toBe('succeeded')
    expect(idsOf(ran)).toEqual(['a-1'])
    expect(cloud.log).toEqual(['create a'])
    expect(JSON.stringify(ran.events)).toContain('is kept: the store has a bad moment')
  },
)
