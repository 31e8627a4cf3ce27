import { describe, expect, test } from 'vitest'
import { type ErrorCode, catalogue } from '../../../errors/catalogue.ts'
import { hasCode } from '../../../errors/error.ts'
import { createAttributeStep, createIndexStep, createKeyStep } from '../values/cty-path.ts'
import { listSkippedParts } from './list-skipped-parts.ts'
import { readTfstate } from './read-tfstate.ts'

const provider = 'provider["registry.opentofu.org/hashicorp/random"]'

/** Returns a state with one resource that has one instance. */
function stateWith(instance: object, resource: object = {}): string {
  const pet = { mode: 'managed', type: 'random_pet', name: 'dog', provider }
  return JSON.stringify({
    version: 4,
    terraform_version: '1.9.5',
    resources: [{ ...pet, instances: [{ attributes: {}, ...instance }], ...resource }],
  })
}

const read = (text: string) => readTfstate(text, 'a.tfstate')

/** Returns the only instance of a state with one resource. */
function readObject(instance: object, resource: object = {}) {
  const [object, ...others] = read(stateWith(instance, resource)).instances
  if (object === undefined || others.length > 0) throw new Error('one object is expected')
  return object
}

describe('reading a Terraform state', () => {
  test('keeps every field of an instance', () => {
    const instance = {
      index_key: 'a "b"',
      schema_version: 2,
      status: 'tainted',
      private: 'cGE=',
      dependencies: ['random_pet.cat', 'module.net.random_pet.cow'],
      sensitive_attributes: [
        [{ type: 'get_attr', value: 'token' }],
        [
          { type: 'get_attr', value: 'tags' },
          { type: 'index', value: { value: 'k', type: 'string' } },
        ],
        [
          { type: 'get_attr', value: 'rules' },
          { type: 'index', value: { value: 3, type: 'number' } },
        ],
      ],
      identity: { name: 'dog' },
      identity_schema_version: 1,
    }
    const module = 'module.net["x.y"].module.sub[0]'
    const object = readObject(instance, { module, provider: `${provider}.west` })
    expect(object).toMatchObject({
      mode: 'managed',
      address: 'module.net["x.y"].module.sub[0].random_pet.dog["a \\"b\\""]',
      configAddress: 'module.net.module.sub.random_pet.dog',
      key: 'a "b"',
      deposedKey: undefined,
      provider: { source: 'registry.opentofu.org/hashicorp/random', alias: 'west', modulePath: [] },
      dependencies: instance.dependencies,
      object: {
        typeName: 'random_pet',
        schemaVersion: 2,
        isTainted: true,
        identityJson: '{"name":"dog"}',
        identitySchemaVersion: 1,
        sensitivePaths: [
          [createAttributeStep('token')],
          [createAttributeStep('tags'), createKeyStep('k')],
          [createAttributeStep('rules'), createIndexStep(3)],
        ],
      },
    })
    expect(Buffer.from(object.object.privateData).toString()).toBe('pa')
  })

  test('keeps all digits of numbers', () => {
    const text = stateWith({}).replace(
      '"attributes":{}',
      '"attributes":{"n":12345678901234567890.10}',
    )
    expect(read(text).instances[0]?.object.stateJson).toBe('{"n":12345678901234567890.10}')
  })

  test('reads the attributes of Terraform before 0.12', () => {
    const { object } = readObject({ attributes: null, attributes_flat: { 'tags.%': '1' } })
    expect(object.flatmap).toEqual(new Map([['tags.%', '1']]))
  })

  test('reads a deposed object and the provider of a module', () => {
    const resource = { provider: `module.net.${provider}` }
    expect(readObject({ deposed: '0a1b2c3d' }, resource)).toMatchObject({
      deposedKey: '0a1b2c3d',
      provider: { alias: '', modulePath: [{ name: 'net' }] },
    })
  })

  test('reads the short provider addresses of Terraform 0.12', () => {
    expect(readObject({}, { provider: 'module.net.provider.aws.west' }).provider).toMatchObject({
      source: 'registry.terraform.io/hashicorp/aws',
      alias: 'west',
    })
  })

  test('lists data sources, outputs and checks as skipped', () => {
    const json: object = JSON.parse(stateWith({}, { mode: 'data' }))
    const more = {
      outputs: { url: { value: 'x' } },
      check_results: [
        { object_kind: 'check', config_addr: 'check.health' },
        { object_kind: 'resource', config_addr: 'random_pet.dog' },
      ],
    }
    expect(listSkippedParts(read(JSON.stringify({ ...json, ...more })))).toMatchObject([
      { kind: 'data source', address: 'data.random_pet.dog' },
      { kind: 'output', address: 'output.url' },
      { kind: 'check', address: 'check.health' },
    ])
  })

  test('reads a state whose check results are null', () => {
    expect(read('{"version":4,"resources":[],"check_results":null}').checks).toEqual([])
  })
})

