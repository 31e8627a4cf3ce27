import { type OrderedJson, isEmpty } from './ordered-json.ts'

/** Returns the errors of a value at a place. */
export type Check = (json: OrderedJson, at: string) => readonly string[]

/** A field of a record: when it is written, and its check. */
export interface Field {
  readonly name: string
  /** `always` is always present; `filled` only when it is not empty; `given` unless null. */
  readonly when: 'always' | 'filled' | 'given'
  readonly check: Check
}

/** Returns the check of a record with exactly these fields in this order. */
export function record(fields: readonly Field[]): Check {
  const places = new Map(fields.map((field, place) => [field.name, { field, place }]))
  return (json, at) => {
    if (json.kind !== 'object') return [`${at}: must be an object`]
    const complaints: string[] = []
    let last = -1
    for (const [name, item] of json.fields) {
      const known = places.get(name)
      if (known === undefined) complaints.push(`${at}: unknown field '${name}'`)
      else {
        if (known.place <= last) complaints.push(`${at}: field '${name}' is out of order`)
        last = Math.max(last, known.place)
        complaints.push(...checkField(known.field, item, at))
      }
    }
    const present = new Set(json.fields.map(([name]) => name))
    const missing = fields.filter(({ when, name }) => when === 'always' && !present.has(name))
    return [...complaints, ...missing.map(({ name }) => `${at}: field '${name}' is missing`)]
  }
}

function checkField(
  { name, when, check }: Field,
  item: OrderedJson,
  at: string,
): readonly string[] {
  if (when === 'filled' && isEmpty(item)) return [`${at}: empty field '${name}' is written`]
  if (when === 'given' && item.kind === 'literal' && item.value === null)
    return [`${at}: null field '${name}' is written`]
  return check(item, `${at}.${name}`)
}

/** Returns the check of a text, optionally with a form. */
export function text(form?: RegExp): Check {
  return (json, at) => {
    if (json.kind !== 'text') return [`${at}: must be a text`]
    return form === undefined || form.test(json.text) ? [] : [`${at}: malformed '${json.text}'`]
  }
}

/** Checks that a value is true or false. */
export const flag: Check = (json, at) =>
  json.kind === 'literal' && json.value !== null ? [] : [`${at}: must be true or false`]

/** Checks that a value is a number. */
export const number: Check = (json, at) =>
  json.kind === 'number' ? [] : [`${at}: must be a number`]

/** Returns the check of a list of such items. */
export function list(item: Check): Check {
  return (json, at) =>
    json.kind === 'list'
      ? json.items.flatMap((each, place) => item(each, `${at}[${place}]`))
      : [`${at}: must be a list`]
}

/** Returns the check of a map of such items, with unique keys sorted by their UTF-8 bytes. */
export function map(item: Check): Check {
  return (json, at) => {
    if (json.kind !== 'object') return [`${at}: must be a map`]
    const complaints: string[] = []
    json.fields.forEach(([name, each], place) => {
      const before = json.fields[place - 1]?.[0]
      if (before !== undefined && Buffer.compare(Buffer.from(before), Buffer.from(name)) >= 0)
        complaints.push(`${at}: key '${name}' is not in order of UTF-8 bytes`)
      complaints.push(...item(each, `${at}.${name}`))
    })
    return complaints
  }
}

/** Accepts any value. */
export const anything: Check = () => []
