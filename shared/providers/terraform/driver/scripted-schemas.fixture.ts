/** The schemas of the scripted provider, and the codecs of their values. */
import type {
  AttributeMessage,
  BlockMessage,
  IdentitySchemaMessage,
  SchemaMessage,
} from '../client/schema-messages.ts'
import type { MsgpackValue, ReceivedValue } from '../client/terraform-client.ts'
import { readBlockSchema } from '../mapping/read-schema-messages.ts'
import { createPlanObject, type PlainValue, toPlain } from '../plan/objects.fixture.ts'
import { nullOf } from '../values/cty-value.ts'
import { impliedTypeOf } from '../values/schema.ts'
import { decodeValue, encodeValue } from './wire-values.ts'

/** A plain object, such as a state or a configuration. */
export type PlainObject = { readonly [name: string]: PlainValue }

/**
 * Creates an attribute. `letters` are the first letters of its flags: required, optional, computed,
 * sensitive, write-only.
 */
export function createAttributeMessage(
  name: string,
  letters: string,
  type: unknown = 'string',
): AttributeMessage {
  return {
    name,
    type,
    nestedType: undefined,
    description: { text: '', isMarkdown: false },
    isRequired: letters.includes('r'),
    isOptional: letters.includes('o'),
    isComputed: letters.includes('c'),
    isSensitive: letters.includes('s'),
    isWriteOnly: letters.includes('w'),
    isDeprecated: false,
    deprecationMessage: '',
  }
}

/** Creates the schema of a type. */
export function createSchemaMessage(
  attributes: readonly AttributeMessage[],
  blockTypes: BlockMessage['blockTypes'] = [],
  version = 0,
): SchemaMessage {
  const description = { text: '', isMarkdown: false }
  const flags = { isDeprecated: false, deprecationMessage: '' }
  return { version, block: { attributes, blockTypes, description, ...flags } }
}

/** The resource type of the provider, `x_thing`. */
export const thingSchema: SchemaMessage = createSchemaMessage(
  [
    createAttributeMessage('id', 'c'),
    createAttributeMessage('label', 'r'),
    createAttributeMessage('value', 'o'),
    createAttributeMessage('zone', 'o'),
    createAttributeMessage('note', 'oc'),
    createAttributeMessage('key', 'os'),
    createAttributeMessage('token', 'cs'),
    createAttributeMessage('pass', 'ow'),
    createAttributeMessage('tag_list', 'o', ['list', 'string']),
  ],
  [
    {
      typeName: 'rule',
      block: createSchemaMessage([createAttributeMessage('port', 'o', 'number')]).block,
      nesting: 'list',
      minItems: 0,
      maxItems: 0,
    },
  ],
  1,
)

/** The identity of `x_thing`. */
export const identityAttributes: IdentitySchemaMessage['attributes'] = ['label', 'region'].map(
  name => ({
    name,
    type: 'string',
    isRequiredForImport: name === 'label',
    isOptionalForImport: name === 'region',
    description: '',
  }),
)

/** Encodes and decodes the values of one schema. */
export interface WireCodec {
  readonly encode: (plain: PlainValue) => MsgpackValue
  readonly decode: (received: ReceivedValue) => PlainValue
}

/** Creates the codec of a schema. */
export function codecOf({ block: message }: SchemaMessage): WireCodec {
  const block = readBlockSchema(message)
  const type = impliedTypeOf(block)
  return {
    encode: plain =>
      encodeValue(plain === null ? nullOf(type) : createPlanObject(block, plain), type),
    decode: received => toPlain(decodeValue(received, type)),
  }
}

/** The codec of `x_thing`. */
export const thingCodec: WireCodec = codecOf(thingSchema)

/** The codec of the identity of `x_thing`. */
export const identityCodec: WireCodec = codecOf(
  createSchemaMessage(identityAttributes.map(({ name }) => createAttributeMessage(name, 'o'))),
)

/** The data source of the provider, `x_lookup`. */
export const lookupSchema: SchemaMessage = createSchemaMessage([
  createAttributeMessage('label', 'r'),
  createAttributeMessage('value', 'c'),
])
/** The ephemeral resource of the provider, `x_ticket`. */
export const ticketSchema: SchemaMessage = createSchemaMessage([
  createAttributeMessage('label', 'r'),
  createAttributeMessage('token', 'c'),
])

/** The codec of the data source. */
export const lookupCodec: WireCodec = codecOf(lookupSchema)

/** The codec of the ephemeral resource. */
export const ticketCodec: WireCodec = codecOf(ticketSchema)
