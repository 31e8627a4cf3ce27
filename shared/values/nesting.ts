import { createError } from '../errors/error.ts'

/**
 * Maximum nesting depth of a stored value. It is above the limit of Structs, 1,000 levels, so that
 * every value of a program or provider can be stored and read again.
 */
export const valueDepthMax = 1_100

/**
 * Maximum nesting depth of parsed JSON, such as a state, a journal entry or a request body.
 * Functions that visit such JSON are recursive, so a deeper one would overflow the stack.
 */
export const documentDepthMax = 1_200

/** Reports whether lists and objects are nested deeper than `levelsMax` levels. */
export function isNestedDeeper(json: unknown, levelsMax: number): boolean {
  if (typeof json !== 'object' || json === null) return false
  if (levelsMax === 0) return true
  if (Array.isArray(json)) {
    for (const item of json) if (isNestedDeeper(item, levelsMax - 1)) return true
    return false
  }
  for (const key in json)
    if (isNestedDeeper((json as Readonly<Record<string, unknown>>)[key], levelsMax - 1)) return true
  return false
}

/** A fault that `findDocumentFault` finds. */
export type DocumentFault = 'depth' | 'number'

/**
 * Finds a fault that the syntax of JSON allows: lists and objects deeper than `levelsMax` levels, or
 * a number above the range of a double. JavaScript parses such a number as infinity, and prints it
 * as null.
 */
export function findDocumentFault(json: unknown, levelsMax: number): DocumentFault | undefined {
  if (typeof json === 'number') return Number.isFinite(json) ? undefined : 'number'
  if (typeof json !== 'object' || json === null) return undefined
  if (levelsMax === 0) return 'depth'
  if (Array.isArray(json)) {
    for (const item of json) {
      const fault = findDocumentFault(item, levelsMax - 1)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  for (const key in json) {
    const item = (json as Readonly<Record<string, unknown>>)[key]
    const fault = findDocumentFault(item, levelsMax - 1)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Throws VALUE_MALFORMED if a part of a value is at a depth above `valueDepthMax`. */
export function checkValueDepth(depth: number): void {
  if (depth > valueDepthMax)
    throw createError(
      'VALUE_MALFORMED',
      `a value in the state is nested deeper than ${valueDepthMax} levels`,
    )
}
