import {
  createAttributeStep,
  createIndexStep,
  isAtOrBelow,
  createKeyStep,
} from '../values/cty-path.ts'
import type { CtyPath } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import {
  type AttributeSchema,
  type BlockSchema,
  type NestedBlockSchema,
  impliedTypeOf,
} from '../values/schema.ts'
import {
  type ProviderFlaw,
  attributeOf,
  findElement,
  elementsOf,
  entriesOf,
} from './object-shape.ts'
import { compareSets, findValueInconsistencies } from './value-inconsistencies.ts'

/** A planned value, and the actual value after the change. */
interface ComparedPart {
  readonly planned: CtyValue
  readonly actual: CtyValue
  readonly path: CtyPath
  /** Parts whose flaws are reported without a description. */
  readonly sensitivePaths: readonly CtyPath[]
}

/**
 * Returns the parts of an actual object that contradict the planned one. A known part of the plan
 * must equal the actual one. For an unknown part, the actual value must be within the refinements
 * of the plan.
 */
export function findInconsistencies(
  block: BlockSchema,
  values: Pick<ComparedPart, 'planned' | 'actual'>,
  sensitivePaths: readonly CtyPath[] = [],
): readonly ProviderFlaw[] {
  return findBlockInconsistencies(block, { ...values, path: [], sensitivePaths })
}

function findBlockInconsistencies(block: BlockSchema, part: ComparedPart): readonly ProviderFlaw[] {
  const { planned, actual, path } = part
  if (planned.kind === 'null' || actual.kind === 'null') {
    if (planned.kind === actual.kind) return []
    const message =
      actual.kind === 'null' ? 'was present, but is now absent' : 'was absent, but is now present'
    return [{ message, path }]
  }
  return [...impliedTypeOf(block).attributes].flatMap(([name, type]) => {
    const inner: ComparedPart = {
      ...part,
      planned: attributeOf(planned, name, type),
      actual: attributeOf(actual, name, type),
      path: [...path, createAttributeStep(name)],
    }
    const attribute = block.attributes.get(name)
    if (attribute !== undefined) return findAttributeInconsistencies(attribute, inner)
    const nested = block.blocks.get(name)
    return nested === undefined ? [] : findNestedInconsistencies(nested, inner)
  })
}

function findAttributeInconsistencies(
  attribute: AttributeSchema,
  { planned, actual, path, sensitivePaths }: ComparedPart,
): readonly ProviderFlaw[] {
  const flaws = findValueInconsistencies(planned, actual, path)
  const isSensitive =
    attribute.isSensitive === true ||
    sensitivePaths.some(
      sensitivePath => isAtOrBelow(sensitivePath, path) || isAtOrBelow(path, sensitivePath),
    )
  return isSensitive && flaws.length > 0
    ? [{ message: 'inconsistent values for a sensitive attribute', path }]
    : flaws
}

function findNestedInconsistencies(
  { block, nesting }: NestedBlockSchema,
  part: ComparedPart,
): readonly ProviderFlaw[] {
  const { planned, actual, path } = part
  if (nesting === 'single' || nesting === 'group') {
    // A block whose existence is unknown may turn out to be absent.
    const isAbsent = planned.kind === 'unknown' && actual.kind === 'null'
    return isAbsent ? [] : findBlockInconsistencies(block, part)
  }
  const isComparable = [planned, actual].every(({ kind }) => kind !== 'unknown' && kind !== 'null')
  if (!isComparable) return []
  switch (nesting) {
    case 'list':
      return findListInconsistencies(block, part)
    case 'map':
      return findMapInconsistencies(block, part)
    case 'set':
      return planned.kind === 'set' && actual.kind === 'set'
        ? compareSets(planned, actual, {
            path,
            isCompatible: (plannedBlock, actualBlock) =>
              findBlockInconsistencies(block, {
                ...part,
                planned: plannedBlock,
                actual: actualBlock,
              }).length === 0,
          })
        : []
  }
}

function findListInconsistencies(block: BlockSchema, part: ComparedPart): readonly ProviderFlaw[] {
  const { planned, actual, path } = part
  const plannedCount = elementsOf(planned).length
  const actualCount = elementsOf(actual).length
  if (plannedCount !== actualCount)
    return [
      { message: `the number of blocks changed from ${plannedCount} to ${actualCount}`, path },
    ]
  const type = impliedTypeOf(block)
  return elementsOf(planned).flatMap((element, index) =>
    findBlockInconsistencies(block, {
      ...part,
      planned: element,
      actual: findElement(actual, index, type) ?? nullOf(type),
      path: [...path, createIndexStep(index)],
    }),
  )
}

function findMapInconsistencies(block: BlockSchema, part: ComparedPart): readonly ProviderFlaw[] {
  const planned = entriesOf(part.planned)
  const actual = entriesOf(part.actual)
  const keys = new Set([...planned.keys(), ...actual.keys()])
  return [...keys].flatMap(key => {
    const path = [...part.path, createKeyStep(key)]
    const plannedBlock = planned.get(key)
    const actualBlock = actual.get(key)
    if (plannedBlock === undefined) return [{ message: 'a block has appeared', path }]
    if (actualBlock === undefined) return [{ message: 'a block has vanished', path }]
    return findBlockInconsistencies(block, {
      ...part,
      planned: plannedBlock,
      actual: actualBlock,
      path,
    })
  })
}
