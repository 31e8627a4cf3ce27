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
  return findFault(json, levelsMax, false) !== undefined
}

/** A fault that `findDocumentFault` finds. */
export type DocumentFault = 'depth' | 'number'

/**
 * Finds a fault that the syntax of JSON allows: lists and objects deeper than `levelsMax` levels, or
 * a number above the range of a double. JavaScript parses such a number as infinity, and prints it
 * as null.
 */
export function findDocumentFault(json: unknown, levelsMax: number): DocumentFault | undefined {
  return findFault(json, levelsMax, true)
}

function findFault(
  json: unknown,
  levelsMax: number,
  checksNumbers: boolean,
): DocumentFault | undefined {
  if (typeof json === 'number')
    return checksNumbers && !Number.isFinite(json) ? 'number' : undefined
  if (typeof json !== 'object' || json === null) return undefined
  if (levelsMax === 0) return 'depth'
  if (Array.isArray(json)) {
    for (const item of json) {
      const fault = findFault(item, levelsMax - 1, checksNumbers)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  for (const key in json) {
    const item = (json as Readonly<Record<string, unknown>>)[key]
    const fault = findFault(item, levelsMax - 1, checksNumbers)
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
