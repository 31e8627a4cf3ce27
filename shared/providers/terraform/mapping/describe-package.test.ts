import { expect, test } from 'vitest'
import { packageSchemaForm } from '../../package-schema/package-schema.ts'
import { createBlock, createNestedBlock, createPlainAttribute } from '../values/schema.fixture.ts'
import type { BlockSchema } from '../values/schema.ts'
import { describePackage } from './describe-package.ts'
import { propertyNamesOf } from './property-names.ts'
import { nameResourceProperties } from './resource-names.ts'

function describeBucket(block: BlockSchema) {
  const context = { typeName: 'b2_bucket', providerName: 'b2', prefix: 'b2' }
  const schema = describePackage({
    name: 'b2',
    version: '0.8.9',
    providerName: 'b2',
    parameter: 'cGFyYW0=',
    source: 'registry.opentofu.org/backblaze/b2',
    isLocal: false,
    provider: { block: createBlock({}), names: propertyNamesOf(createBlock({})) },
    resources: new Map([
      ['b2:index/bucket:Bucket', { block, names: nameResourceProperties(block, context) }],
    ]),
    dataSources: new Map([
      ['b2:index/getBucket:getBucket', { block, names: propertyNamesOf(block) }],
    ]),
    functions: new Map(),
    lists: new Map([['b2:index/listBucket:listBucket', { block, names: propertyNamesOf(block) }]]),
    actions: new Map([['b2:index/runScan:runScan', { block, names: propertyNamesOf(block) }]]),
  })
  expect(packageSchemaForm.parse(schema)).toEqual(schema)
  return schema
}

test('a resource has inputs and outputs, which require different properties', () => {
  const { resources = {}, functions = {} } = describeBucket(
    createBlock({
      id: createPlainAttribute('c'),
      bucket_name: { ...createPlainAttribute('r'), description: 'The name.' },
      bucket_type: createPlainAttribute('oc'),
      key: { ...createPlainAttribute('os'), deprecationMessage: 'Use keys.' },
      revision: createPlainAttribute('c', '"number"'),
      bucket_info: createPlainAttribute('o', '["map","string"]'),
      any: createPlainAttribute('o', '"dynamic"'),
    }),
  )
  const resource = resources['b2:index/bucket:Bucket']
  expect(resource?.properties).toEqual({
    any: { $ref: 'pulumi.json#/Any' },
    bucketInfo: { type: 'object', additionalProperties: { type: 'string' } },
    bucketName: { type: 'string', description: 'The name.' },
    bucketType: { type: 'string' },
    key: { type: 'string', secret: true, deprecationMessage: 'Use keys.' },
    revision: { type: 'number' },
  })
  expect(resource?.required).toEqual(['bucketName', 'bucketType', 'revision'])
  expect(Object.keys(resource?.inputProperties ?? {})).toEqual([
    'any',
    'bucketInfo',
    'bucketName',
    'bucketType',
    'key',
  ])
  expect(resource?.requiredInputs).toEqual(['bucketName'])
  const dataSource = functions['b2:index/getBucket:getBucket']
  expect(dataSource?.inputs?.required).toEqual(['bucketName'])
  expect(dataSource?.outputs?.required).toEqual(['bucketName', 'bucketType', 'id', 'revision'])
})

test('a name that Check generates is not required', () => {
  const { resources } = describeBucket(
    createBlock({ name: createPlainAttribute('r'), zone: createPlainAttribute('r') }),
  )
  const resource = resources?.['b2:index/bucket:Bucket']
  expect(resource?.requiredInputs).toEqual(['zone'])
  expect(resource?.required).toEqual(['name', 'zone'])
})

test('a nested type is named after its owner and property, in the singular for a list', () => {
  const retention = createNestedBlock('list', createBlock({ mode: createPlainAttribute('r') }), {
    maxItems: 1,
  })
  const schema = describeBucket(
    createBlock(
      { origins: createPlainAttribute('o', '["list",["object",{"url":"string"}]]') },
      {
        cors_rules: createNestedBlock(
          'list',
          createBlock(
            { name: createPlainAttribute('r'), etag: createPlainAttribute('c') },
            { retention },
          ),
          { minItems: 1 },
        ),
        file_lock: createNestedBlock('list', createBlock({}), { maxItems: 1 }),
        zones: createNestedBlock('map', createBlock({})),
      },
    ),
  )
  const bucket = schema.resources?.['b2:index/bucket:Bucket']
  const typeOf = (name: string) => ({ $ref: `#/types/b2:index/${name}:${name}` })
  expect(bucket?.inputProperties).toEqual({
    corsRules: { type: 'array', items: typeOf('BucketCorsRule') },
    fileLock: typeOf('BucketFileLock'),
    origins: { type: 'array', items: typeOf('BucketOrigin') },
    zones: { type: 'object', additionalProperties: typeOf('BucketZones') },
  })
  expect(bucket?.requiredInputs).toEqual(['corsRules'])
  expect(schema.types?.['b2:index/BucketCorsRule:BucketCorsRule']).toEqual({
    type: 'object',
    properties: {
      etag: { type: 'string' },
      name: { type: 'string' },
      retention: typeOf('BucketCorsRuleRetention'),
    },
    required: ['name'],
    language: { nodejs: { requiredOutputs: ['etag', 'name'] } },
  })
  expect(Object.keys(schema.types ?? {})).toContain('b2:index/getBucketOrigin:getBucketOrigin')
})

test('of types with equal names, the later ones are numbered', () => {
  const { types = {} } = describeBucket(
    createBlock(
      {},
      {
        rule: createNestedBlock('list', createBlock({})),
        rules: createNestedBlock('list', createBlock({})),
      },
    ),
  )
  expect(Object.keys(types)).toContain('b2:index/BucketRuleV2:BucketRuleV2')
})

test('the schema names the provider of the package', () => {
  expect(describeBucket(createBlock({}))).toMatchObject({
    name: 'b2',
    version: '0.8.9',
    publisher: 'backblaze',
    repository: 'https://github.com/backblaze/terraform-provider-b2',
    meta: { moduleFormat: '(.*)(?:/[^/]*)' },
    parameterization: { baseProvider: { name: 'terraform-provider' }, parameter: 'cGFyYW0=' },
  })
})

test('list resources and actions are functions of the schema', () => {
  const { functions = {}, types = {} } = describeBucket(
    createBlock({ zone: createPlainAttribute('r') }),
  )
  const list = functions['b2:index/listBucket:listBucket']
  expect(list?.inputs?.properties?.['config']).toEqual({
    $ref: '#/types/b2:index/listBucketConfig:listBucketConfig',
  })
  expect(types['b2:index/listBucketConfig:listBucketConfig']?.required).toEqual(['zone'])
  expect(types['b2:index/listBucketItem:listBucketItem']?.required).toEqual([
    ...['displayName', 'identity'],
  ])
  const action = functions['b2:index/runScan:runScan']
  expect([action?.inputs?.required, action?.outputs]).toEqual([['zone'], undefined])
})
