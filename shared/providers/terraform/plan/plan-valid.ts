import { type CtyPath, attributeStep, indexStep, keyStep } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import { equalRaw } from '../values/equality.ts'
import { type BlockSchema, type NestedBlockSchema, impliedTypeOf } from '../values/schema.ts'
import { attributeFlaws } from './attribute-plan.ts'
import { type PlannedPart, enterPlanned, existenceFlaw } from './planned-part.ts'
import { type ProviderFlaw, attributeOf, elementAt, elementsOf, entriesOf } from './object-shape.ts'

/**
 * Returns the parts of a plan that the provider may not plan. A provider decides computed
 * attributes only. It may also keep a prior value that is equivalent to the configuration.
 */
export function findPlanFlaws(
  block: BlockSchema,
  values: Omit<PlannedPart, 'path'>,
): readonly ProviderFlaw[] {
  return blockFlaws(block, { ...values, path: [] })
}

function blockFlaws(block: BlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const existence = existenceFlaw(part)
  if (existence !== undefined) return [existence]
  if (part.planned.kind === 'null') return []
  const type = impliedTypeOf(block)
  return [...type.attributes].flatMap(([name, partType]) => {
    const inner = enterPlanned(part, attributeStep(name), value =>
      attributeOf(value, name, partType),
    )
    const attribute = block.attributes.get(name)
    if (attribute !== undefined) return attributeFlaws(attribute, inner)
    const nested = block.blocks.get(name)
    return nested === undefined ? [] : nestedFlaws(nested, inner)
  })
}

function nestedFlaws(nested: NestedBlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const { config, planned, path } = part
  if (equalRaw(planned, config, { ignoresRefinements: true })) return []
  if (config.kind === 'unknown')
    return [{ message: 'blocks of an unknown number must stay unknown', path }]
  if (planned.kind === 'unknown')
    return [{ message: 'a block must not be unknown itself, only its attributes', path }]
  if (nested.nesting === 'single' || nested.nesting === 'group')
    return blockFlaws(nested.block, part)
  if (planned.kind === 'null')
    return [{ message: 'no blocks must be an empty collection, not null', path }]
  switch (nested.nesting) {
    case 'list':
      return listFlaws(nested.block, part)
    case 'map':
      return mapFlaws(nested.block, part)
    case 'set':
      // Elements of sets cannot be correlated, so that the provider is trusted.
      return planned.kind === 'set'
        ? planned.elements.flatMap((element, position) =>
            unknownBlockFlaws(element, [...path, { kind: 'element', position }]),
          )
        : []
  }
}

function unknownBlockFlaws(element: CtyValue, path: CtyPath): readonly ProviderFlaw[] {
  return element.kind === 'unknown'
    ? [{ message: 'a block must not be unknown itself, only its attributes', path }]
    : []
}

function listFlaws(block: BlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const { config, planned, path } = part
  // A null in the configuration comes from an ignored change of a legacy provider.
  const wanted = elementsOf(config).length
  const elements = elementsOf(planned)
  if (elements.length !== wanted)
    return [
      { message: `${elements.length} blocks are planned, but ${wanted} are configured`, path },
    ]
  const type = impliedTypeOf(block)
  return elements.flatMap((_element, index) =>
    elementFlaws(
      block,
      enterPlanned(part, indexStep(index), value => elementAt(value, index, type) ?? nullOf(type)),
    ),
  )
}

function mapFlaws(block: BlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const type = impliedTypeOf(block)
  const planned = entriesOf(part.planned)
  const config = entriesOf(part.config)
  const keys = new Set([...planned.keys(), ...config.keys()])
  return [...keys].flatMap(key => {
    const path = [...part.path, keyStep(key)]
    if (!config.has(key)) return [{ message: 'a block is planned that is not configured', path }]
    if (!planned.has(key)) return [{ message: 'a block is configured that is not planned', path }]
    return elementFlaws(
      block,
      enterPlanned(part, keyStep(key), value => entriesOf(value).get(key) ?? nullOf(type)),
    )
  })
}

function elementFlaws(block: BlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const unknowns = unknownBlockFlaws(part.planned, part.path)
  return unknowns.length > 0 ? unknowns : blockFlaws(block, part)
}
