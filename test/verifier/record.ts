import { type OrderedJson, isEmpty } from './ordered-json.ts'

/** Returns the errors of a value. `path` names the value in messages. */
export type Check = (json: OrderedJson, path: string) => readonly string[]

/** A field of a record: when it is written, and its check. */
export interface Field {
  readonly name: string
  /**
   * When the field is written. `always`: in every record. `filled`: only with a value that is not
   * empty. `nonNull`: only with a value other than null.
   */
  readonly when: 'always' | 'filled' | 'nonNull'
  readonly check: Check
}

/** Returns the check of a record, which may have only these fields, in this order. */
export function checkRecord(fields: readonly Field[]): Check {
  const fieldsByName = new Map(
    fields.map((field, index) => [field.name, { field, position: index }]),
  )
  return (json, path) => {
    if (json.kind !== 'object') return [`${path}: must be an object`]
    const complaints: string[] = []
    let lastIndex = -1
    for (const [name, item] of json.fields) {
      const expected = fieldsByName.get(name)
      if (expected === undefined) complaints.push(`${path}: unknown field '${name}'`)
      else {
        if (expected.position <= lastIndex)
          complaints.push(`${path}: field '${name}' is out of order`)
        lastIndex = Math.max(lastIndex, expected.position)
        complaints.push(...checkField(expected.field, item, path))
      }
    }
    const presentNames = new Set(json.fields.map(([name]) => name))
    const missingFields = fields.filter(
      ({ when, name }) => when === 'always' && !presentNames.has(name),
    )
    return [
      ...complaints,
      ...missingFields.map(({ name }) => `${path}: field '${name}' is missing`),
    ]
  }
}

function checkField(
  { name, when, check }: Field,
  item: OrderedJson,
  path: string,
): readonly string[] {
  if (when === 'filled' && isEmpty(item)) return [`${path}: empty field '${name}' is written`]
  if (when === 'nonNull' && item.kind === 'literal' && item.value === null)
    return [`${path}: null field '${name}' is written`]
  return check(item, `${path}.${name}`)
}

/** Returns the check of a text. The text must match `pattern`, if there is one. */
export function checkText(pattern?: RegExp): Check {
  return (json, path) => {
    if (json.kind !== 'text') return [`${path}: must be a text`]
    return pattern === undefined || pattern.test(json.text)
      ? []
      : [`${path}: malformed '${json.text}'`]
  }
}

/** Checks that a value is true or false. */
export const checkFlag: Check = (json, path) =>
  json.kind === 'literal' && json.value !== null ? [] : [`${path}: must be true or false`]

/** Checks that a value is a number. */
export const checkNumber: Check = (json, path) =>
  json.kind === 'number' ? [] : [`${path}: must be a number`]

/** Returns the check of a list. `item` checks each of its items. */
export function checkList(item: Check): Check {
  return (json, path) =>
    json.kind === 'list'
      ? json.items.flatMap((element, index) => item(element, `${path}[${index}]`))
      : [`${path}: must be a list`]
}

/**
 * Returns the check of a map. `item` checks each of its values. Its keys must be unique, and sorted
 * by their UTF-8 bytes.
 */
export function checkMap(item: Check): Check {
  return (json, path) => {
    if (json.kind !== 'object') return [`${path}: must be a map`]
    const complaints: string[] = []
    json.fields.forEach(([name, element], index) => {
      const previousKey = json.fields[index - 1]?.[0]
      if (
        previousKey !== undefined &&
        Buffer.compare(Buffer.from(previousKey), Buffer.from(name)) >= 0
      )
        complaints.push(`${path}: key '${name}' is not in order of UTF-8 bytes`)
      complaints.push(...item(element, `${path}.${name}`))
    })
    return complaints
  }
}

/** Accepts any value. */
export const acceptAnything: Check = () => []
