import { expect, test } from 'vitest'
import { packageSchemaForm } from '../../../shared/providers/package-schema/package-schema.ts'
import type { GeneratedSdk } from '../generated-sdk.ts'
import { generatePythonSdk } from './generate-python-sdk.ts'

const ruleReference = { $ref: '#/types/shop:store/Rule:Rule' }
const shopSchema = {
  name: 'my-shop',
  version: '1.2.3-beta.4',
  meta: { moduleFormat: '(.*)(?:/[^/]*)' },
  types: {
    'shop:store/Rule:Rule': {
      type: 'object',
      properties: {
        ruleKey: { type: 'string', replaceOnChanges: true },
        gen: { type: 'integer', default: 3, defaultInfo: { environment: ['SHOP_GEN'] } },
      },
      required: ['ruleKey'],
    },
    'shop:store/Size:Size': {
      type: 'string',
      enum: [{ value: 's.small' }, { name: 'Medium', value: 'm' }, { value: '2' }],
    },
  },
  provider: {
    inputProperties: {
      zone: { type: 'string', defaultInfo: { environment: ['SHOP_ZONE'] } },
      limits: { type: 'object', additionalProperties: { type: 'number' } },
    },
    properties: { zone: { type: 'string' }, limits: { type: 'object' } },
  },
  config: { variables: { maxRetries: { type: 'integer', default: 3 } } },
  resources: {
    'shop:store/shelf:Shelf': {
      description: 'A """shelf""" \\ more.',
      properties: {
        rules: { type: 'array', items: ruleReference },
        size: { oneOf: [{ type: 'string' }, { $ref: '#/types/shop:store/Size:Size' }] },
        accessToken: { type: 'string', secret: true },
        twin: { $ref: '#/resources/shop:store/shelf:Shelf' },
      },
      required: ['accessToken'],
      inputProperties: {
        kind: { type: 'string', const: 'shelf' },
        from: { type: 'string' },
        opts: { type: 'string', plain: true },
        rules: { type: 'array', items: ruleReference, deprecationMessage: 'Use none.' },
        size: { oneOf: [{ type: 'string' }, { $ref: '#/types/shop:store/Size:Size' }] },
        accessToken: { type: 'string', secret: true },
      },
      requiredInputs: ['kind', 'accessToken'],
      stateInputs: { properties: { rules: { type: 'array', items: ruleReference } } },
      aliases: [{ type: 'shop:old/shelf:Shelf' }],
    },
    'shop:store/rule:Rule': { isComponent: true, inputProperties: {} },
  },
  functions: {
    'shop:index/lambda:lambda': {
      inputs: { properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] },
      multiArgumentInputs: ['b', 'a'],
      outputs: { type: 'boolean' },
    },
    'shop:store/getShelf:getShelf': {
      inputs: { properties: { shelfRule: ruleReference } },
      outputs: { type: 'object', properties: { shelfId: { type: 'string' } }, required: [] },
    },
    'shop:index/method:method': { inputs: { properties: { __self__: { $ref: '#/provider' } } } },
  },
}

const generate = (schema: object) => generatePythonSdk(packageSchemaForm.parse(schema))
const readText = (sdk: GeneratedSdk, path: string): string =>
  sdk.files.get(path)?.content.toString() ?? ''
const sdk = generate(shopSchema)
const read = (path: string): string => readText(sdk, `pulumi_my_shop/${path}`)
const linesOf = (path: string): readonly string[] =>
  read(path)
    .split('\n')
    .map(line => line.trim())

test('each resource and function has a file, and modules are folders', () => {
  expect([...sdk.files.keys()].toSorted()).toEqual([
    ...['.gitignore', 'pulumi_my_shop/__init__.py', 'pulumi_my_shop/_utilities.py'],
    ...['pulumi_my_shop/config/__init__.py', 'pulumi_my_shop/config/__init__.pyi'],
    ...['pulumi_my_shop/lambda_.py', 'pulumi_my_shop/provider.py'],
    ...['pulumi_my_shop/pulumi-plugin.json', 'pulumi_my_shop/py.typed'],
    'pulumi_my_shop/store/__init__.py',
    ...['pulumi_my_shop/store/_enums.py', 'pulumi_my_shop/store/_inputs.py'],
    ...['pulumi_my_shop/store/get_shelf.py', 'pulumi_my_shop/store/outputs.py'],
    ...['pulumi_my_shop/store/rule.py', 'pulumi_my_shop/store/shelf.py', 'pyproject.toml'],
  ])
  expect(linesOf('__init__.py')).toContain(
    '__getattr__ = _utilities.import_lazily(__name__, ["config", "store"])',
  )
  expect(linesOf('__init__.py')).toContain(
    '"shop:store/shelf:Shelf": "pulumi_my_shop.store.Shelf",',
  )
  expect(linesOf('store/__init__.py')).toContain('from .shelf import *')
})

