import { type CtyType, dynamicType } from './type-system.ts'

/** Returns the declared type of an element or attribute, from the declared type of the whole. */
export function elementTypeOf(declared: CtyType, key: string | number): CtyType {
  switch (declared.kind) {
    case 'list':
    case 'set':
    case 'map':
      return declared.element
    case 'tuple':
      return declared.elements[Number(key)] ?? dynamicType
    case 'object':
      return declared.attributes.get(String(key)) ?? dynamicType
    default:
      return declared
  }
}
