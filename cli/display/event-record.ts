/** An engine event as it is stored: one key names its kind, and its value has the fields. */
export type EventRecord = Readonly<Record<string, unknown>>

/** Returns the fields of an object, and none for another value. */
export function recordOf(value: unknown): EventRecord {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Returns a text or a number as text, and '' for another value. */
export function eventTextOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
