import { attributeStep, indexStep, keyStep } from '../values/cty-path.ts'
import { nullOf } from '../values/cty-value.ts'
import { equalRaw } from '../values/equality.ts'
import { type AttributeSchema, type ObjectSchema, typeOfObject } from '../values/schema.ts'
import { lengthRangeOf } from '../values/semantic-equality.ts'
import { type ProviderFlaw, attributeOf, elementAt, elementsOf, entriesOf } from './object-shape.ts'
import { type PlannedPart, enterPlanned, existenceFlaw } from './planned-part.ts'

/** Returns the flaws of the planned value of an attribute. */
export function attributeFlaws(
  attribute: AttributeSchema,
  part: PlannedPart,
): readonly ProviderFlaw[] {
  const { prior, config, planned, path } = part
  const { isComputed = false, isOptional = false, isWriteOnly = false } = attribute
  if (equalRaw(planned, config, { ignoresRefinements: true })) return []
  const isKept =
    prior.kind !== 'null' &&
    config.kind !== 'null' &&
    equalRaw(planned, prior, { ignoresRefinements: true })
  if (isKept || (isComputed && !isOptional)) return []
  if (config.kind === 'null') {
    if (isComputed || planned.kind === 'null') return []
    return [{ message: 'a value is planned for an attribute that is not computed', path }]
  }
  if (isWriteOnly && planned.kind === 'null') return []
  if (attribute.kind === 'nested') return nestedValueFlaws(attribute.nested, part)
  const others = prior.kind === 'null' ? '' : ' nor the prior one'
  return [{ message: `the planned value is not the configured one${others}`, path }]
}

function nestedValueFlaws(nested: ObjectSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const { config, planned, path } = part
  const existence = existenceFlaw(part)
  if (existence !== undefined) return [existence]
  if (planned.kind === 'unknown')
    return [{ message: 'a configured value is planned as unknown', path }]
  if (planned.kind === 'null') return []
  if (nested.nesting === 'single') return objectFlaws(nested, part)
  const configured = lengthRangeOf(config)
  const lengths = lengthRangeOf(planned)
  const isUncertain = config.kind === 'unknown' || nested.nesting === 'set'
  const isPossible = isUncertain
    ? configured.max >= lengths.min && configured.min <= lengths.max && config.kind !== 'unknown'
    : configured.max === lengths.max
  if (!isPossible)
    return [{ message: 'the number of planned elements is not the configured one', path }]
  const type = typeOfObject(nested)
  switch (nested.nesting) {
    case 'set':
      return []
    case 'list':
      return elementsOf(planned).flatMap((_element, index) =>
        objectFlaws(
          nested,
          enterPlanned(
            part,
            indexStep(index),
            value => elementAt(value, index, type) ?? nullOf(type),
          ),
        ),
      )
    case 'map': {
      const wanted = entriesOf(config)
      return [...entriesOf(planned).keys()].flatMap(key => {
        if (!wanted.has(key))
          return [
            {
              message: 'an element is planned that is not configured',
              path: [...path, keyStep(key)],
            },
          ]
        return objectFlaws(
          nested,
          enterPlanned(part, keyStep(key), value => entriesOf(value).get(key) ?? nullOf(type)),
        )
      })
    }
  }
}

function objectFlaws(nested: ObjectSchema, part: PlannedPart): readonly ProviderFlaw[] {
  const existence = existenceFlaw(part)
  if (existence !== undefined) return [existence]
  if (part.planned.kind === 'null') return []
  return [...typeOfObject(nested).attributes].flatMap(([name, type]) => {
    const attribute = nested.attributes.get(name)
    const inner = enterPlanned(part, attributeStep(name), value => attributeOf(value, name, type))
    return attribute === undefined ? [] : attributeFlaws(attribute, inner)
  })
}