test('the project file has a version of Python, and the plugin file one of the plugin', () => {
  expect(readText(sdk, 'pyproject.toml')).toContain('name = "pulumi_my_shop"\nversion = "1.2.3b4"')
  expect(JSON.parse(read('pulumi-plugin.json'))).toEqual({
    resource: true,
    name: 'my-shop',
    version: '1.2.3-beta.4',
  })
})

test('names are in snake case, and the name in the schema is that of the getter', () => {
  const lines = linesOf('store/shelf.py')
  expect(lines).toContain('@pulumi.getter(name="accessToken")')
  expect(lines).toContain('def access_token(self) -> pulumi.Output[_builtins.str]:')
  expect(lines).toContain('from_: pulumi.Input[_typing.Optional[_builtins.str]] = None,')
})

test('parameters named as those of all resources end with an underscore', () => {
  const lines = linesOf('store/shelf.py')
  expect(lines).toContain('opts_: _typing.Optional[_builtins.str] = None,')
  expect(lines).toContain('"opts_": _utilities.Input(property="opts"),')
})

test('a resource has outputs, and its inputs accept outputs and dictionaries', () => {
  const lines = linesOf('store/shelf.py')
  const rule = '_root.store._inputs.RuleArgs'
  expect(lines).toContain(
    `rules: pulumi.Input[_typing.Optional[_typing.Sequence[pulumi.Input[_typing.Union[${rule}, ${rule}Dict]]]]] = None,`,
  )
  expect(lines).toContain(
    'def rules(self) -> pulumi.Output[_typing.Optional[_typing.Sequence[_root.store.outputs.Rule]]]:',
  )
  expect(lines).toContain('def twin(self) -> pulumi.Output[_typing.Optional[_root.store.Shelf]]:')
  expect(lines).toContain('access_token: pulumi.Input[_builtins.str],')
})

test('an enumeration that accepts other texts is a text in outputs', () => {
  const lines = linesOf('store/shelf.py')
  expect(lines).toContain('def size(self) -> pulumi.Output[_typing.Optional[_builtins.str]]:')
  expect(lines).toContain(
    'size: pulumi.Input[_typing.Optional[_typing.Union[_builtins.str, _root.store._enums.Size]]] = None,',
  )
})

test('the definition of a resource has secrets, constants, aliases and replacements', () => {
  const lines = linesOf('store/shelf.py')
  expect(lines).toContain('"kind": _utilities.Input(const="shelf"),')
  expect(lines).toContain('"access_token": _utilities.Input(is_required=True, is_secret=True),')
  expect(lines).toContain('secret_outputs=["accessToken"],')
  expect(lines).toContain('aliases=["shop:old/shelf:Shelf"],')
  expect(lines).toContain('replace_on_changes=["rules[*].ruleKey"],')
  expect(lines).toContain('outputs=["twin"],')
  expect(linesOf('store/rule.py')).toContain('is_custom=False,')
})

test('the provider registers other inputs than texts as JSON, and has the texts as outputs', () => {
  const lines = linesOf('provider.py')
  expect(lines).toContain('token="my-shop",')
  expect(lines).toContain('"limits": _utilities.Input(is_json=True),')
  expect(lines).toContain('"zone": _utilities.Input(env=["SHOP_ZONE"], kind=_builtins.str),')
  expect(read('provider.py')).not.toContain('def limits(self) -> pulumi.Output')
})

test('a component cannot be read by its id, and its arguments avoid the name of a type', () => {
  expect(read('store/rule.py')).not.toContain('def get(')
  expect(linesOf('store/rule.py')).toContain('__all__ = ["RuleInitArgs", "Rule"]')
  expect(linesOf('store/shelf.py')).toContain('__props__ = _utilities.create_state(_ShelfState, {')
})

test('nested types have defaults as inputs, and are dictionaries as outputs', () => {
  expect(linesOf('store/_inputs.py')).toEqual(
    expect.arrayContaining([
      ...['class RuleArgsDict(_typing.TypedDict):', 'class RuleArgs:', 'class Rule:'],
      '"gen": _utilities.read_default(gen, default=3, env=["SHOP_GEN"], kind=_builtins.int),',
    ]),
  )
  expect(linesOf('store/outputs.py')).toEqual(
    expect.arrayContaining(['class Rule(dict):', '"gen": gen,']),
  )
})

test('enumerations have members with capitals', () => {
  expect(linesOf('store/_enums.py')).toEqual(
    expect.arrayContaining(['class Size(_builtins.str, _enum.Enum):', 'S_SMALL = "s.small"']),
  )
  expect(linesOf('store/_enums.py')).toEqual(expect.arrayContaining(['MEDIUM = "m"', 'TWO = "2"']))
})

