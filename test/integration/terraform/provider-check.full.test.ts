import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { allContracts } from '../../../shared/providers/check/contracts.ts'
import type { ProviderReport } from '../../../shared/providers/check/report.ts'
import { resultOf } from '../../../shared/providers/check/report.ts'
import { createTerraformOpener } from '../../../shared/providers/check/open-terraform-provider.ts'
import { runProviderChecks } from '../../../shared/providers/check/run-checks.ts'
import { describeWithCommands } from '../../e2e/toolchains.ts'
import { createTerraformRig, type TerraformRig } from './terraform-rig.ts'

type Faults = Readonly<Record<string, number | 'always'>>

const thing = 'tfgold:index/thing:Thing'

/** The inputs of the create, and inputs of which each property is a separate change. */
const thingInputs = [
  { name: 'a', value: 'v', secret: 's', password: 'p' },
  { value: 'w', label: 'l', zone: 'z' },
].map(inputs => new Map(Object.entries(inputs)))

describeWithCommands('provider check of a Terraform provider', [['go', 'version']], () => {
  let rig: TerraformRig
  let cloud: string
  beforeEach(() => {
    rig = createTerraformRig()
    cloud = mkdtempSync(join(tmpdir(), 'tf-check-'))
    mkdirSync(join(cloud, 'objects'))
  })
  afterEach(async () => {
    await rig.close()
    rmSync(cloud, { recursive: true, force: true })
  })

  function check(
    providerName: 'tfgold' | 'tfgold5',
    options: { readonly faults?: Faults; readonly isGenerated?: boolean } = {},
  ): Promise<ProviderReport> {
    rig.setFaults(options.faults ?? {})
    const path = rig.pathOf(providerName)
    return runProviderChecks({
      name: providerName,
      protocol: 'terraform',
      open: createTerraformOpener({
        binary: { path, version: '0.0.0', source: path, providerName },
        start: () => rig.start(path, { env: { TFGOLD_CLOUD: cloud } }),
        report: () => undefined,
      }),
      config: {
        provider: new Map(),
        types: new Map(options.isGenerated === true ? [] : [[thing, thingInputs]]),
      },
      typeTokens: [],
      label: 'label',
      callTimeoutMs: 5_000,
      isInterrupted: () => false,
      nowMs: () => performance.now(),
    })
  }

  const listResults = ({ entries }: ProviderReport, result: string): readonly string[] =>
    entries.filter(entry => resultOf(entry) === result).map(({ contract }) => contract.id)

  const listObjects = (): readonly string[] => readdirSync(join(cloud, 'objects'))

  test('the healthy provider passes all contracts that apply to it', async () => {
    const report = await check('tfgold')
    // Check generates a missing name, so no property is required.
    expect(listResults(report, 'not applicable')).toEqual(['check-missing'])
    expect(listResults(report, 'passed')).toHaveLength(allContracts.length - 1)
    expect(report.entries).toHaveLength(allContracts.length)
    expect(listObjects()).toEqual([])
  })

  test.each(['tfgold', 'tfgold5'] as const)(
    'all types of %s pass with inputs that are generated from the schema',
    async name => {
      const report = await check(name, { isGenerated: true })
      expect(listResults(report, 'failed')).toEqual([])
      expect(listResults(report, 'warning')).toEqual(name === 'tfgold' ? [] : ['core-legacy'])
      const types = new Set(report.entries.map(({ type }) => type))
      expect(types.size).toBeGreaterThan(9)
      expect(listObjects()).toEqual([])
    },
  )

  const planFailures = (id: string): readonly string[] => ['preview-create', id]

  test.each<readonly [string, Faults, readonly string[]]>([
    ['fails to plan', { 'plan:a': 'always' }, ['preview-create']],
    ['plans another value', { 'bad-plan-value:a': 'always' }, planFailures('core-plan-valid')],
    ['plans no object', { 'bad-plan-null:a': 'always' }, planFailures('core-plan-valid')],
    ['plans another type', { 'bad-plan-type:a': 'always' }, planFailures('core-plan-type')],
    [
      'plans a known value as unknown',
      { 'bad-plan-unknown:a': 'always' },
      planFailures('core-plan-valid'),
    ],
    [
      'plans a write-only value',
      { 'bad-plan-writeonly:a': 'always' },
      planFailures('core-plan-write-only'),
    ],
    [
      'replaces because of an unchanged attribute',
      { 'replace-unchanged:a': 'always' },
      ['core-requires-replace'],
    ],
    [
      'replaces because of an attribute that does not exist',
      { 'replace-nowhere:a': 'always' },
      ['settled-after-create', 'core-requires-replace'],
    ],
    ['fails to create', { 'fail:create:a': 1 }, ['create']],
    ['creates an object partly', { 'partial:create:a': 1 }, ['create']],
    ['crashes in a creation', { 'crash:create:a': 1 }, ['create']],
    ['returns another value', { 'bad-value:create:a': 1 }, ['create', 'core-apply-consistent']],
    ['returns an unknown value', { 'bad-unknown:create:a': 1 }, ['create', 'core-apply-known']],
    [
      'returns a write-only value',
      { 'bad-writeonly:create:a': 1 },
      ['create', 'core-apply-write-only'],
    ],
    [
      'returns another value from an update',
      { 'bad-value:update:a': 1 },
      ['update', 'core-apply-consistent'],
    ],
    ['fails to read', { 'read:a': 'always' }, ['read']],
    ['fails to delete', { 'fail:delete:a': 1 }, ['delete']],
    [
      'returns an object that it deleted',
      { 'bad-keep:delete:a': 1 },
      ['delete', 'core-apply-present'],
    ],
  ])('a provider that %s violates only the expected contracts', async (_, faults, ids) => {
    const report = await check('tfgold', { faults })
    expect(listResults(report, 'failed')).toEqual(ids)
    expect(listObjects()).toEqual([])
  })

  test.each<readonly [string, Faults, readonly string[]]>([
    ['returns no object', { 'bad-null:create:a': 1 }, ['create', 'core-apply-present']],
    ['returns another type', { 'bad-type:create:a': 1 }, ['create', 'core-apply-type']],
    ['never returns', { 'lost:create:a': 1 }, ['create']],
  ])('a provider that %s after a creation leaves an object', async (_, faults, ids) => {
    const report = await check('tfgold', { faults })
    expect(listResults(report, 'failed')).toEqual(ids)
    expect(listObjects()).toEqual(['a-1.json'])
  })

  test('a provider that cannot delete leaves an object that the report names', async () => {
    const report = await check('tfgold', { faults: { 'fail:delete:a': 'always' } })
    expect(listResults(report, 'failed')).toEqual(['delete', 'clean-up'])
    const cleanUp = report.entries.find(({ contract }) => contract.id === 'clean-up')
    expect(cleanUp?.outcome).toMatchObject({ reason: expect.stringContaining("'a-1' is left") })
  })

  test('a file that is no provider fails the handshake only', async () => {
    const path = rig.writeScript('echo hello')
    const report = await runProviderChecks({
      name: 'script',
      protocol: 'terraform',
      open: createTerraformOpener({
        binary: { path, version: '0.0.0', source: path, providerName: 'script' },
        start: () => rig.start(path),
        report: () => undefined,
      }),
      config: { provider: new Map(), types: new Map() },
      typeTokens: [],
      label: 'label',
      callTimeoutMs: 5_000,
      isInterrupted: () => false,
      nowMs: () => performance.now(),
    })
    expect(listResults(report, 'failed')).toEqual(['handshake'])
    expect(report.entries).toHaveLength(1)
  })
})
