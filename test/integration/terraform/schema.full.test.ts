import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import {
  type PackageSchema,
  packageSchemaForm,
} from '../../../shared/providers/package-schema/package-schema.ts'
import { describeWithCommands } from '../../e2e/toolchains.ts'
import { buildTestProvider } from '../../tfgolden/build-provider.ts'

const project = resolve(import.meta.dirname, '../../..')

function runGetSchema(...args: readonly string[]) {
  const command = ['package', 'get-schema', ...args]
  // Antichain finds plugins on ANTICHAIN_USER_PATH if it is set, and otherwise on PATH. The scripts
  // of the project set it to the user's PATH.
  const userPath = process.env['ANTICHAIN_USER_PATH'] ?? process.env['PATH']
  const path = `${join(project, 'test/golden/provider')}:${userPath}`
  return spawnSync(join(project, 'cli/antichain'), command, {
    encoding: 'utf8',
    env: {
      ...process.env,
      PATH: path,
      ANTICHAIN_USER_PATH: path,
      GOLD_NODE_PATH: join(project, 'test/fixtures/sdk/node_modules'),
    },
  })
}

describeWithCommands('package get-schema', [['go', 'version']], () => {
  const pathOf = (name: string): string => join(buildTestProvider(), `terraform-provider-${name}`)
  const schemaOf = (...args: readonly string[]): PackageSchema => {
    const { stdout, stderr } = runGetSchema('terraform-provider', ...args)
    expect(stderr).toBe('')
    return packageSchemaForm.parse(JSON.parse(stdout))
  }

  test('prints the schema of a Terraform provider', () => {
    const {
      name,
      version,
      resources = {},
      functions = {},
      provider,
      types,
    } = schemaOf(pathOf('tfgold'))
    expect([name, version]).toEqual(['tfgold', '0.0.0'])
    const thing = resources['tfgold:index/thing:Thing']
    expect(thing?.required).toEqual(['arn', 'name', 'region', 'serial', 'tag', 'token'])
    expect(thing?.requiredInputs).toBeUndefined()
    expect(thing?.inputProperties?.['secret']).toEqual({ type: 'string', secret: true })
    expect(thing?.inputProperties?.['old']).toMatchObject({ deprecationMessage: 'Deprecated' })
    expect(resources['tfgold:index/keyed:Keyed']?.requiredInputs).toEqual(['keyedId'])
    expect(resources['tfgold:index/blocks:Blocks']?.properties).toMatchObject({
      limit: { $ref: '#/types/tfgold:index/BlocksLimit:BlocksLimit' },
      policies: {
        type: 'array',
        items: { $ref: '#/types/tfgold:index/BlocksPolicy:BlocksPolicy' },
      },
      route: { additionalProperties: { $ref: '#/types/tfgold:index/BlocksRoute:BlocksRoute' } },
    })
    expect(types?.['tfgold:index/NestedItem:NestedItem']).toMatchObject({
      required: ['key'],
      language: { nodejs: { requiredOutputs: ['gen', 'key', 'mode'] } },
    })
    expect(functions['tfgold:index/getLookup:getLookup']?.inputs?.required).toEqual(['name'])
    expect(functions['tfgold:index/join:join']).toMatchObject({
      multiArgumentInputs: ['sep', 'parts'],
      inputs: { required: ['sep'] },
      outputs: { type: 'string' },
    })
    expect(provider?.inputProperties?.['token']).toEqual({ type: 'string', secret: true })
  })

  test('prints the selected types of a provider under another name', () => {
    const path = pathOf('tfgold5')
    const {
      name,
      resources = {},
      functions,
      parameterization,
    } = schemaOf(...[path, '--include', 'tfgold5_bare', '--provider-name', 'other'])
    expect([name, Object.keys(resources), functions]).toEqual([
      ...['other', ['other:index/bare:Bare'], {}],
    ])
    const parameter = Buffer.from(parameterization?.parameter ?? '', 'base64').toString()
    expect(JSON.parse(parameter)).toEqual({
      local: { path },
      includes: ['tfgold5_bare'],
      providerName: 'other',
    })
  })

  test.each([
    [['terraform-provider'], 'CLI_USAGE', 'needs the source of a provider'],
    [['terraform-provider', 'random', '--all'], 'TERRAFORM_PACKAGE_INVALID', "'--all'"],
    [['terraform-provider', '/none/terraform-provider-x'], 'PLUGIN_MISSING', '/none/'],
    [['./folder'], 'CLI_USAGE', 'no folder of a plugin at'],
    [['gold', 'argument'], 'PLUGIN_FAILED', 'cannot read the schema'],
    [['missing.json'], 'CLI_USAGE', 'no schema file'],
  ])('refuses %j', (args, code, text) => {
    const { status, stdout, stderr } = runGetSchema(...args)
    expect([status === 0, stdout]).toEqual([false, ''])
    expect(stderr).toContain(`error[${code}]: `)
    expect(stderr).toContain(text)
  })

  test('prints the schema of a Pulumi plugin', () => {
    const { stdout } = runGetSchema('gold')
    expect(JSON.parse(stdout)).toMatchObject({ name: 'gold', resources: expect.anything() })
  })
})
