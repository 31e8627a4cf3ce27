import type {
  AttributeMessage,
  BlockMessage,
  BlockTypeMessage,
  FunctionMessage,
  FunctionParameterMessage,
  IdentitySchemaMessage,
  SchemaDescription,
} from '../client/schema-messages.ts'
import type {
  AttributeFlags,
  AttributeSchema,
  BlockSchema,
  NestedBlockSchema,
} from '../values/schema.ts'
import { readTypeJson } from '../values/type-json.ts'
import type { CtyType } from '../values/type-system.ts'

/** The types of a function. */
export interface FunctionSignature {
  readonly parameters: readonly FunctionParameter[]
  /** The parameter for all further arguments. */
  readonly variadicParameter: FunctionParameter | undefined
  readonly returnType: CtyType
}

/** A parameter of a function. Its name is documentation, and may be empty. */
export interface FunctionParameter {
  readonly name: string
  readonly type: CtyType
  readonly allowsNull: boolean
  readonly allowsUnknown: boolean
}

/** Converts the message of a block. Throws TERRAFORM_PROVIDER_BUG for an invalid type. */
export function readBlockSchema(message: BlockMessage): BlockSchema {
  return {
    attributes: readAttributes(message.attributes),
    blocks: new Map(
      message.blockTypes.map(
        blockType => [blockType.typeName.normalize('NFC'), readNestedBlock(blockType)] as const,
      ),
    ),
    isDeprecated: message.isDeprecated,
    ...readTexts(message),
  }
}

function readNestedBlock({
  block,
  nesting,
  minItems,
  maxItems,
}: BlockTypeMessage): NestedBlockSchema {
  return { block: readBlockSchema(block), nesting, minItems, maxItems }
}

function readAttributes(
  messages: readonly AttributeMessage[],
): ReadonlyMap<string, AttributeSchema> {
  return new Map(
    messages.map(message => [message.name.normalize('NFC'), readAttributeSchema(message)] as const),
  )
}

function readAttributeSchema(message: AttributeMessage): AttributeSchema {
  const { type, nestedType } = message
  const flags: AttributeFlags = {
    isRequired: message.isRequired,
    isOptional: message.isOptional,
    isComputed: message.isComputed,
    isSensitive: message.isSensitive,
    isWriteOnly: message.isWriteOnly,
    isDeprecated: message.isDeprecated,
    ...readTexts(message),
  }
  if (nestedType === undefined) return { ...flags, kind: 'plain', type: readTypeJson(type) }
  const { attributes, nesting } = nestedType
  return { ...flags, kind: 'nested', nested: { attributes: readAttributes(attributes), nesting } }
}

function readTexts(message: {
  readonly description: SchemaDescription
  readonly deprecationMessage: string
}): { readonly description?: string; readonly deprecationMessage?: string } {
  const { description, deprecationMessage } = message
  return {
    ...(description.text !== '' && { description: description.text }),
    ...(deprecationMessage !== '' && { deprecationMessage }),
  }
}

/**
 * Converts the message of an identity to a block of plain attributes. The flags say which of them
 * an import must or may name. Throws TERRAFORM_PROVIDER_BUG for an invalid type.
 */
export function readIdentityBlock({ attributes }: IdentitySchemaMessage): BlockSchema {
  return {
    attributes: new Map(
      attributes.map(({ name, type, isRequiredForImport, isOptionalForImport }) => {
        const isOptional = isOptionalForImport && !isRequiredForImport
        const attribute: AttributeSchema = {
          kind: 'plain',
          type: readTypeJson(type),
          isRequired: isRequiredForImport,
          isOptional,
          isComputed: !isRequiredForImport && !isOptional,
        }
        return [name.normalize('NFC'), attribute] as const
      }),
    ),
    blocks: new Map(),
  }
}

/** Converts the message of a function. Throws TERRAFORM_PROVIDER_BUG for an invalid type. */
export function readFunctionSignature(message: FunctionMessage): FunctionSignature {
  const { parameters, variadicParameter, returnType } = message
  return {
    parameters: parameters.map(readParameter),
    variadicParameter: variadicParameter && readParameter(variadicParameter),
    returnType: readTypeJson(returnType),
  }
}

function readParameter(message: FunctionParameterMessage): FunctionParameter {
  const { name, type, allowsNull, allowsUnknown } = message
  return { name, type: readTypeJson(type), allowsNull, allowsUnknown }
}
