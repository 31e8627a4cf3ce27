import { describe, expect, test } from 'vitest'
import { type PropertyValue, secretOf } from '../../values/value.ts'
import type { ProviderCheckRequest } from './check-request.ts'
import { allContracts } from './contracts.ts'
import {
  createMemoryCloud,
  type MemoryCloud,
  type MemoryDefect,
  openMemoryProvider,
} from './memory-provider.fixture.ts'
import { type ProviderReport, resultOf } from './report.ts'
import { runProviderChecks } from './run-checks.ts'

const token = 'mem:index:Thing'

const inputsOf = (inputs: Readonly<Record<string, PropertyValue>>) =>
  new Map(Object.entries(inputs))

const baseInputs = { name: 'a', size: 1, zone: 'z', key: secretOf('hunter2') }

const config = {
  provider: new Map(),
  types: new Map([
    [token, [inputsOf(baseInputs), inputsOf({ ...baseInputs, size: 2, zone: 'y' })]],
  ]),
}

function check(
  cloud: MemoryCloud,
  defects: readonly MemoryDefect[],
  options: Partial<ProviderCheckRequest> = {},
): Promise<ProviderReport> {
  return runProviderChecks({
    name: 'mem',
    protocol: 'pulumi',
    open: async () => openMemoryProvider(cloud, defects),
    config,
    typeTokens: [],
    label: 'label',
    callTimeoutMs: 10_000,
    isInterrupted: () => false,
    nowMs: () => 0,
    ...options,
  })
}

const listResults = ({ entries }: ProviderReport, result: string): readonly string[] =>
  entries.filter(entry => resultOf(entry) === result).map(({ contract }) => contract.id)

const failuresOf = (report: ProviderReport): readonly string[] => listResults(report, 'failed')

const resultFor = ({ entries }: ProviderReport, id: string): string | undefined => {
  const entry = entries.find(({ contract }) => contract.id === id)
  return entry && resultOf(entry)
}

/** The contracts that only warn of a defect, by the defect. */
const warningsByDefect: Readonly<Partial<Record<MemoryDefect, readonly string[]>>> = {
  'refuses imports': ['import'],
  'finds missing objects': ['import-missing'],
  'reads deleted objects': ['read-deleted'],
}

/** The contracts that fail because of a defect, by the defect. */
const failuresByDefect: Readonly<Partial<Record<MemoryDefect, readonly string[]>>> = {
  'schema flaw': ['schema-valid'],
  'new schema each time': ['schema-stable'],
  'refuses config': ['config-accepted'],
  'fails to configure': ['configure'],
  'crashes on unknown types': ['unknown-type'],
  'accepts unknown functions': ['unknown-function'],
  'dies on cancel': ['cancel'],
  'refuses inputs': ['check-accepts'],
  'renames in each check': ['check-stable', 'concurrent'],
  'guesses unknowns in check': ['check-unknowns', 'preview-unknowns'],
  'accepts missing': ['check-missing'],
  'accepts wrong types': ['check-wrong-type'],
  'crashes on lists': ['check-wrong-type', 'check-malformed'],
  'creates in preview': ['preview-create'],
  'previews a random value': ['preview-stable', 'create-as-previewed'],
  'refuses unknowns in preview': ['preview-unknowns'],
  'loses secrets in preview': ['preview-secrets'],
  'fails to create': ['create'],
  'fails with a secret': ['create'],
  'creates partly': ['create'],
  'leaves outputs unknown': ['create'],
  'breaks promises': ['create-as-previewed'],
  'returns a plain token': ['create-secrets'],
  'always differs': ['settled-after-create'],
  'differs the second time': ['diff-stable'],
  'reads other values': ['read'],
  'reads plain secrets': ['read-secrets'],
  'imports other values': ['import'],
  'ignores changes': ['diff-finds-change'],
  'replaces by unchanged keys': ['replace-keys'],
  'fails to update': ['update'],
  'breaks promises of updates': ['update-as-previewed'],
  'forgets updates': ['settled-after-update', 'concurrent'],
  'mixes up concurrent calls': ['concurrent'],
  'fails to delete': ['delete'],
  'never deletes': ['delete', 'clean-up'],
  'fails to delete again': ['delete-again'],
  'hangs in create': ['create'],
}

