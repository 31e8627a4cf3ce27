import { type PropertyMap, type PropertyValue, isList, isMap } from '../../../values/value.ts'
import { objectOfType } from '../values/build-value.ts'
import {
  type BuildPlace,
  type BuildReport,
  enterPart,
  reportProblem,
} from '../values/config-problem.ts'
import { convertInput, createItemStep, unwrapInput } from '../values/convert-input.ts'
import type { BuiltConfig } from '../values/build-config.ts'
import { createAttributeStep, createKeyStep } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import { blocksOf, emptyBlockOf } from '../values/empty-block.ts'
import {
  type BlockSchema,
  type NestedBlockSchema,
  impliedTypeOf,
  typeOfAttribute,
  typeOfNestedBlock,
} from '../values/schema.ts'
import { unknownOf } from '../values/unknown-value.ts'
import type { PropertyNames } from './property-names.ts'
import { toTerraformInputs } from './rename-inputs.ts'

/**
 * Rebuilds the state of an object from its outputs, by the current schema. Attributes that the
 * outputs do not have are null, so the state is a guess if the schema has changed. The problems are
 * outputs that do not fit the schema. Such outputs are null in the state.
 */
export function rebuildState(
  block: BlockSchema,
  names: PropertyNames,
  outputs: PropertyMap,
): BuiltConfig {
  const report: BuildReport = { problems: [], sensitivePaths: [] }
  const { inputs } = toTerraformInputs(names, outputs)
  const value = rebuildObject(block, inputs, { report, path: [] })
  return { value, ...report }
}

function rebuildObject(block: BlockSchema, input: PropertyValue, place: BuildPlace): CtyValue {
  const type = impliedTypeOf(block)
  const plain = unwrapInput(input, place)
  if (plain === undefined) return unknownOf(type)
  if (!isMap(plain)) {
    reportProblem(place, 'an object is required')
    return nullOf(type)
  }
  return objectOfType(type, name => {
    const part = plain.get(name) ?? null
    const partPlace = enterPart(place, createAttributeStep(name))
    const attribute = block.attributes.get(name)
    if (attribute !== undefined) return convertInput(part, typeOfAttribute(attribute), partPlace)
    const nested = block.blocks.get(name)
    return nested === undefined ? nullOf(type) : rebuildBlocks(nested, part, partPlace)
  })
}

function rebuildBlocks(
  nested: NestedBlockSchema,
  input: PropertyValue,
  place: BuildPlace,
): CtyValue {
  const { block, nesting } = nested
  const plain = unwrapInput(input, place)
  if (plain === undefined) return unknownOf(typeOfNestedBlock(nested))
  if (plain === null) return emptyBlockOf(nested)
  if (nesting === 'single' || nesting === 'group') return rebuildObject(block, plain, place)
  if (nesting === 'map' && isMap(plain))
    return blocksOf(
      nested,
      [...plain].map(([key, item]) => [
        key,
        rebuildObject(block, item, enterPart(place, createKeyStep(key))),
      ]),
    )
  if (nesting !== 'map' && isList(plain))
    return blocksOf(
      nested,
      plain.map((item, index) => [
        '',
        rebuildObject(block, item, enterPart(place, createItemStep(nesting, index))),
      ]),
    )
  reportProblem(place, 'a collection of blocks is required')
  return emptyBlockOf(nested)
}
