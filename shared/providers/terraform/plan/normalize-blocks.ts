import { objectOfType } from '../values/build-value.ts'
import { type CtyMapping, type CtyValue, nullOf } from '../values/cty-value.ts'
import { blocksOf, emptyBlockOf } from '../values/empty-block.ts'
import { type BlockSchema, type NestedBlockSchema, impliedTypeOf } from '../values/schema.ts'
import { containsDynamic } from '../values/type-system.ts'
import { unknownOf } from '../values/unknown-value.ts'
import { attributeOf, elementsOf } from './object-shape.ts'

/**
 * Gives the blocks of a state the form that plans require. Old providers return null for absent
 * blocks, and one unknown value for unknown blocks. Maps of blocks, and blocks with dynamic parts,
 * stay unchanged.
 */
export function normalizeBlocks(block: BlockSchema, value: CtyValue): CtyValue {
  const blockType = impliedTypeOf(block)
  if (value.kind === 'null') return nullOf(blockType)
  return objectOfType(blockType, (name, type) => {
    const part = attributeOf(value, name, type)
    const nested = block.blocks.get(name)
    return nested === undefined ? part : normalizeNested(nested, part)
  })
}

function normalizeNested(nested: NestedBlockSchema, value: CtyValue): CtyValue {
  const { block, nesting } = nested
  if (containsDynamic(impliedTypeOf(block)) || nesting === 'map') return value
  if (value.kind === 'unknown') return unknownBlocksOf(nested)
  if (value.kind === 'null') return emptyBlockOf(nested)
  if (nesting === 'single' || nesting === 'group') return normalizeBlocks(block, value)
  return blocksOf(
    nested,
    elementsOf(value).map(element => ['', normalizeBlocks(block, element)] as const),
  )
}

/**
 * Returns the known form of unknown blocks: one block with unknown attributes. Maps are empty,
 * because their keys are unknown.
 */
function unknownBlocksOf(nested: NestedBlockSchema): CtyValue {
  switch (nested.nesting) {
    case 'single':
    case 'group':
      return unknownBlockOf(nested.block)
    case 'map':
      return blocksOf(nested, [])
    case 'list':
    case 'set':
      return blocksOf(nested, [['', unknownBlockOf(nested.block)]])
  }
}

function unknownBlockOf(block: BlockSchema): CtyMapping {
  return objectOfType(impliedTypeOf(block), (name, type) => {
    const nested = block.blocks.get(name)
    return nested === undefined ? unknownOf(type) : unknownBlocksOf(nested)
  })
}