describe('runProviderChecks', () => {
  test('passes all contracts of a provider without defects, and leaves no object', async () => {
    const cloud = createMemoryCloud()
    const report = await check(cloud, [])
    expect(report.entries.filter(entry => resultOf(entry) !== 'passed')).toEqual([])
    const pulumiContracts = allContracts.filter(({ protocols }) => protocols.includes('pulumi'))
    expect(report.entries.map(({ contract }) => contract.id).toSorted()).toEqual(
      pulumiContracts.map(({ id }) => id).toSorted(),
    )
    expect(cloud.objects.size).toBe(0)
  })

  test.each(Object.entries(failuresByDefect))(
    'finds the contracts that are violated by the defect: %s',
    async (defect, ids) => {
      const cloud = createMemoryCloud()
      const options = defect === 'hangs in create' ? { callTimeoutMs: 50 } : {}
      const report = await check(cloud, [defect as MemoryDefect], options)
      expect(failuresOf(report)).toEqual(ids)
      expect(cloud.objects.size).toBe(defect === 'never deletes' ? 1 : 0)
    },
  )

  test.each(Object.entries(warningsByDefect))(
    'only warns of the defect: %s',
    async (defect, ids) => {
      const report = await check(createMemoryCloud(), [defect as MemoryDefect])
      expect(failuresOf(report)).toEqual([])
      expect(listResults(report, 'warning')).toEqual(ids)
    },
  )

  test('reports the create as skipped if it fails with generated inputs', async () => {
    const report = await check(createMemoryCloud(), ['fails to create'], {
      config: { provider: new Map(), types: new Map() },
    })
    expect(failuresOf(report)).toEqual([])
    expect(resultFor(report, 'create')).toBe('skipped')
  })

  test('reports only the handshake of a provider that does not start', async () => {
    const open = () => Promise.reject(new Error('no such file'))
    const report = await check(createMemoryCloud(), [], { open })
    expect(report.entries).toMatchObject([
      { contract: { id: 'handshake' }, outcome: { kind: 'failed', reason: 'no such file' } },
    ])
  })

  test('redacts secrets in the reasons of failures', async () => {
    const report = await check(createMemoryCloud(), ['fails with a secret'])
    const create = report.entries.find(({ contract }) => contract.id === 'create')
    expect(create?.outcome).toMatchObject({ reason: expect.stringContaining('[secret]') })
    expect(JSON.stringify(report)).not.toContain('hunter2')
  })

  test('starts a crashed provider again', async () => {
    const cloud = createMemoryCloud()
    await check(cloud, ['crashes on lists'])
    expect(cloud.openings.count).toBeGreaterThan(1)
  })

  test('generates inputs from the schema if the configuration has none', async () => {
    const cloud = createMemoryCloud()
    const report = await check(cloud, [], { config: { provider: new Map(), types: new Map() } })
    expect(failuresOf(report)).toEqual([])
    expect(resultFor(report, 'create')).toBe('passed')
    expect(resultFor(report, 'update')).toBe('not applicable')
  })

  test('skips a type if Check refuses its generated inputs', async () => {
    const report = await check(createMemoryCloud(), ['refuses inputs'], {
      config: { provider: new Map(), types: new Map() },
    })
    expect(failuresOf(report)).toEqual([])
    expect(resultFor(report, 'check-accepts')).toBe('skipped')
    expect(resultFor(report, 'create')).toBe('skipped')
  })

  test('deletes its objects after an interruption, and checks nothing more', async () => {
    const cloud = createMemoryCloud()
    const report = await check(cloud, [], { isInterrupted: () => cloud.objects.size > 0 })
    expect(resultFor(report, 'create')).toBe('passed')
    expect(resultFor(report, 'read')).toBe('skipped')
    expect(resultFor(report, 'clean-up')).toBe('passed')
    expect(cloud.objects.size).toBe(0)
  })

  test('checks only the requested types', async () => {
    const report = await check(createMemoryCloud(), [], { typeTokens: ['mem:index:Other'] })
    expect(new Set(report.entries.map(({ type }) => type))).toEqual(
      new Set([undefined, 'mem:index:Other']),
    )
    // Check throws for a type that the provider does not know.
    expect(failuresOf(report)).toEqual(['check-accepts'])
  })
})
