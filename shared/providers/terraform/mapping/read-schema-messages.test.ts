import { expect, test } from 'vitest'
import type { AttributeMessage, BlockMessage } from '../client/schema-messages.ts'
import { validateSchema } from '../values/validate-schema.ts'
import { nameArguments } from './function-names.ts'
import {
  type FunctionParameter,
  readBlockSchema,
  readFunctionSignature,
  readIdentityBlock,
} from './read-schema-messages.ts'

const noText = { text: '', isMarkdown: false }

function createAttribute(name: string, fields: Partial<AttributeMessage> = {}): AttributeMessage {
  return {
    name,
    type: 'string',
    nestedType: undefined,
    description: noText,
    isRequired: false,
    isOptional: true,
    isComputed: false,
    isSensitive: false,
    isWriteOnly: false,
    isDeprecated: false,
    deprecationMessage: '',
    ...fields,
  }
}

function createBlock(fields: Partial<BlockMessage>): BlockMessage {
  return {
    attributes: [],
    blockTypes: [],
    description: noText,
    isDeprecated: false,
    deprecationMessage: '',
    ...fields,
  }
}

test('the schema of a block has the types, flags and texts of its message', () => {
  const schema = readBlockSchema(
    createBlock({
      isDeprecated: true,
      description: { text: 'a thing', isMarkdown: true },
      attributes: [
        createAttribute('tags', {
          type: ['map', 'number'],
          description: { text: 'tags', isMarkdown: false },
        }),
        createAttribute('key', {
          isOptional: false,
          isRequired: true,
          isSensitive: true,
          isWriteOnly: true,
        }),
        createAttribute('conf', {
          type: undefined,
          isComputed: true,
          isDeprecated: true,
          nestedType: { nesting: 'set', attributes: [createAttribute('a', { type: 'bool' })] },
        }),
      ],
      blockTypes: [
        {
          typeName: 'rule',
          nesting: 'list',
          minItems: 1,
          maxItems: 2,
          block: createBlock({ attributes: [createAttribute('port')] }),
        },
      ],
    }),
  )
  expect(() => validateSchema(schema, 'the thing')).not.toThrow()
  expect(schema).toMatchObject({ isDeprecated: true, description: 'a thing' })
  expect([...schema.attributes.keys()]).toEqual(['tags', 'key', 'conf'])
  expect(schema.attributes.get('tags')).toEqual({
    kind: 'plain',
    type: { kind: 'map', element: { kind: 'number' } },
    isRequired: false,
    isOptional: true,
    isComputed: false,
    isSensitive: false,
    isWriteOnly: false,
    isDeprecated: false,
    description: 'tags',
  })
  expect(schema.attributes.get('key')).toMatchObject({
    isRequired: true,
    isOptional: false,
    isSensitive: true,
    isWriteOnly: true,
  })
  const conf = schema.attributes.get('conf')
  expect(conf).toMatchObject({ kind: 'nested', isComputed: true, isDeprecated: true })
  expect(conf?.kind === 'nested' && conf.nested.nesting).toBe('set')
  expect(conf?.kind === 'nested' && conf.nested.attributes.get('a')).toMatchObject({
    type: { kind: 'bool' },
  })
  const rule = schema.blocks.get('rule')
  expect(rule).toMatchObject({ nesting: 'list', minItems: 1, maxItems: 2 })
  expect(rule?.block.attributes.get('port')).not.toHaveProperty('description')
})

test('an invalid type is a bug of the provider', () => {
  const message = createBlock({ attributes: [createAttribute('a', { type: ['other', 'string'] })] })
  expect(() => readBlockSchema(message)).toThrow(
    expect.objectContaining({ code: 'TERRAFORM_PROVIDER_BUG' }),
  )
})

test('the schema of an identity is a block of plain attributes', () => {
  const attributeDefaults = { description: '', type: 'string', isOptionalForImport: false }
  const schema = readIdentityBlock({
    version: 1,
    attributes: [
      { ...attributeDefaults, name: 'zone', isRequiredForImport: true, isOptionalForImport: true },
      {
        ...attributeDefaults,
        name: 'region',
        isRequiredForImport: false,
        isOptionalForImport: true,
      },
      {
        ...attributeDefaults,
        name: 'serial',
        isRequiredForImport: false,
        type: ['list', 'number'],
      },
    ],
  })
  expect(() => validateSchema(schema, 'the identity')).not.toThrow()
  const flags = [...schema.attributes].map(([name, { isRequired, isOptional, isComputed }]) => [
    name,
    isRequired,
    isOptional,
    isComputed,
  ])
  expect(flags).toEqual([
    ['zone', true, false, false],
    ['region', false, true, false],
    ['serial', false, false, true],
  ])
  expect(schema.attributes.get('serial')).toMatchObject({ type: { kind: 'list' } })
})

test('the signature of a function has its types', () => {
  const parameter = { description: noText, allowsNull: true, allowsUnknown: false }
  const message = {
    parameters: [{ ...parameter, name: 'a', type: 'number' }],
    variadicParameter: { ...parameter, name: 'rest', type: 'dynamic' },
    returnType: ['object', { some_list: ['list', 'string'] }],
    summary: '',
    description: noText,
    deprecationMessage: '',
  }
  const signature = readFunctionSignature(message)
  expect(signature).toMatchObject({
    parameters: [{ name: 'a', type: { kind: 'number' }, allowsNull: true, allowsUnknown: false }],
    variadicParameter: { name: 'rest', type: { kind: 'dynamic' } },
    returnType: { kind: 'object' },
  })
  const { variadicParameter } = readFunctionSignature({ ...message, variadicParameter: undefined })
  expect(variadicParameter).toBeUndefined()
})

test.each<[readonly string[], string | undefined, readonly string[]]>([
  [['sep', 'some_list'], 'more_parts', ['sep', 'someList', 'moreParts']],
  [['', 'a', ''], '', ['arg1', 'a', 'arg3', 'arg4']],
  [['a_b', 'aB', 'a_b'], 'aB', ['aB', 'aB2', 'aB3', 'aB4']],
  [[], undefined, []],
])(
  'the parameters %j and the variadic parameter %j have the argument names %j',
  (names, variadic, expected) => {
    const createParameter = (name: string): FunctionParameter => ({
      name,
      type: { kind: 'string' },
      allowsNull: false,
      allowsUnknown: false,
    })
    const signature = {
      parameters: names.map(createParameter),
      variadicParameter: variadic === undefined ? undefined : createParameter(variadic),
      returnType: { kind: 'string' },
    } as const
    expect(nameArguments(signature)).toEqual(expected)
  },
)
