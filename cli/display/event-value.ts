import { signatureKey, signatures, unknownMarkers } from '../../shared/values/wire-options.ts'

/** A map in an event. A special value, such as an asset, is a map with a signature. */
export type EventMap = Readonly<Record<string, unknown>>

const secretText = '[secret]'

/** The text of a value that only the update determines. */
const unknownText = 'known after the update'

/**
 * Reports whether a value is a map without a signature. A map with a signature (asset, resource
 * reference) is shown as one value, so this function returns false for it.
 */
export function isEventMap(value: unknown): value is EventMap {
  return isObject(value) && !Object.hasOwn(value, signatureKey)
}

/** Reports whether a value is a list. */
export function isEventList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Reports whether two values of events are equal, with any order of keys. */
export function isSameValue(left: unknown, right: unknown): boolean {
  if (isEventList(left) && isEventList(right))
    return (
      left.length === right.length && left.every((item, index) => isSameValue(item, right[index]))
    )
  if (!isObject(left) || !isObject(right)) return left === right
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every(key => Object.hasOwn(right, key) && isSameValue(left[key], right[key]))
  )
}

/**
 * Formats a value on one line. A text is quoted, a secret is `[secret]`, an unknown value is `known
 * after the update`, and an asset is shown with its source.
 */
export function formatValue(value: unknown): string {
  if (value === undefined) return '(none)'
  if (value === secretText) return secretText
  if (typeof value === 'string' && unknownMarkers.has(value)) return unknownText
  if (isEventList(value)) return `[${value.map(formatValue).join(', ')}]`
  if (isEventMap(value)) {
    const entries = Object.entries(value).map(
      ([key, item]) => `${formatKey(key)}: ${formatValue(item)}`,
    )
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
  }
  return isObject(value) ? formatSignedMap(value) : JSON.stringify(value)
}

/** Formats a key before a colon. A key with special characters is quoted. */
export function formatKey(key: string): string {
  return /^[\w$/:.-]+$/.test(key) ? key : JSON.stringify(key)
}

function formatSignedMap(value: EventMap): string {
  const source = ['path', 'uri', 'text', 'assets'].find(key => Object.hasOwn(value, key))
  if (value[signatureKey] === signatures.secret) return secretText
  if (typeof value['urn'] === 'string') return `resource ${JSON.stringify(value['urn'])}`
  if (source === undefined) return typeof value['hash'] === 'string' ? formatHash(value) : '[bytes]'
  if (source === 'assets') return `archive ${formatValue(value['assets'])}`
  return `asset ${source} ${JSON.stringify(value[source])} ${formatHash(value)}`.trimEnd()
}

function formatHash(value: EventMap): string {
  return typeof value['hash'] === 'string' ? `(${value['hash'].slice(0, 12)})` : ''
}

function isObject(value: unknown): value is EventMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
