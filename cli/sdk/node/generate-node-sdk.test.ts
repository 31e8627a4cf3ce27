import { expect, test } from 'vitest'
import {
  type PackageSchema,
  packageSchemaForm,
} from '../../../shared/providers/package-schema/package-schema.ts'
import type { GeneratedSdk } from '../generated-sdk.ts'
import { generateNodeSdk } from './generate-node-sdk.ts'

const shopSchema = {
  name: 'shop',
  version: '1.2.3',
  meta: { moduleFormat: '(.*)(?:/[^/]*)' },
  types: {
    'shop:store/Rule:Rule': {
      type: 'object',
      properties: { key: { type: 'string' }, gen: { type: 'integer' } },
      required: ['key'],
      language: { nodejs: { requiredOutputs: ['gen', 'key'] } },
    },
    'shop:store/Size:Size': { type: 'string', enum: [{ value: 's' }, { value: 'm' }] },
  },
  provider: {
    inputProperties: {
      zone: { type: 'string', defaultInfo: { environment: ['SHOP_ZONE'] } },
      limits: { type: 'object', additionalProperties: { type: 'number' } },
    },
    properties: { zone: { type: 'string' } },
  },
  config: { variables: { retries: { type: 'integer', default: 3 } } },
  resources: {
    'shop:store/shelf:Shelf': {
      description: 'A shelf. */ is no end.',
      properties: {
        kind: { type: 'string', const: 'shelf' },
        rules: { type: 'array', items: { $ref: '#/types/shop:store/Rule:Rule' } },
        token: { type: 'string', secret: true },
        twin: { $ref: '#/resources/shop:store/shelf:Shelf' },
      },
      required: ['token'],
      inputProperties: {
        kind: { type: 'string', const: 'shelf' },
        rules: {
          type: 'array',
          items: { $ref: '#/types/shop:store/Rule:Rule' },
          description: 'The rules.',
          deprecationMessage: 'Use none.',
        },
        size: { $ref: '#/types/shop:store/Size:Size' },
        token: { type: 'string', secret: true },
      },
      requiredInputs: ['kind', 'token'],
      aliases: [{ type: 'shop:old/shelf:Shelf' }],
    },
  },
  functions: {
    'shop:index/delete:delete': {
      inputs: { properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] },
      multiArgumentInputs: ['a', 'b'],
      outputs: { type: 'boolean' },
    },
    'shop:store/getShelf:getShelf': {
      inputs: { properties: { rule: { $ref: '#/types/shop:store/Rule:Rule' } } },
      outputs: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    },
    'shop:index/method:method': { inputs: { properties: { __self__: { $ref: '#/provider' } } } },
  },
}

const generate = (schema: object) => generateNodeSdk(packageSchemaForm.parse(schema))
const readText = (sdk: GeneratedSdk, path: string): string =>
  sdk.files.get(path)?.content.toString() ?? ''
const sdk = generate(shopSchema)
const linesOf = (path: string): readonly string[] =>
  readText(sdk, path)
    .split('\n')
    .map(line => line.trim())

test('modules are folders, and the index of the package exports them', () => {
  expect([...sdk.files.keys()].toSorted()).toEqual([
    ...['config/index.d.ts', 'config/index.js', 'index.d.ts', 'index.js', 'package.json'],
    ...['runtime.js', 'store/index.d.ts', 'store/index.js', 'types/index.d.ts'],
    ...['types/input.d.ts', 'types/output.d.ts'],
  ])
  expect(linesOf('index.d.ts')).toContain("export * as store from './store'")
  expect(linesOf('index.js')).toContain('store: () => require("./store"),')
  expect(linesOf('store/index.js')).toContain("const runtime = require('../runtime.js')")
})

test('a resource has outputs, and its inputs accept outputs', () => {
  const lines = linesOf('store/index.d.ts')
  expect(lines).toContain('readonly rules: pulumi.Output<outputs.store.Rule[] | undefined>')
  expect(lines).toContain('readonly token: pulumi.Output<string>')
  expect(lines).toContain('readonly twin: pulumi.Output<self.store.Shelf | undefined>')
  expect(lines).toContain('rules?: pulumi.Input<pulumi.Input<inputs.store.RuleArgs>[] | undefined>')
  expect(lines).toContain('size?: pulumi.Input<"s" | "m" | undefined>')
  expect(lines).toContain('token: pulumi.Input<string>')
  expect(lines).toContain('kind?: pulumi.Input<"shelf" | undefined>')
})

test('nested types require other properties as inputs than as outputs', () => {
  expect(linesOf('types/input.d.ts')).toEqual(
    expect.arrayContaining([
      'export namespace store {',
      ...['export interface RuleArgs {', 'gen?: pulumi.Input<number | undefined>'],
      ...['export interface Rule {', 'gen?: number | undefined'],
    ]),
  )
  expect(linesOf('types/output.d.ts')).toEqual(
    expect.arrayContaining(['readonly gen: number', 'readonly key: string']),
  )
})