test.each<[string, string, ErrorCode, RegExp]>([
  ['an empty file', '', 'TERRAFORM_STATE_INVALID', /a\.tfstate: it is empty/],
  ['a truncated file', stateWith({}).slice(0, 90), 'TERRAFORM_STATE_INVALID', /truncated/],
  ['broken JSON', '{"version":4,}', 'TERRAFORM_STATE_INVALID', /not valid JSON/],
  ['a list', '[]', 'TERRAFORM_STATE_INVALID', /not a JSON object/],
  ['no version', '{"resources":[]}', 'TERRAFORM_STATE_INVALID', /no 'version'/],
  [
    'a text as version',
    '{"version":"4"}',
    'TERRAFORM_STATE_INVALID',
    /'version' is not an integer/,
  ],
  ['a fraction as version', '{"version":4.0}', 'TERRAFORM_STATE_INVALID', /is not an integer/],
  ['version 3', '{"version":3,"modules":[]}', 'TERRAFORM_STATE_UNSUPPORTED', /version 3/],
  ['version 5', '{"version":5}', 'TERRAFORM_STATE_UNSUPPORTED', /newer than version 4/],
  ['encryption', '{"encrypted_data":"eA=="}', 'TERRAFORM_STATE_UNSUPPORTED', /encrypted/],
  [
    'the settings of a backend',
    '{"version":3,"backend":{"type":"s3"}}',
    'TERRAFORM_STATE_REMOTE',
    /backend 's3'/,
  ],
  ['no resources', '{"version":4}', 'TERRAFORM_STATE_INVALID', /'resources' of the state/],
  [
    'an unknown mode',
    stateWith({}, { mode: 'list' }),
    'TERRAFORM_STATE_INVALID',
    /'mode' of resource 1/,
  ],
  ['no type', stateWith({}, { type: null }), 'TERRAFORM_STATE_INVALID', /'type' of resource 1/],
  [
    'no provider',
    stateWith({}, { provider: null }),
    'TERRAFORM_STATE_INVALID',
    /'provider' of random_pet.dog/,
  ],
  ['a wrong provider', stateWith({}, { provider: 'x' }), 'TERRAFORM_STATE_INVALID', /is 'x'/],
  [
    'a wrong module',
    stateWith({}, { module: 'net' }),
    'TERRAFORM_STATE_INVALID',
    /'module' of resource 1/,
  ],
  [
    'no attributes',
    stateWith({ attributes: null }),
    'TERRAFORM_STATE_INVALID',
    /random_pet.dog has no attributes/,
  ],
  [
    'a wrong version',
    stateWith({ schema_version: 'x' }),
    'TERRAFORM_STATE_INVALID',
    /'schema_version'/,
  ],
  [
    'an unreadable sensitive path',
    stateWith({ sensitive_attributes: ['token'] }),
    'TERRAFORM_STATE_INVALID',
    /'sensitive_attributes' of random_pet.dog/,
  ],
])('a state file is refused: %s', (_what, text, code, message) => {
  let thrown: unknown
  try {
    read(text)
  } catch (caught) {
    thrown = caught
  }
  expect(hasCode(thrown, code) && [thrown.hint !== '', thrown.message]).toEqual([
    true,
    expect.stringMatching(message),
  ])
  expect(catalogue[code].exit).toBe(1)
})
