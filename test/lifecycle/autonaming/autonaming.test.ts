import { afterEach, expect, test } from 'vitest'
import {
  type CheckRequest,
  CheckResponse,
  ConfigureResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { Autonaming, NamingRule } from '../../../shared/names/propose-name.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { TestRun } from '../engine.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** The naming options of a Check. Their modes: propose (0), enforce (1) and disable (2). */
interface ReceivedNaming {
  readonly name: string
  readonly naming: CheckRequest['autonaming']
  readonly seed: string
}

/** Creates a cloud whose provider records the naming options of each Check, if it supports them. */
function createNamingCloud(supportsNaming = true): {
  readonly cloud: Cloud
  readonly namings: ReceivedNaming[]
} {
  const plain = createCloud()
  const namings: ReceivedNaming[] = []
  const script = {
    ...plain.script,
    configure: () =>
      ConfigureResponse.create({
        acceptSecrets: true,
        supportsPreview: true,
        supportsAutonamingConfiguration: supportsNaming,
      }),
    check: ({ name, autonaming, randomSeed, news }: CheckRequest) => {
      namings.push({ name, naming: autonaming, seed: Buffer.from(randomSeed).toString('hex') })
      return CheckResponse.create({ inputs: news ?? {} })
    },
  }
  return { cloud: { ...plain, script }, namings }
}

const nameAllWith = (naming: NamingRule): Autonaming => ({ general: naming, packages: new Map() })
const readOps = ({ events }: TestRun, name: string): readonly string[] =>
  events.flatMap(event =>
    'resourcePreEvent' in event && event.resourcePreEvent.metadata.urn.endsWith(`::${name}`)
      ? [event.resourcePreEvent.metadata.op]
      : [],
  )
const deletesFirst = ['delete-replaced', 'replace', 'create-replacement']

test('TestAutonaming: Check receives name and mode, and a resource with a fixed name is deleted before its replacement', async () => {
  const { cloud, namings } = createNamingCloud()
  const engine = await engines.open(cloud)
  const request = { autonaming: nameAllWith({ kind: 'verbatim' }) }
  await engine.run(createThings({ a: { replace: 1 } }), { request })
  expect(namings.map(({ naming }) => naming)).toEqual([{ proposedName: 'a', mode: 1 }])
  const replaced = await engine.run(createThings({ a: { replace: 2 } }), { request })
  expect([...readOps(replaced, 'a')].sort()).toEqual([...deletesFirst].sort())
  expect(cloud.mutatingCalls).toEqual(['create a', 'delete a-1', 'create a'])
  // Both Checks of a replacement have one seed. The provider then makes the same name in both.
  const [, first, again] = namings
  expect(again?.seed).toBe(first?.seed)
})

test('a name from a pattern with random characters is proposed, and a replacement is created before the delete', async () => {
  const { cloud, namings } = createNamingCloud()
  const engine = await engines.open(cloud)
  const pattern = { kind: 'pattern', pattern: '${name}-${hex(6)}', enforce: false } as const
  const request = { autonaming: nameAllWith(pattern) }
  await engine.run(createThings({ a: { replace: 1 } }), { request })
  expect(namings[0]?.naming?.mode).toBe(0)
  expect(namings[0]?.naming?.proposedName).toMatch(/^a-[0-9a-f]{6}$/)
  await engine.run(createThings({ a: { replace: 2 } }), { request })
  expect(cloud.mutatingCalls).toEqual(['create a', 'create a', 'delete a-1'])
  expect(namings[2]?.naming).toEqual(namings[1]?.naming)
})

test('disabled naming is passed to Check; without a configuration nothing is passed', async () => {
  const { cloud, namings } = createNamingCloud()
  const engine = await engines.open(cloud)
  const request = { autonaming: nameAllWith({ kind: 'disabled' }) }
  await engine.run(createThings({ a: { v: 1 } }), { request })
  await engine.run(createThings({ a: { v: 2 } }))
  expect(namings.map(({ naming }) => naming)).toEqual([{ proposedName: '', mode: 2 }, undefined])
})

test.each([
  ['for its own package', { general: { kind: 'default' }, namesAll: false }, 1],
  ['for all packages', { general: { kind: 'verbatim' }, namesAll: true }, 0],
] as const)(
  'a provider without support ignores a name that is configured %s',
  async (_name, setting, warningCount) => {
    const { cloud, namings } = createNamingCloud(false)
    const engine = await engines.open(cloud)
    const own = new Map([['test', { general: { kind: 'verbatim' } as const, types: new Map() }]])
    const autonaming = { general: setting.general, packages: setting.namesAll ? new Map() : own }
    const testRun = await engine.run(
      async monitor => {
        await registerThing(monitor, 'a', { v: 1 })
      },
      { request: { autonaming } },
    )
    expect(testRun.result.result).toBe('succeeded')
    expect(namings[0]?.naming).toBeUndefined()
    const warningTexts = testRun.events.flatMap(event =>
      'diagnosticEvent' in event && event.diagnosticEvent.severity === 'warning'
        ? [event.diagnosticEvent.message]
        : [],
    )
    expect(warningTexts.filter(text => text.includes('custom autonaming setting'))).toHaveLength(
      warningCount,
    )
  },
)
