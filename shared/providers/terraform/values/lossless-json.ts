/** Parsed JSON whose numbers keep their digits. */
export type LosslessJson =
  | null
  | boolean
  | string
  | LosslessNumber
  | readonly LosslessJson[]
  | LosslessObject

/** A number, as the text that it has in the JSON. */
export interface LosslessNumber {
  readonly kind: 'number'
  readonly source: string
}

/** The members of an object. Of equal keys, the last one counts. */
export type LosslessObject = ReadonlyMap<string, LosslessJson>

/**
 * Parses JSON without rounding its numbers. Returns undefined for invalid JSON, and for JSON with
 * too many levels for the parser.
 */
export function parseLosslessJson(text: string): LosslessJson | undefined {
  try {
    return JSON.parse(text, keepSource)
  } catch {
    return undefined
  }
}

/**
 * Replaces a number by a `LosslessNumber`, and an object by a map. `JSON.parse` calls this reviver
 * for inner values first. `context` has the text of a number.
 */
function keepSource(_key: string, value: unknown, context?: { readonly source: string }): unknown {
  if (typeof value === 'number') return { kind: 'number', source: context?.source ?? String(value) }
  const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isPlain && !(value instanceof Map) ? new Map(Object.entries(value)) : value
}

/** Formats JSON without spaces. Numbers keep their digits, and members their order. */
export function formatLosslessJson(json: LosslessJson): string {
  if (json === null || typeof json === 'boolean') return String(json)
  if (typeof json === 'string') return JSON.stringify(json)
  if (isLosslessArray(json)) return `[${json.map(formatLosslessJson).join(',')}]`
  if (!isLosslessObject(json)) return json.source
  const members = [...json].map(
    ([key, member]) => `${JSON.stringify(key)}:${formatLosslessJson(member)}`,
  )
  return `{${members.join(',')}}`
}

/** Reports whether parsed JSON is an array. */
export function isLosslessArray(json: LosslessJson): json is readonly LosslessJson[] {
  return Array.isArray(json)
}

/** Reports whether parsed JSON is an object. */
export function isLosslessObject(json: LosslessJson): json is LosslessObject {
  return json instanceof Map
}
