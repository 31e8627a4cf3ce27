import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildTestProvider } from '../tfgolden/build-provider.ts'
import { verifyExport } from '../verifier/verify.ts'
import { expectRefused } from './expect-refused.ts'
import { findFilesWith } from './find-files-with.ts'
import { createSandbox, readObjects, requireSuccess, type Sandbox } from './sandbox.ts'
import { createTfstate, readThings } from './terraform-state.ts'
import { describeWithCommands } from './toolchains.ts'

const testFolder = resolve(import.meta.dirname, '..')

interface ExportedResource {
  readonly urn: string
  readonly id?: string
  readonly dependencies?: readonly string[]
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly outputs?: Readonly<Record<string, unknown>>
}

describeWithCommands('a Terraform state', [['go', 'version']], () => {
  let providers: string
  let sandbox: Sandbox
  let env: Readonly<Record<string, string>>

  beforeAll(() => {
    providers = buildTestProvider()
  })

  beforeEach(() => {
    sandbox = createSandbox('adopted')
    cpSync(join(testFolder, 'tfgolden/provider/tfgold.js'), join(sandbox.program, 'tfgold.js'))
    env = {
      TFGOLD_PROVIDER: join(providers, 'terraform-provider-tfgold'),
      TFGOLD_CLOUD: sandbox.cloud,
      TFGOLD_LOG: join(sandbox.home, '../calls.jsonl'),
    }
  })
  afterEach(() => sandbox.remove())

  const run = async (args: readonly string[], variables = {}) =>
    sandbox.run(args, { env: { ...env, ...variables } })
  const succeed = async (args: readonly string[], variables = {}): Promise<string> =>
    requireSuccess(await run(args, variables)).out
  const listResources = async (stack: string): Promise<readonly ExportedResource[]> => {
    const text = await succeed(['stack', 'export', '--show-secrets', '-s', stack])
    const { deployment } = JSON.parse(text) as {
      readonly deployment: { readonly resources?: readonly ExportedResource[] }
    }
    return deployment.resources ?? []
  }
  const writeState = (state: object): string => {
    const file = join(sandbox.program, 'terraform.tfstate')
    writeFileSync(file, JSON.stringify(state))
    return file
  }
  /** Creates the objects of the program in a stack `made`. Returns a Terraform state of them. */
  const createState = async (options: Parameters<typeof createTfstate>[1] = {}) => {
    await succeed(['stack', 'init', 'made'])
    await succeed(['up', '--yes', '--skip-preview', '-s', 'made'])
    await succeed(['stack', 'init', 'dev'])
    return createTfstate(readThings(sandbox.cloud), options)
  }
  const adopt = (more: readonly string[] = [], variables = {}) => {
    const choice = `golden/tfgold=${env['TFGOLD_PROVIDER'] ?? ''}`
    const args = ['import', '--from', 'terraform', '.', '--provider', choice, '-s', 'dev']
    return run([...args, ...more], variables)
  }

  test('is adopted in the form that a deployment records, and then updated and destroyed', async () => {
    writeState(await createState())
    const report = requireSuccess(await adopt(['--yes'])).out
    expect(report).toMatch(/module\.net\["a"\]\.tfgold_thing\.inner +urn:.*::net-a-inner\n/)
    expect(report).toMatch(
      /data\.tfgold_lookup\.l +data source: .*\n.*output\.url .*\n.*check\.up /,
    )
    await succeed(['preview', '-s', 'dev', '--expect-no-changes'])
    await expectRecorded()
    const sealed = await succeed(['stack', 'export', '-s', 'dev'])
    expect(verifyExport(sealed, { sealed: true })).toEqual([])
    // The program has these two secrets: a sensitive attribute, and a value that it marks.
    for (const text of ['attribute-8c1f', 'marked-8c1f'])
      expect([sealed.includes(text), findFilesWith(sandbox.home, text)]).toEqual([false, []])
    const updated = await succeed(['up', '--yes', '--skip-preview', '-s', 'dev'], { STEP: '2' })
    expect(updated).toMatch(/~ 3 updated\n/)
    await succeed(['preview', '-s', 'dev', '--expect-no-changes'], { STEP: '2' })
    await succeed(['destroy', '--yes', '--skip-preview', '-s', 'dev'])
    expect(readObjects(sandbox.cloud)).toEqual([])
    expectPrivateData()
  })

  /** Compares the adopted stack with the one that a deployment recorded. */
  async function expectRecorded(): Promise<void> {
    const made = await listResources('made')
    const adopted = await listResources('dev')
    const toComparable = (resource: ExportedResource) => ({
      urn: resource.urn.replace(/^urn:pulumi:\w+/, '').replace('adopted-made', 'adopted-dev'),
      outputs: resource.outputs,
      ...(resource.urn.includes('pulumi:providers:')
        ? { inputs: resource.inputs }
        : { id: resource.id }),
    })
    // The provider upgrades 'old' without its serial. For an explicit provider such as 'west', the
    // first deployment of a stack records another version than an adoption.
    const isComparable = ({ urn }: ExportedResource): boolean => !/::(?:old|west)$/.test(urn)
    const byUrn = (a: { readonly urn: string }, b: { readonly urn: string }): number =>
      a.urn < b.urn ? -1 : 1
    expect(adopted.filter(isComparable).map(toComparable).sort(byUrn)).toEqual(
      made.filter(isComparable).map(toComparable).sort(byUrn),
    )
    const inner = adopted.find(({ urn }) => urn.endsWith('::net-a-inner'))
    expect(inner?.dependencies?.map(urn => urn.slice(urn.lastIndexOf('::') + 2))).toEqual([
      'pool-0',
      'pool-1',
    ])
  }

  /** Each apply of the test provider adds an `a` to private data, and each plan a `p`. */
  function expectPrivateData(): void {
    const calls = readFileSync(env['TFGOLD_LOG'] ?? '', 'utf8')
      .split('\n')
      .filter(line => line.includes('"ApplyResourceChange"') && line.includes('"name":"pool0"'))
    const chains = calls.map(line => /\\"chain\\":\\"(\w+)\\"/.exec(line)?.[1])
    expect(chains).toEqual(['p', 'pap', 'papap'])
  }

  test('with tainted and deposed objects is replaced and deleted by the next deployment', async () => {
    const state = await createState({ taintedName: 'zone', deposedName: 'far' })
    writeState(state)
    const report = JSON.parse(requireSuccess(await adopt(['--yes', '--json'])).out) as {
      readonly adopted: readonly { readonly address: string }[]
    }
    expect(report.adopted).toContainEqual(
      expect.objectContaining({ address: 'tfgold_thing.zone["eu"]', tainted: true }),
    )
    expect(report.adopted).toContainEqual(
      expect.objectContaining({ address: 'tfgold_thing.old', deposed: '0a1b2c3d', id: 'far-1' }),
    )
    const preview = await succeed(['preview', '-s', 'dev'])
    expect(preview).toMatch(/zone-eu replace/)
    expect(preview).toMatch(/ -- .* old delete original/)
    const urn = 'urn:pulumi:dev::adopted::tfgold:index/thing:Thing::zone-eu'
    await succeed(['state', 'untaint', urn, '--yes', '-s', 'dev'])
    expect(await succeed(['preview', '-s', 'dev'])).not.toContain('zone-eu')
  })

  test('with an unknown resource type is adopted in part, and a later import adopts only the rest', async () => {
    const state = await createState()
    writeState({
      ...state,
      resources: state.resources.map(resource =>
        resource.type === 'tfgold_ident' ? { ...resource, type: 'tfgold_gone' } : resource,
      ),
    })
    const partial = await adopt(['--yes'])
    expectRefused(partial, 'TERRAFORM_ADOPTION_PARTIAL', [
      /1 of 8 objects cannot be adopted: tfgold_gone\.named: .* has no resource type 'tfgold_gone'/,
      /Adopted 7 objects/,
    ])
    writeState(state)
    expect(requireSuccess(await adopt(['--yes'])).err).toContain('Adopted 1 object.')
    await succeed(['preview', '-s', 'dev', '--expect-no-changes'])
    expectRefused(await adopt(['--yes']), 'STACK_NOT_EMPTY', [/has all 8 objects/])
    const other = state.resources.map(resource => ({
      ...resource,
      instances: resource.instances.map(instance => ({
        ...instance,
        attributes: { id: 'other', name: 'other' },
      })),
    }))
    const before = await succeed(['stack', 'export', '-s', 'dev'])
    writeState({ ...state, resources: other })
    expectRefused(await adopt(['--yes']), 'STACK_NOT_EMPTY', [/another resource urn:/])
    expect(await succeed(['stack', 'export', '-s', 'dev'])).toBe(before)
  })

  test('is not adopted without its providers, or without a confirmation', async () => {
    const state = await createState()
    writeState(state)
    const before = await succeed(['stack', 'export', '-s', 'dev'])
    const missing = { TFGOLD_PROVIDER: '/nowhere/terraform-provider-tfgold' }
    const choice = `golden/tfgold=${missing.TFGOLD_PROVIDER}`
    const args = ['import', '--from', 'terraform', '.', '-s', 'dev', '--yes', '--provider', choice]
    expectRefused(await run(args), 'TERRAFORM_ADOPTION_PARTIAL', [
      /8 of 8 objects cannot be adopted: .* no executable Terraform provider at \/nowhere/,
    ])
    expectRefused(await adopt(), 'CONFIRMATION_MISSING', [/--yes/])
    requireSuccess(await adopt(['--preview-only']))
    writeFileSync(join(sandbox.program, 'terraform.tfstate'), JSON.stringify(state).slice(0, 900))
    expectRefused(await adopt(['--yes']), 'TERRAFORM_STATE_INVALID', [/it is truncated/])
    expect(await succeed(['stack', 'export', '-s', 'dev'])).toBe(before)
  })
})
