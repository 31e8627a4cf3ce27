import type { CtyNumber } from './cty-number.ts'
import { type CtyType, boolType, numberType, stringType } from './type-system.ts'
import type { Refinements } from './refinements.ts'

/**
 * A value of cty: null, unknown or known. Each value has its own type, which is never dynamic
 * except for null and unknown.
 */
export type CtyValue =
  | CtyNull
  | CtyUnknown
  | { readonly kind: 'string'; readonly type: CtyType; readonly text: string }
  | { readonly kind: 'number'; readonly type: CtyType; readonly number: CtyNumber }
  | { readonly kind: 'bool'; readonly type: CtyType; readonly isTrue: boolean }
  | CtySequence
  | CtyMapping

/** The absence of a value. Each type has a null. */
export interface CtyNull {
  readonly kind: 'null'
  readonly type: CtyType
}

/** A value that is not known yet. Its refinements limit the possible values. */
export interface CtyUnknown {
  readonly kind: 'unknown'
  readonly type: CtyType
  readonly refinements: Refinements
}

/** A list, tuple or set. Elements of a set are sorted, and no two known ones are equal. */
export interface CtySequence {
  readonly kind: 'list' | 'set' | 'tuple'
  readonly type: CtyType
  readonly elements: readonly CtyValue[]
}

/** A map or object. An object has exactly the attributes of its type. */
export interface CtyMapping {
  readonly kind: 'map' | 'object'
  readonly type: CtyType
  readonly entries: ReadonlyMap<string, CtyValue>
}

/** Returns the null of a type. */
export function nullOf(type: CtyType): CtyValue {
  return { kind: 'null', type }
}

/** Returns a known string. The text is normalized, and lone surrogates are replaced. */
export function stringOf(text: string): CtyValue {
  return { kind: 'string', type: stringType, text: text.toWellFormed().normalize('NFC') }
}

/** Returns a known number. */
export function numberOf(number: CtyNumber): CtyValue {
  return { kind: 'number', type: numberType, number }
}

/** Returns a known bool. */
export function boolOf(isTrue: boolean): CtyValue {
  return { kind: 'bool', type: boolType, isTrue }
}

/** Reports whether a value and all of its parts are known. */
export function isWhollyKnown(value: CtyValue): boolean {
  switch (value.kind) {
    case 'unknown':
      return false
    case 'list':
    case 'tuple':
    case 'set':
      return value.elements.every(isWhollyKnown)
    case 'map':
    case 'object':
      for (const part of value.entries.values()) if (!isWhollyKnown(part)) return false
      return true
    default:
      return true
  }
}
