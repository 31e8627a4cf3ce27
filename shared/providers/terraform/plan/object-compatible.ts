import { attributeStep, indexStep, isAtOrBelow, keyStep } from '../values/cty-path.ts'
import type { CtyPath } from '../values/cty-path.ts'
import { type CtyValue, nullOf } from '../values/cty-value.ts'
import {
  type AttributeSchema,
  type BlockSchema,
  type NestedBlockSchema,
  impliedTypeOf,
} from '../values/schema.ts'
import { type ProviderFlaw, attributeOf, elementAt, elementsOf, entriesOf } from './object-shape.ts'
import { compareSets, valueFlaws } from './value-compatible.ts'

/** A planned value, and the value that became of it. */
interface ComparedPart {
  readonly planned: CtyValue
  readonly actual: CtyValue
  readonly path: CtyPath
  /** Parts whose flaws must not be described. */
  readonly sensitivePaths: readonly CtyPath[]
}

/**
 * Returns the parts of an actual object that contradict the planned one. Each known part of the
 * plan must be the same, and each unknown one must be within its refinements.
 */
export function findInconsistencies(
  block: BlockSchema,
  values: Pick<ComparedPart, 'planned' | 'actual'>,
  sensitivePaths: readonly CtyPath[] = [],
): readonly ProviderFlaw[] {
  return blockInconsistencies(block, { ...values, path: [], sensitivePaths })
}

function blockInconsistencies(block: BlockSchema, part: ComparedPart): readonly ProviderFlaw[] {
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
      path: [...path, attributeStep(name)],
    }
    const attribute = block.attributes.get(name)
    if (attribute !== undefined) return attributeInconsistencies(attribute, inner)
    const nested = block.blocks.get(name)
    return nested === undefined ? [] : nestedInconsistencies(nested, inner)
  })
}

function attributeInconsistencies(
  attribute: AttributeSchema,
  { planned, actual, path, sensitivePaths }: ComparedPart,
): readonly ProviderFlaw[] {
  const flaws = valueFlaws(planned, actual, path)
  const isSensitive =
    attribute.isSensitive === true ||
    sensitivePaths.some(marked => isAtOrBelow(marked, path) || isAtOrBelow(path, marked))
  return isSensitive && flaws.length > 0
    ? [{ message: 'inconsistent values for a sensitive attribute', path }]
    : flaws
}

function nestedInconsistencies(
  { block, nesting }: NestedBlockSchema,
  part: ComparedPart,
): readonly ProviderFlaw[] {
  const { planned, actual, path } = part
  if (nesting === 'single' || nesting === 'group') {
    // Blocks of an unknown number may turn out to be none.
    const isNone = planned.kind === 'unknown' && actual.kind === 'null'
    return isNone ? [] : blockInconsistencies(block, part)
  }
  const isComparable = [planned, actual].every(({ kind }) => kind !== 'unknown' && kind !== 'null')
  if (!isComparable) return []
  switch (nesting) {
    case 'list':
      return listInconsistencies(block, part)
    case 'map':
      return mapInconsistencies(block, part)
    case 'set':
      return planned.kind === 'set' && actual.kind === 'set'
        ? compareSets(planned, actual, {
            path,
            isCompatible: (left, right) =>
              blockInconsistencies(block, { ...part, planned: left, actual: right }).length === 0,
          })
        : []
  }
}

function listInconsistencies(block: BlockSchema, part: ComparedPart): readonly ProviderFlaw[] {
  const { planned, actual, path } = part
  const before = elementsOf(planned).length
  const after = elementsOf(actual).length
  if (before !== after)
    return [{ message: `the number of blocks changed from ${before} to ${after}`, path }]
  const type = impliedTypeOf(block)
  return elementsOf(planned).flatMap((element, index) =>
    blockInconsistencies(block, {
      ...part,
      planned: element,
      actual: elementAt(actual, index, type) ?? nullOf(type),
      path: [...path, indexStep(index)],
    }),
  )
}

function mapInconsistencies(block: BlockSchema, part: ComparedPart): readonly ProviderFlaw[] {
  const planned = entriesOf(part.planned)
  const actual = entriesOf(part.actual)
  const keys = new Set([...planned.keys(), ...actual.keys()])
  return [...keys].flatMap(key => {
    const path = [...part.path, keyStep(key)]
    const plannedBlock = planned.get(key)
    const actualBlock = actual.get(key)
    if (plannedBlock === undefined) return [{ message: 'a block has appeared', path }]
    if (actualBlock === undefined) return [{ message: 'a block has vanished', path }]
    return blockInconsistencies(block, {
      ...part,
      planned: plannedBlock,
      actual: actualBlock,
      path,
    })
  })
}
