import type { AttributeFlags, AttributeSchema, BlockSchema, NestedBlockSchema } from './schema.ts'
import { parseTypeJson } from './type-json.ts'

/** Reads flags from their first letters: required, optional, computed, sensitive, write-only. */
function readFlags(letters: string): AttributeFlags {
  return {
    isRequired: letters.includes('r'),
    isOptional: letters.includes('o'),
    isComputed: letters.includes('c'),
    isSensitive: letters.includes('s'),
    isWriteOnly: letters.includes('w'),
  }
}

/** Creates an attribute. `letters` are its flags, and `type` is its type in JSON. */
export function createPlainAttribute(letters: string, type = '"string"'): AttributeSchema {
  return { ...readFlags(letters), kind: 'plain', type: parseTypeJson(type) }
}

/** Creates an attribute with nested attributes. */
export function createNestedAttribute(
  letters: string,
  nesting: 'single' | 'list' | 'set' | 'map',
  attributes: Readonly<Record<string, AttributeSchema>>,
): AttributeSchema {
  return {
    ...readFlags(letters),
    kind: 'nested',
    nested: { nesting, attributes: new Map(Object.entries(attributes)) },
  }
}

/** Creates a block. */
export function createBlock(
  attributes: Readonly<Record<string, AttributeSchema>>,
  blocks: Readonly<Record<string, NestedBlockSchema>> = {},
): BlockSchema {
  return {
    attributes: new Map(Object.entries(attributes)),
    blocks: new Map(Object.entries(blocks)),
  }
}

/** Creates a nested block, by default without limits of the number of blocks. */
export function createNestedBlock(
  nesting: NestedBlockSchema['nesting'],
  block: BlockSchema,
  limits: { readonly minItems?: number; readonly maxItems?: number } = {},
): NestedBlockSchema {
  return { nesting, block, minItems: 0, maxItems: 0, ...limits }
}
