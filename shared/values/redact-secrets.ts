import type { PropertyMap, PropertyValue } from './value.ts'
import { isList, isMap, isSpecial } from './value.ts'

/**
 * Minimum length of a secret that is redacted. A redaction of one or two letters would make every
 * message unreadable.
 */
const redactedCharsMin = 3

/**
 * Minimum length of a line that is redacted by itself. Plugins print a secret of several lines,
 * such as a key, line by line.
 */
const redactedLineCharsMin = 8

/**
 * Creates a function that redacts secret texts in messages, also when quoted as JSON. The function
 * also redacts the longer lines of a secret by themselves. Longer texts are redacted first, so that
 * a short secret does not split a longer one that contains it. `redactMap` of `special-values.ts`
 * masks values in events.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const longSecrets = secrets.filter(secret => secret.length >= redactedCharsMin)
  const lines = longSecrets.flatMap(listSecretLines)
  const redactedTexts = [
    ...new Set([...longSecrets, ...lines].flatMap(secret => [secret, quoteJson(secret)])),
  ]
  if (redactedTexts.length === 0) return text => text
  const longestFirst = redactedTexts.sort((a, b) => b.length - a.length)
  const secretPattern = new RegExp(longestFirst.map(escapeRegExp).join('|'), 'g')
  return text => text.replace(secretPattern, '[secret]')
}

/** Returns the lines of a multi-line secret, without lines that are too short. */
function listSecretLines(secret: string): readonly string[] {
  const lines = secret.split('\n').map(line => line.trim())
  return lines.length < 2 ? [] : lines.filter(line => line.length >= redactedLineCharsMin)
}

function quoteJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/**
 * Returns the texts and numbers inside the secrets of these properties, as texts. A provider can
 * repeat them in a message.
 */
export function collectSecretTexts(
  ...maps: readonly (PropertyMap | undefined)[]
): readonly string[] {
  const texts: string[] = []
  for (const map of maps) if (map !== undefined) collect(map, false, texts)
  return texts
}

function collect(value: PropertyValue, isSecret: boolean, texts: string[]): void {
  if (isMap(value)) for (const item of value.values()) collect(item, isSecret, texts)
  else if (isList(value)) for (const item of value) collect(item, isSecret, texts)
  else if (isSpecial(value)) {
    if (value.kind === 'secret') collect(value.value, true, texts)
    if (value.kind === 'output' && value.value !== undefined)
      collect(value.value, isSecret || value.secret, texts)
  } else if (isSecret && (typeof value === 'string' || typeof value === 'number'))
    texts.push(String(value))
}
