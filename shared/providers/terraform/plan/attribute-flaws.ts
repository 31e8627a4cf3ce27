import { createAttributeStep, createIndexStep, createKeyStep } from '../values/cty-path.ts'
import { nullOf } from '../values/cty-value.ts'
import { areEqualRaw } from '../values/raw-equality.ts'
import { type AttributeSchema, type ObjectSchema, typeOfObject } from '../values/schema.ts'
import { lengthRangeOf } from '../values/semantic-equality.ts'
import {
  type ProviderFlaw,
  attributeOf,
  findElement,
  elementsOf,
  entriesOf,
} from './object-shape.ts'
import { type PlannedPart, enterPlannedPart, findExistenceFlaw } from './planned-part.ts'

/** Returns the flaws of the planned value of an attribute. */
export function findAttributePlanFlaws(
  attribute: AttributeSchema,
  part: PlannedPart,
): readonly ProviderFlaw[] {
  const { prior, config, planned, path } = part
  const { isComputed = false, isOptional = false, isWriteOnly = false } = attribute
  if (areEqualRaw(planned, config, { ignoresRefinements: true })) return []
  const isPriorKept =
    prior.kind !== 'null' &&
    config.kind !== 'null' &&
    areEqualRaw(planned, prior, { ignoresRefinements: true })
  if (isPriorKept || (isComputed && !isOptional)) return []
  if (config.kind === 'null') {
    if (isComputed || planned.kind === 'null') return []
    return [{ message: 'a value is planned for an attribute that is not computed', path }]
  }
  if (isWriteOnly && planned.kind === 'null') return []
  if (attribute.kind === 'nested') return findNestedValueFlaws(attribute.nested, part)
  const message =
    prior.kind === 'null'
      ? 'the planned value is not the configured one'
      : 'the planned value is neither the configured nor the prior one'
  return [{ message, path }]
}

function findNestedValueFlaws(nested: ObjectSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const { config, planned, path } = part
  const existenceFlaw = findExistenceFlaw(part)
  if (existenceFlaw !== undefined) return [existenceFlaw]
  if (planned.kind === 'unknown')
    return [{ message: 'a configured value is planned as unknown', path }]
  if (planned.kind === 'null') return []
  if (nested.nesting === 'single') return findObjectFlaws(nested, part)
  const configLengths = lengthRangeOf(config)
  const plannedLengths = lengthRangeOf(planned)
  const isCountPossible =
    nested.nesting === 'set'
      ? configLengths.max >= plannedLengths.min && configLengths.min <= plannedLengths.max
      : configLengths.max === plannedLengths.max
  if (config.kind === 'unknown' || !isCountPossible)
    return [{ message: 'the number of planned elements is not the configured one', path }]
  const type = typeOfObject(nested)
  switch (nested.nesting) {
    case 'set':
      return []
    case 'list':
      return elementsOf(planned).flatMap((_element, index) =>
        findObjectFlaws(
          nested,
          enterPlannedPart(
            part,
            createIndexStep(index),
            value => findElement(value, index, type) ?? nullOf(type),
          ),
        ),
      )
    case 'map': {
      const configEntries = entriesOf(config)
      return [...entriesOf(planned).keys()].flatMap(key => {
        if (!configEntries.has(key))
          return [
            {
              message: 'an element is planned that is not configured',
              path: [...path, createKeyStep(key)],
            },
          ]
        return findObjectFlaws(
          nested,
          enterPlannedPart(
            part,
            createKeyStep(key),
            value => entriesOf(value).get(key) ?? nullOf(type),
          ),
        )
      })
    }
  }
}

function findObjectFlaws(nested: ObjectSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const existenceFlaw = findExistenceFlaw(part)
  if (existenceFlaw !== undefined) return [existenceFlaw]
  if (part.planned.kind === 'null') return []
  return [...typeOfObject(nested).attributes].flatMap(([name, type]) => {
    const attribute = nested.attributes.get(name)
    const inner = enterPlannedPart(part, createAttributeStep(name), value =>
      attributeOf(value, name, type),
    )
    return attribute === undefined ? [] : findAttributePlanFlaws(attribute, inner)
  })
}
