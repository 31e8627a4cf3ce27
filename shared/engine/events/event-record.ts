/** An engine event as it is stored: one key names its kind, and its value has the fields. */
export type EventRecord = Readonly<Record<string, unknown>>

/** Returns the fields of a part of an event. Returns an empty record if the part is no object. */
export function eventFieldsOf(value: unknown): EventRecord {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

/** Returns a text or a number as text. Returns '' for any other value. */
export function eventTextOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
