/** JSON as Pulumi's own writers print it, so that texts that are hashed or compared agree (`state.md` 8). */

/** Keys by their UTF-8 bytes; UTF-16 order differs beyond the basic plane. */
export function compareUtf8(a: string, b: string): number {
  const isPlain = (text: string): boolean => !/[\ud800-\udfff\ue000-\uffff]/.test(text)
  if (isPlain(a) && isPlain(b)) return a < b ? -1 : a > b ? 1 : 0
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'))
}

/** Compact JSON with sorted keys and HTML characters escaped: the plaintext of secrets. */
export function htmlEscapedJson(json: unknown): string {
  return JSON.stringify(json, sortedKeys).replace(/[<>&\u2028\u2029]/g, escapeHtml)
}

function escapeHtml(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).sort(([a], [b]) => compareUtf8(a, b))
  return Object.fromEntries(entries)
}
