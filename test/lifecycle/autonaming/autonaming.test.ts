import { afterEach, expect, test } from 'vitest'
import {
  type CheckRequest,
  CheckResponse,
  ConfigureResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { Autonaming, Naming } from '../../../shared/names/automatic-name.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Ran } from '../engine.ts'
import { createEngines, thing, things } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

interface Told {
  readonly name: string
  readonly naming: CheckRequest['autonaming']
  readonly seed: string
}

/** A cloud whose provider notes what Check is told of names, if it can be told. */
function namingCloud(canBeTold = true): { readonly cloud: Cloud; readonly told: Told[] } {
  const plain = createCloud()
  const told: Told[] = []
  const script = {
    ...plain.script,
    configure: () =>
      ConfigureResponse.create({
        acceptSecrets: true,
        supportsPreview: true,
        supportsAutonamingConfiguration: canBeTold,
      }),
    check: ({ name, autonaming, randomSeed, news }: CheckRequest) => {
      told.push({ name, naming: autonaming, seed: Buffer.from(randomSeed).toString('hex') })
      return CheckResponse.create({ inputs: news ?? {} })
    },
  }
  return { cloud: { ...plain, script }, told }
}

const all = (naming: Naming): Autonaming => ({ all: naming, packages: new Map() })
const ops = ({ events }: Ran, name: string): readonly string[] =>
  events.flatMap(event =>
    'resourcePreEvent' in event && event.resourcePreEvent.metadata.urn.endsWith(`::${name}`)
      ? [event.resourcePreEvent.metadata.op]
      : [],
  )
const deletesFirst = ['delete-replaced', 'replace', 'create-replacement']

test('TestAutonaming: Check is told the name and the mode, and a name without chance is deleted first', async () => {
  const { cloud, told } = namingCloud()
  const engine = await engines.of(cloud)
  const request = { autonaming: all({ kind: 'verbatim' }) }
  await engine.run(things({ a: { replace: 1 } }), { request })
  expect(told.map(({ naming }) => naming)).toEqual([{ proposedName: 'a', mode: 1 }])
  const replaced = await engine.run(things({ a: { replace: 2 } }), { request })
  expect([...ops(replaced, 'a')].sort()).toEqual([...deletesFirst].sort())
  expect(cloud.log).toEqual(['create a', 'delete a-1', 'create a'])
  // Both Checks of a replacement have one seed, so that both get one name.
  const [, first, again] = told
  expect(again?.seed).toBe(first?.seed)
})

test('a pattern with chance is proposed, and replaced by creating first', async () => {
  const { cloud, told } = namingCloud()
  const engine = await engines.of(cloud)
  const pattern = { kind: 'pattern', pattern: '${name}-${hex(6)}', enforce: false } as const
  const request = { autonaming: all(pattern) }
  await engine.run(things({ a: { replace: 1 } }), { request })
  expect(told[0]?.naming?.mode).toBe(0)
  expect(told[0]?.naming?.proposedName).toMatch(/^a-[0-9a-f]{6}$/)
  await engine.run(things({ a: { replace: 2 } }), { request })
  expect(cloud.log).toEqual(['create a', 'create a', 'delete a-1'])
  expect(told[2]?.naming).toEqual(told[1]?.naming)
})

test('a disabled name is told as disabled; without a configuration nothing is told', async () => {
  const { cloud, told } = namingCloud()
  const engine = await engines.of(cloud)
  const request = { autonaming: all({ kind: 'disabled' }) }
  await engine.run(things({ a: { v: 1 } }), { request })
  await engine.run(things({ a: { v: 2 } }))
  expect(told.map(({ naming }) => naming)).toEqual([{ proposedName: '', mode: 2 }, undefined])
})

test.each([
  ['for its package', { all: { kind: 'default' }, enforce: false }, 1],
  ['for all', { all: { kind: 'verbatim' }, enforce: true }, 0],
] as const)(
  'a provider that cannot be told a name that is set %s',
  async (_name, how, warnings) => {
    const { cloud, told } = namingCloud(false)
    const engine = await engines.of(cloud)
    const own = new Map([['test', { all: { kind: 'verbatim' } as const, types: new Map() }]])
    const autonaming = { all: how.all, packages: how.enforce ? new Map() : own }
    const ran = await engine.run(
      async monitor => {
        await thing(monitor, 'a', { v: 1 })
      },
      { request: { autonaming } },
    )
    expect(ran.result.result).toBe('succeeded')
    expect(told[0]?.naming).toBeUndefined()
    const said = ran.events.flatMap(event =>
      'diagnosticEvent' in event && event.diagnosticEvent.severity === 'warning'
        ? [event.diagnosticEvent.message]
        : [],
    )
    expect(said.filter(text => text.includes('custom autonaming setting'))).toHaveLength(warnings)
  },
)
