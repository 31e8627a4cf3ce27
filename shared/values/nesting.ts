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

/**
 * A part of parsed JSON that cannot be stored. `depth`: lists and objects are nested too deep.
 * `number`: a number is beyond the range of 64-bit floating point numbers. `JSON.parse` reads such
 * a number as infinity, and `JSON.stringify` writes infinity as null.
 */
export type JsonDefect = 'depth' | 'number'

/** Returns a defect of parsed JSON, or undefined. `levelsMax`: the maximum nesting depth. */
export function findJsonDefect(json: unknown, levelsMax: number): JsonDefect | undefined {
  if (typeof json === 'number') return Number.isFinite(json) ? undefined : 'number'
  if (typeof json !== 'object' || json === null) return undefined
  if (levelsMax === 0) return 'depth'
  if (Array.isArray(json)) {
    for (const item of json) {
      const defect = findJsonDefect(item, levelsMax - 1)
      if (defect !== undefined) return defect
    }
    return undefined
  }
  for (const key in json) {
    const field = (json as Readonly<Record<string, unknown>>)[key]
    const defect = findJsonDefect(field, levelsMax - 1)
    if (defect !== undefined) return defect
  }
  return undefined
}

/** Returns the end of a message about a defect, after the name of the JSON. */
export function describeJsonDefect(defect: JsonDefect, levelsMax: number): string {
  return defect === 'depth'
    ? `is nested deeper than ${levelsMax} levels`
    : 'contains a number beyond the range of 64-bit floating point numbers'
}

/** Throws VALUE_MALFORMED if a part of a value is at a depth above `valueDepthMax`. */
export function checkValueDepth(depth: number): void {
  if (depth > valueDepthMax)
    throw createError(
      'VALUE_MALFORMED',
      `a value in the state is nested deeper than ${valueDepthMax} levels`,
    )
}
