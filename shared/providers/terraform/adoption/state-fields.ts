import {
  type LosslessJson,
  type LosslessObject,
  isLosslessArray,
  isLosslessObject,
} from '../values/lossless-json.ts'

/** Reads the fields of JSON objects. `subject` names the object in errors. */
export interface FieldReader {
  readonly text: (json: LosslessObject, name: string, subject: string) => string
  readonly optionalText: (json: LosslessObject, name: string, subject: string) => string | undefined
  /** Returns a whole number, or 0 if the field is absent. */
  readonly integer: (json: LosslessObject, name: string, subject: string) => number
  /** Returns the objects of a list. */
  readonly objects: (
    json: LosslessObject,
    name: string,
    subject: string,
  ) => readonly LosslessObject[]
  /** Returns the items of a list, or none if the field is absent. */
  readonly optionalItems: (
    json: LosslessObject,
    name: string,
    subject: string,
  ) => readonly LosslessJson[]
  /** Returns an object, or an empty one if the field is absent. */
  readonly optionalObject: (json: LosslessObject, name: string, subject: string) => LosslessObject
  /** Creates the error for a problem of an object. */
  readonly createError: (problem: string) => Error
}

/** Creates a reader that throws errors of `createError`. */
export function createFieldReader(createError: (problem: string) => Error): FieldReader {
  const require = <T>(value: T | undefined, wanted: string, [name, subject]: FieldName): T => {
    if (value === undefined) throw createError(`'${name}' of ${subject} must be ${wanted}`)
    return value
  }
  const read = (json: LosslessObject, name: string): LosslessJson => json.get(name) ?? null
  const toText = (json: LosslessJson): string | undefined =>
    typeof json === 'string' ? json : undefined
  const readItems = (json: LosslessJson, field: FieldName): readonly LosslessJson[] =>
    require(isLosslessArray(json) ? json : undefined, 'a list', field)
  return {
    text: (json, name, subject) => require(toText(read(json, name)), 'a text', [name, subject]),
    optionalText(json, name, subject) {
      const value = read(json, name)
      return value === null ? undefined : require(toText(value), 'a text', [name, subject])
    },
    integer(json, name, subject) {
      const value = read(json, name)
      if (value === null) return 0
      return require(toInteger(value), 'a whole number', [name, subject])
    },
    objects: (json, name, subject) =>
      readItems(read(json, name), [name, subject]).map(item =>
        require(isLosslessObject(item) ? item : undefined, 'a list of objects', [name, subject]),
      ),
    optionalItems(json, name, subject) {
      const value = read(json, name)
      return value === null ? [] : readItems(value, [name, subject])
    },
    optionalObject(json, name, subject) {
      const value = read(json, name)
      if (value === null) return new Map()
      return require(isLosslessObject(value) ? value : undefined, 'an object', [name, subject])
    },
    createError,
  }
}

type FieldName = readonly [name: string, subject: string]

function toInteger(json: LosslessJson): number | undefined {
  const isNumber = typeof json === 'object' && json !== null && 'source' in json
  return isNumber && /^\d{1,15}$/.test(json.source) ? Number(json.source) : undefined
}
