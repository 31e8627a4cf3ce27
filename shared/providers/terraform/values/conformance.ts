import { type CtyPath, createAttributeStep, formatPlace, createIndexStep } from './cty-path.ts'
import { type CtyType, type ObjectType, describeType, areEqualTypes } from './type-system.ts'

/**
 * Returns the reasons why a type does not conform to a required one, as sentences. Returns none if
 * it conforms. Each type conforms to itself and to the dynamic type, at any depth.
 */
export function conformanceErrorsOf(
  type: CtyType,
  required: CtyType,
  path: CtyPath = [],
): readonly string[] {
  if (required.kind === 'dynamic' || areEqualTypes(type, required)) return []
  if (type.kind === 'object' && required.kind === 'object')
    return compareObjects(type, required, path)
  if (type.kind === 'tuple' && required.kind === 'tuple') {
    if (type.elements.length !== required.elements.length)
      return [
        `${required.elements.length} elements are required, but got ${type.elements.length}${formatPlace(path)}`,
      ]
    return required.elements.flatMap((element, index) => {
      const actual = type.elements[index]
      return actual === undefined
        ? []
        : conformanceErrorsOf(actual, element, [...path, createIndexStep(index)])
    })
  }
  if (
    (type.kind === 'list' || type.kind === 'set' || type.kind === 'map') &&
    required.kind === type.kind
  )
    return conformanceErrorsOf(type.element, required.element, path)
  return [
    `${describeType(required)} is required, but got ${describeType(type)}${formatPlace(path)}`,
  ]
}

function compareObjects(type: ObjectType, required: ObjectType, path: CtyPath): readonly string[] {
  const surplus = [...type.attributes.keys()].filter(name => !required.attributes.has(name))
  return [
    ...surplus.map(name => `the attribute '${name}' is not supported${formatPlace(path)}`),
    ...[...required.attributes].flatMap(([name, attribute]) => {
      const actual = type.attributes.get(name)
      return actual === undefined
        ? [`the attribute '${name}' is missing${formatPlace(path)}`]
        : conformanceErrorsOf(actual, attribute, [...path, createAttributeStep(name)])
    }),
  ]
}

/** Reports whether a type conforms to a required one. */
export function conformsTo(type: CtyType, required: CtyType): boolean {
  return conformanceErrorsOf(type, required).length === 0
}
