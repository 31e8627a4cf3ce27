import type {
  AttributeSchema,
  BlockSchema,
  NestedBlockSchema,
  ObjectSchema,
} from '../../../shared/providers/terraform/values/schema.ts'
import { readTypeJson } from '../../../shared/providers/terraform/values/type-json.ts'

/** A block in the output of `tofu providers schema -json`. */
export interface RecordedBlock {
  readonly attributes?: Readonly<Record<string, RecordedAttribute>>
  readonly block_types?: Readonly<Record<string, RecordedBlockType>>
}

interface RecordedAttribute {
  readonly type?: unknown
  readonly nested_type?: {
    readonly attributes: Readonly<Record<string, RecordedAttribute>>
    readonly nesting_mode: ObjectSchema['nesting']
  }
  readonly required?: boolean
  readonly optional?: boolean
  readonly computed?: boolean
  readonly sensitive?: boolean
  readonly write_only?: boolean
}

interface RecordedBlockType {
  readonly block: RecordedBlock
  readonly nesting_mode: NestedBlockSchema['nesting']
  readonly min_items?: number
  readonly max_items?: number
}

/** Converts the schema of a block. */
export function readRecordedBlock(recorded: RecordedBlock): BlockSchema {
  return {
    attributes: readRecordedAttributes(recorded.attributes ?? {}),
    blocks: new Map(
      Object.entries(recorded.block_types ?? {}).map(([name, blockType]) => [
        name,
        {
          block: readRecordedBlock(blockType.block),
          nesting: blockType.nesting_mode,
          minItems: blockType.min_items ?? 0,
          maxItems: blockType.max_items ?? 0,
        },
      ]),
    ),
  }
}

function readRecordedAttributes(
  recorded: Readonly<Record<string, RecordedAttribute>>,
): ReadonlyMap<string, AttributeSchema> {
  return new Map(
    Object.entries(recorded).map(([name, attribute]) => [name, readRecordedAttribute(attribute)]),
  )
}

function readRecordedAttribute(recorded: RecordedAttribute): AttributeSchema {
  const { nested_type: nestedType } = recorded
  const flags = {
    isRequired: recorded.required === true,
    isOptional: recorded.optional === true,
    isComputed: recorded.computed === true,
    isSensitive: recorded.sensitive === true,
    isWriteOnly: recorded.write_only === true,
  }
  if (nestedType === undefined)
    return { ...flags, kind: 'plain', type: readTypeJson(recorded.type) }
  const attributes = readRecordedAttributes(nestedType.attributes)
  return { ...flags, kind: 'nested', nested: { attributes, nesting: nestedType.nesting_mode } }
}
