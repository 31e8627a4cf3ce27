import { type CtyPath, attributeStep, formatPlace, indexStep } from './cty-path.ts'
import { type CtyType, type ObjectType, describeType, equalTypes } from './type-system.ts'

/**
 * Returns the reasons for which a type does not conform to another one, as sentences; none if it
 * conforms. Each type conforms to itself and to the dynamic type, at any depth.
 */
export function conformanceErrorsOf(
  type: CtyType,
  wanted: CtyType,
  path: CtyPath = [],
): readonly string[] {
  if (wanted.kind === 'dynamic' || equalTypes(type, wanted)) return []
  if (type.kind === 'object' && wanted.kind === 'object') return compareObjects(type, wanted, path)
  if (type.kind === 'tuple' && wanted.kind === 'tuple') {
    if (type.elements.length !== wanted.elements.length)
      return [
        `${wanted.elements.length} elements are required, but got ${type.elements.length}${formatPlace(path)}`,
      ]
    return wanted.elements.flatMap((element, index) => {
      const actual = type.elements[index]
      return actual === undefined
        ? []
        : conformanceErrorsOf(actual, element, [...path, indexStep(index)])
    })
  }
  if (
    (type.kind === 'list' || type.kind === 'set' || type.kind === 'map') &&
    wanted.kind === type.kind
  )
    return conformanceErrorsOf(type.element, wanted.element, path)
  return [`${describeType(wanted)} is required, but got ${describeType(type)}${formatPlace(path)}`]
}

function compareObjects(type: ObjectType, wanted: ObjectType, path: CtyPath): readonly string[] {
  const surplus = [...type.attributes.keys()].filter(name => !wanted.attributes.has(name))
  return [
    ...surplus.map(name => `the attribute '${name}' is not supported${formatPlace(path)}`),
    ...[...wanted.attributes].flatMap(([name, attribute]) => {
      const actual = type.attributes.get(name)
      return actual === undefined
        ? [`the attribute '${name}' is missing${formatPlace(path)}`]
        : conformanceErrorsOf(actual, attribute, [...path, attributeStep(name)])
    }),
  ]
}

/** Reports whether a type conforms to another one. */
export function conformsTo(type: CtyType, wanted: CtyType): boolean {
  return conformanceErrorsOf(type, wanted).length === 0
}
