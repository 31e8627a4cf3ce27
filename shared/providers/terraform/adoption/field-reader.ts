import {
  type LosslessJson,
  type LosslessObject,
  isLosslessArray,
  isLosslessObject,
} from '../values/lossless-json.ts'

/** Reads the fields of JSON objects. `subject` names the object in errors. */
export interface FieldReader {
  readonly readText: (json: LosslessObject, name: string, subject: string) => string
  readonly readOptionalText: (
    json: LosslessObject,
    name: string,
    subject: string,
  ) => string | undefined
  /** Returns a whole number, or 0 if the field is absent. */
  readonly readInteger: (json: LosslessObject, name: string, subject: string) => number
  /** Returns the objects of a list. */
  readonly readObjects: (
    json: LosslessObject,
    name: string,
    subject: string,
  ) => readonly LosslessObject[]
  /** Returns the items of a list, or none if the field is absent. */
  readonly readOptionalItems: (
    json: LosslessObject,
    name: string,
    subject: string,
  ) => readonly LosslessJson[]
  /** Returns an object, or an empty one if the field is absent. */
  readonly readOptionalObject: (
    json: LosslessObject,
    name: string,
    subject: string,
  ) => LosslessObject
  /** Creates the error for a problem of an object. */
  readonly createError: (problem: string) => Error
}

/** Creates a reader that throws errors of `createError`. */
export function createFieldReader(createError: (problem: string) => Error): FieldReader {
  const requireValue = <T>(
    value: T | undefined,
    expected: string,
    [name, subject]: FieldName,
  ): T => {
    if (value === undefined) throw createError(`'${name}' of ${subject} must be ${expected}`)
    return value
  }
  const read = (json: LosslessObject, name: string): LosslessJson => json.get(name) ?? null
  const toText = (json: LosslessJson): string | undefined =>
    typeof json === 'string' ? json : undefined
  const readItems = (json: LosslessJson, field: FieldName): readonly LosslessJson[] =>
    requireValue(isLosslessArray(json) ? json : undefined, 'a list', field)
  return {
    readText: (json, name, subject) =>
      requireValue(toText(read(json, name)), 'a text', [name, subject]),
    readOptionalText(json, name, subject) {
      const value = read(json, name)
      return value === null ? undefined : requireValue(toText(value), 'a text', [name, subject])
    },
    readInteger(json, name, subject) {
      const value = read(json, name)
      if (value === null) return 0
      return requireValue(toInteger(value), 'a whole number', [name, subject])
    },
    readObjects: (json, name, subject) =>
      readItems(read(json, name), [name, subject]).map(item =>
        requireValue(isLosslessObject(item) ? item : undefined, 'a list of objects', [
          name,
          subject,
        ]),
      ),
    readOptionalItems(json, name, subject) {
      const value = read(json, name)
      return value === null ? [] : readItems(value, [name, subject])
    },
    readOptionalObject(json, name, subject) {
      const value = read(json, name)
      if (value === null) return new Map()
      return requireValue(isLosslessObject(value) ? value : undefined, 'an object', [name, subject])
    },
    createError,
  }
}

type FieldName = readonly [name: string, subject: string]

/** Returns a whole number. A number of more than 15 digits may not be exact, and is refused. */
function toInteger(json: LosslessJson): number | undefined {
  const isNumber = typeof json === 'object' && json !== null && 'source' in json
  return isNumber && /^\d{1,15}$/.test(json.source) ? Number(json.source) : undefined
}
