import type {
  FunctionMessage as WireFunction,
  Function_Parameter,
  ResourceIdentitySchema,
  Schema_NestedBlock_NestingMode,
} from '../../../../proto/gen/terraform/tfplugin6.ts'
import { createError } from '../../../errors/error.ts'
import type {
  AttributeMessage,
  BlockMessage,
  BlockTypeMessage,
  FunctionMessage,
  FunctionParameterMessage,
  IdentitySchemaMessage,
  NestedTypeMessage,
  SchemaDescription,
  SchemaMessage,
  SchemaNesting,
} from './schema-messages.ts'
import type { WireAttribute, WireBlock, WireBlockType, WireSchema } from './wire-schema.ts'

/** Converts a schema from the wire. Throws PLUGIN_FAILED for a malformed schema. */
export function readSchema(schema: WireSchema): SchemaMessage {
  return { version: schema.version, block: readBlock(schema.block) }
}

/** Converts a block. A provider without attributes may leave out its block. */
function readBlock(block: WireBlock | undefined): BlockMessage {
  return {
    attributes: (block?.attributes ?? []).map(readAttribute),
    blockTypes: (block?.blockTypes ?? []).map(readBlockType),
    description: readDescription(block?.description, block?.descriptionKind),
    isDeprecated: block?.deprecated ?? false,
    deprecationMessage: block?.deprecationMessage ?? '',
  }
}

function readBlockType(blockType: WireBlockType): BlockTypeMessage {
  const { typeName, minItems, maxItems } = blockType
  const nesting = readNesting(blockType.nesting, `block '${typeName}'`)
  return { typeName, block: readBlock(blockType.block), nesting, minItems, maxItems }
}

function readAttribute(attribute: WireAttribute): AttributeMessage {
  const { name, nestedType } = attribute
  return {
    name,
    type: nestedType === undefined ? readType(attribute.type, `attribute '${name}'`) : undefined,
    nestedType: nestedType && readNestedType(nestedType, name),
    description: readDescription(attribute.description, attribute.descriptionKind),
    isRequired: attribute.required,
    isOptional: attribute.optional,
    isComputed: attribute.computed,
    isSensitive: attribute.sensitive,
    isWriteOnly: attribute.writeOnly,
    isDeprecated: attribute.deprecated,
    deprecationMessage: attribute.deprecationMessage,
  }
}

function readNestedType(
  { attributes, nesting: wireNesting }: NonNullable<WireAttribute['nestedType']>,
  name: string,
): NestedTypeMessage {
  const nesting = readNesting(wireNesting, `attribute '${name}'`)
  if (nesting === 'group') throw createMalformedError(`attribute '${name}'`, 'the nesting group')
  return { attributes: attributes.map(readAttribute), nesting }
}

/** The nesting modes, in the order of their numbers in the protocol. */
const nestings: readonly (SchemaNesting | undefined)[] = [
  undefined,
  'single',
  'list',
  'set',
  'map',
  'group',
]

function readNesting(mode: Schema_NestedBlock_NestingMode, place: string): SchemaNesting {
  const nesting = nestings[mode]
  if (nesting === undefined) throw createMalformedError(place, `the nesting mode ${mode}`)
  return nesting
}

function readType(bytes: Uint8Array, place: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    throw createMalformedError(place, 'a type that is not JSON')
  }
}

function createMalformedError(place: string, content: string): Error {
  return createError('PLUGIN_FAILED', `the provider's schema has ${content} in its ${place}`)
}

function readDescription(text = '', kind: 0 | 1 = 0): SchemaDescription {
  return { text, isMarkdown: kind === 1 }
}

/** Converts the schema of an identity. Throws PLUGIN_FAILED for a malformed type. */
export function readIdentitySchema(schema: ResourceIdentitySchema): IdentitySchemaMessage {
  return {
    version: schema.version,
    attributes: schema.identityAttributes.map(attribute => ({
      name: attribute.name,
      type: readType(attribute.type, `identity attribute '${attribute.name}'`),
      isRequiredForImport: attribute.requiredForImport,
      isOptionalForImport: attribute.optionalForImport,
      description: attribute.description,
    })),
  }
}

/** Converts a function. Throws PLUGIN_FAILED for a malformed type. */
export function readFunction(wireFunction: WireFunction, name: string): FunctionMessage {
  const { variadicParameter } = wireFunction
  const place = `function '${name}'`
  return {
    parameters: wireFunction.parameters.map(parameter => readParameter(parameter, place)),
    variadicParameter: variadicParameter && readParameter(variadicParameter, place),
    returnType: readType(wireFunction.return?.type ?? new Uint8Array(), place),
    summary: wireFunction.summary,
    description: readDescription(wireFunction.description, wireFunction.descriptionKind),
    deprecationMessage: wireFunction.deprecationMessage,
  }
}

function readParameter(parameter: Function_Parameter, place: string): FunctionParameterMessage {
  return {
    name: parameter.name,
    type: readType(parameter.type, place),
    allowsNull: parameter.allowNullValue,
    allowsUnknown: parameter.allowUnknownValues,
    description: readDescription(parameter.description, parameter.descriptionKind),
  }
}

/** Converts the values of a map. `convert` also gets the key. */
export function convertEntries<A, B>(
  entries: ReadonlyMap<string, A>,
  convert: (value: A, name: string) => B,
): ReadonlyMap<string, B> {
  return new Map([...entries].map(([name, value]) => [name, convert(value, name)]))
}