test('each value of an enumeration is a member, also an empty or repeated one', () => {
  const values = [{ value: '' }, { value: 'red' }, { value: 'Red' }, { value: 'red_2' }]
  const type = { type: 'string', enum: values }
  const text = readText(
    generate({ name: 'shop', types: { 'shop:index:Color': type } }),
    'pulumi_shop/_enums.py',
  )
  for (const member of ['EMPTY = ""', 'RED = "red"', 'RED_3 = "Red"', 'RED_2 = "red_2"'])
    expect(text).toContain(`    ${member}\n`)
})

test('an input of a function named as its options ends with an underscore', () => {
  const properties = { opts: { type: 'string' }, resourceName: { type: 'string' } }
  const functions = { 'shop:index:find': { inputs: { properties } } }
  const text = readText(generate({ name: 'shop', functions }), 'pulumi_shop/find.py')
  expect(text).toContain('    opts_: _typing.Optional[_builtins.str] = None,\n')
  expect(text).toContain('"opts": opts_,')
  expect(text).toContain('"resourceName": resource_name,')
})

test('constants and defaults of nested types are optional arguments, but required entries of dictionaries', () => {
  const properties = {
    kind: { type: 'string', const: 'book' },
    count: { type: 'integer', default: 3 },
  }
  const type = { type: 'object', properties, required: ['kind', 'count'] }
  const items = { $ref: '#/types/shop:index:Item' }
  const functions = {
    'shop:index:find': {
      inputs: { properties: { item: items } },
      outputs: { properties: { item: items } },
    },
  }
  const shop = generate({ name: 'shop', types: { 'shop:index:Item': type }, functions })
  const inputs = readText(shop, 'pulumi_shop/_inputs.py')
  expect(inputs).toContain('        kind: _typing.Optional[_builtins.str] = None,\n')
  expect(inputs).toContain('        count: _typing.Optional[_builtins.int] = None,\n')
  expect(inputs).toContain('"kind": "book",\n')
  expect(inputs).toContain('class ItemDict(_typing.TypedDict):\n    count: _builtins.int\n')
  expect(inputs).toContain('def kind(self) -> _builtins.str:')
  expect(readText(shop, 'pulumi_shop/outputs.py')).toContain('        kind: _builtins.str,\n')
})

test('descriptions and deprecations are documentation, which no text can end', () => {
  expect(linesOf('store/shelf.py')).toContain('A \\"\\"\\"shelf\\"\\"\\" \\\\ more.')
  expect(linesOf('store/shelf.py')).toContain('"rules": "Use none.",')
})

test('functions have a plain form and one with outputs, and methods are omitted', () => {
  const lines = linesOf('store/get_shelf.py')
  expect(lines).toContain('"shelfRule": shelf_rule,')
  expect(lines).toContain(') -> AwaitableGetShelfResult:')
  expect(lines).toContain(') -> pulumi.Output[GetShelfResult]:')
  expect(sdk.omissions).toEqual(['method shop:index/method:method'])
})

test('positional arguments keep their order, and a single value is returned as it is', () => {
  const text = read('lambda_.py')
  expect(text.indexOf('    b: ')).toBeLessThan(text.indexOf('    a: '))
  expect(text).toContain(') -> _builtins.bool:')
  expect(text).toContain('_utilities.call_single_function("shop:index/lambda:lambda"')
})

test('configuration variables have defaults, and their stub has types', () => {
  expect(linesOf('config/__init__.py')).toContain(
    'return _utilities.read_default(pulumi.Config("my-shop").get_int("maxRetries"), default=3)',
  )
  expect(linesOf('config/__init__.pyi')).toContain('max_retries: _builtins.int')
})

test('in SDKs of bridged providers, results of functions have names of their own', () => {
  const bridged = generate({
    ...shopSchema,
    language: { python: { compatibility: 'tfbridge20', packageName: 'shop_sdk' } },
    functions: {
      'shop:store/getRule:getRule': {
        inputs: { properties: { filter: ruleReference } },
        outputs: { properties: { rule: ruleReference } },
      },
    },
  })
  expect(readText(bridged, 'shop_sdk/store/outputs.py')).toContain('class RuleResult(dict):')
  expect(readText(bridged, 'shop_sdk/store/get_rule.py')).toContain('_root.store._inputs.RuleArgs,')
})

test.each([
  ['/aws/v6.0.0/schema.json#/types/aws:s3/x:X', "uses the type '/aws/v6.0.0"],
  ['#/types/shop:store/Missing:Missing', "has no type 'shop:store/Missing:Missing'"],
])('a schema with the reference %s is refused', ($ref, problem) => {
  const resource = { inputProperties: { value: { $ref } } }
  expect(() => generate({ name: 'shop', resources: { 'shop:index:A': resource } })).toThrow(problem)
})
