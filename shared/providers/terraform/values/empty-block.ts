import { listOf, mapOf, objectOf, objectOfType, setOf, tupleOf } from './build-value.ts'
import { type CtyMapping, type CtyValue, nullOf } from './cty-value.ts'
import { type BlockSchema, type NestedBlockSchema, impliedTypeOf } from './schema.ts'
import { containsDynamic } from './type-system.ts'

/** Returns the object of a block without any configured part: its attributes are null. */
export function emptyObjectOf(block: BlockSchema): CtyMapping {
  return objectOfType(impliedTypeOf(block), (name, type) => {
    const nested = block.blocks.get(name)
    return nested === undefined ? nullOf(type) : emptyBlockOf(nested)
  })
}

/** Returns the value of a nested block that the configuration does not have. */
export function emptyBlockOf(nested: NestedBlockSchema): CtyValue {
  const type = impliedTypeOf(nested.block)
  switch (nested.nesting) {
    case 'single':
      return nullOf(type)
    case 'group':
      return emptyObjectOf(nested.block)
    default:
      return blocksOf(nested, [])
  }
}

/** Returns the collection of some blocks. The keys are used only for a map. */
export function blocksOf(
  { block, nesting }: NestedBlockSchema,
  entries: readonly (readonly [string, CtyValue])[],
): CtyValue {
  const type = impliedTypeOf(block)
  const elements = entries.map(([, element]) => element)
  if (nesting === 'set') return setOf(elements, type)
  if (nesting === 'map') return containsDynamic(type) ? objectOf(entries) : mapOf(entries, type)
  return containsDynamic(type) ? tupleOf(elements) : listOf(elements, type)
}
