import type { PropertyMap, PropertyValue } from './value.ts'
import { isList, isMap, isSpecial } from './value.ts'

/**
 * Minimum length of a redacted secret. Redacting single letters would make every message
 * unreadable.
 */
const scrubbedMin = 3

/**
 * Creates a function that redacts secret texts in messages, also when quoted as JSON. Longest
 * secrets come first, so that none leaves a part of another.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const long = secrets.filter(secret => secret.length >= scrubbedMin)
  const kept = [...new Set(long.flatMap(secret => [secret, quoteJson(secret)]))]
  if (kept.length === 0) return text => text
  const longestFirst = kept.sort((a, b) => b.length - a.length)
  const anyOfThem = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g')
  return text => text.replace(anyOfThem, '[secret]')
}

function quoteJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/**
 * Returns the texts inside the secrets of these properties, which a provider may repeat in a
 * message.
 */
export function collectSecretTexts(
  ...maps: readonly (PropertyMap | undefined)[]
): readonly string[] {
  const found: string[] = []
  for (const map of maps) if (map !== undefined) collect(map, false, found)
  return found
}

function collect(value: PropertyValue, isSecret: boolean, found: string[]): void {
  if (isMap(value)) for (const item of value.values()) collect(item, isSecret, found)
  else if (isList(value)) for (const item of value) collect(item, isSecret, found)
  else if (isSpecial(value)) {
    if (value.kind === 'secret') collect(value.value, true, found)
    if (value.kind === 'output' && value.value !== undefined)
      collect(value.value, isSecret || value.secret, found)
  } else if (isSecret && (typeof value === 'string' || typeof value === 'number'))
    found.push(String(value))
}