test('descriptions and deprecations are comments, which no text can end', () => {
  const text = readText(sdk, 'store/index.d.ts')
  expect(text).toContain(' * A shelf. *\u2215 is no end.')
  expect(text).toContain('   * The rules.\n   *\n   * @deprecated Use none.')
})

test('the classes contain secrets, constants, defaults and aliases', () => {
  const shelf = readText(sdk, 'store/index.js')
  expect(shelf).toContain('"secrets": [\n    "token"\n  ]')
  expect(shelf).toContain('"const": "shelf"')
  expect(shelf).toContain('"shop:old/shelf:Shelf"')
  const provider = readText(sdk, 'index.js')
  expect(provider).toContain('"limits": {\n      "isJson": true\n    }')
  expect(provider).toContain('"SHOP_ZONE"')
})

test('functions have a plain form and one with outputs, and methods are omitted', () => {
  const lines = linesOf('index.d.ts')
  expect(lines).toContain(
    'declare function delete_(a: string, b?: number | undefined, opts?: pulumi.InvokeOptions): Promise<boolean>',
  )
  expect(lines).toContain('export { delete_ as delete }')
  expect(linesOf('store/index.d.ts')).toContain(
    'export declare function getShelfOutput(args?: GetShelfOutputArgs, opts?: pulumi.InvokeOutputOptions): pulumi.Output<GetShelfResult>',
  )
  expect(sdk.omissions).toEqual(['method shop:index/method:method'])
})

test('a function whose result is an enumeration returns a single value', () => {
  const functions = {
    'shop:store/getRule:getRule': { outputs: { $ref: '#/types/shop:store/Rule:Rule' } },
    'shop:store/getSize:getSize': { outputs: { $ref: '#/types/shop:store/Size:Size' } },
  }
  const text = readText(generate({ ...shopSchema, functions }), 'store/index.js')
  expect(text).toContain('"shop:store/getRule:getRule", {"hasArguments":false})')
  expect(text).toContain('"shop:store/getSize:getSize", {"hasArguments":false,"isSingle":true})')
})

test('the manifest names the plugin, or the base plugin with its parameters', () => {
  const pulumiOf = (schema: PackageSchema): unknown => {
    const manifest: unknown = JSON.parse(readText(generateNodeSdk(schema), 'package.json'))
    return Object(manifest).pulumi
  }
  const schema = packageSchemaForm.parse(shopSchema)
  expect(pulumiOf(schema)).toEqual({ resource: true, name: 'shop', version: '1.2.3' })
  const baseProvider = { name: 'base', version: '4.5.6' }
  expect(pulumiOf({ ...schema, parameterization: { baseProvider, parameter: 'cA==' } })).toEqual({
    resource: true,
    name: 'base',
    version: '4.5.6',
    parameterization: { name: 'shop', version: '1.2.3', value: 'cA==' },
  })
})

test.each([
  ['/aws/v6.0.0/schema.json#/types/aws:s3/x:X', "uses the type '/aws/v6.0.0"],
  ['#/types/shop:store/Missing:Missing', "has no type 'shop:store/Missing:Missing'"],
])('a schema with the reference %s is refused', ($ref, problem) => {
  const resource = { inputProperties: { value: { $ref } } }
  expect(() => generate({ name: 'shop', resources: { 'shop:index:A': resource } })).toThrow(problem)
})

test('settings of the schema rename modules, and replace unions of outputs', () => {
  const choice = { type: 'string', oneOf: [{ type: 'string' }, { type: 'number' }] }
  const nested = { type: 'object', properties: { size: { type: 'number' } } }
  const properties = {
    choice,
    open: { oneOf: choice.oneOf },
    text: { $ref: 'pulumi.json#/Json' },
    rule: { $ref: '#/types/shop:core/v1:Rule' },
  }
  const nodejs = {
    compatibility: 'kubernetes20',
    disableUnionOutputTypes: true,
    moduleToPackage: { 'core/v1': 'core' },
  }
  const namedSdk = generate({
    name: 'shop',
    language: { nodejs },
    types: { 'shop:core/v1:Rule': nested },
    resources: { 'shop:core/v1:Shelf': { properties, inputProperties: properties } },
  })
  const text = readText(namedSdk, 'core/index.d.ts')
  expect(text).toContain('readonly choice: pulumi.Output<string | undefined>')
  expect(text).toContain('readonly open: pulumi.Output<any | undefined>')
  expect(text).toContain('choice?: pulumi.Input<string | number | undefined>')
  expect(text).toContain('inputs.core.Rule')
  expect(text).not.toContain('RuleArgs')
  expect(text).toMatch(/text\?: pulumi\.Input<any/)
})
