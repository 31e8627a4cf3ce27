import {
  type CtyPath,
  createAttributeStep,
  createIndexStep,
  createKeyStep,
} from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import { areEqualRaw } from '../values/raw-equality.ts'
import { type BlockSchema, type NestedBlockSchema, impliedTypeOf } from '../values/schema.ts'
import { findAttributePlanFlaws } from './attribute-flaws.ts'
import { type PlannedPart, enterPlannedPart, findExistenceFlaw } from './planned-part.ts'
import {
  type ProviderFlaw,
  attributeOf,
  findElement,
  elementsOf,
  entriesOf,
} from './object-shape.ts'

/**
 * Returns the parts of a plan that contradict the configuration. A provider may set computed
 * attributes, and may keep a prior value that it regards as equal to the configured one.
 */
export function findPlanFlaws(
  block: BlockSchema,
  values: Omit<PlannedPart, 'path'>,
): readonly ProviderFlaw[] {
  return findBlockFlaws(block, { ...values, path: [] })
}

function findBlockFlaws(block: BlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const existenceFlaw = findExistenceFlaw(part)
  if (existenceFlaw !== undefined) return [existenceFlaw]
  if (part.planned.kind === 'null') return []
  const type = impliedTypeOf(block)
  return [...type.attributes].flatMap(([name, partType]) => {
    const inner = enterPlannedPart(part, createAttributeStep(name), value =>
      attributeOf(value, name, partType),
    )
    const attribute = block.attributes.get(name)
    if (attribute !== undefined) return findAttributePlanFlaws(attribute, inner)
    const nested = block.blocks.get(name)
    return nested === undefined ? [] : findNestedFlaws(nested, inner)
  })
}

function findNestedFlaws(nested: NestedBlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const { config, planned, path } = part
  if (areEqualRaw(planned, config, { ignoresRefinements: true })) return []
  if (config.kind === 'unknown')
    return [{ message: 'blocks must stay unknown while their number is unknown', path }]
  if (planned.kind === 'unknown')
    return [{ message: 'a block must not be unknown itself, only its attributes', path }]
  if (nested.nesting === 'single' || nested.nesting === 'group')
    return findBlockFlaws(nested.block, part)
  if (planned.kind === 'null')
    return [{ message: 'the plan has null instead of an empty collection of blocks', path }]
  switch (nested.nesting) {
    case 'list':
      return findListFlaws(nested.block, part)
    case 'map':
      return findMapFlaws(nested.block, part)
    case 'set':
      // Elements of sets cannot be matched with configured ones, so the provider is trusted.
      return planned.kind === 'set'
        ? planned.elements.flatMap((element, position) =>
            findUnknownBlockFlaws(element, [...path, { kind: 'element', position }]),
          )
        : []
  }
}

function findUnknownBlockFlaws(element: CtyValue, path: CtyPath): readonly ProviderFlaw[] {
  return element.kind === 'unknown'
    ? [{ message: 'a block must not be unknown itself, only its attributes', path }]
    : []
}

function findListFlaws(block: BlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const { config, planned, path } = part
  // `ignoreChanges` can copy a null from the prior state of a legacy provider to the
  // configuration. The null counts as no blocks.
  const configuredCount = elementsOf(config).length
  const elements = elementsOf(planned)
  if (elements.length !== configuredCount)
    return [
      {
        message: `${elements.length} blocks are planned, but ${configuredCount} are configured`,
        path,
      },
    ]
  const type = impliedTypeOf(block)
  return elements.flatMap((_element, index) =>
    findElementFlaws(
      block,
      enterPlannedPart(
        part,
        createIndexStep(index),
        value => findElement(value, index, type) ?? nullOf(type),
      ),
    ),
  )
}

function findMapFlaws(block: BlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const type = impliedTypeOf(block)
  const planned = entriesOf(part.planned)
  const config = entriesOf(part.config)
  const keys = new Set([...planned.keys(), ...config.keys()])
  return [...keys].flatMap(key => {
    const path = [...part.path, createKeyStep(key)]
    if (!config.has(key)) return [{ message: 'a block is planned that is not configured', path }]
    if (!planned.has(key)) return [{ message: 'a block is configured that is not planned', path }]
    return findElementFlaws(
      block,
      enterPlannedPart(
        part,
        createKeyStep(key),
        value => entriesOf(value).get(key) ?? nullOf(type),
      ),
    )
  })
}

function findElementFlaws(block: BlockSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const unknowns = findUnknownBlockFlaws(part.planned, part.path)
  return unknowns.length > 0 ? unknowns : findBlockFlaws(block, part)
}
