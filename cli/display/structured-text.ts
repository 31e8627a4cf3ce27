import { parse } from 'yaml'
import { type EventMap, isEventList, isEventMap } from './event-value.ts'

/** Maximum number of characters of a parsed text. A longer one is compared line by line. */
const parsedCharsMax = 1 << 18

/** A text that contains a map or a list as JSON or YAML. */
export interface StructuredText {
  readonly format: 'json' | 'yaml'
  readonly value: EventMap | readonly unknown[]
}

/**
 * Returns the map or list that a text contains. Returns undefined for any other text. A text of one
 * line is never parsed as YAML, because many messages look like a map with one key. Source:
 * `decodeValue` in pkg/backend/display/object_diff.go of Pulumi 3.274.1.
 */
export function parseStructuredText(value: unknown): StructuredText | undefined {
  if (typeof value !== 'string' || value.length > parsedCharsMax) return undefined
  const json = /^\s*[[{]/.test(value) ? tryParse(value, JSON.parse) : undefined
  if (json !== undefined) return { format: 'json', value: json }
  if (!value.trimEnd().includes('\n')) return undefined
  const yaml = tryParse(value, parseYaml)
  return yaml === undefined ? undefined : { format: 'yaml', value: yaml }
}

function parseYaml(text: string): unknown {
  return parse(text, { logLevel: 'silent', maxAliasCount: 100 })
}

/** Returns the map or list in a text, or undefined if it is empty or the text is invalid. */
function tryParse(
  text: string,
  parseText: (text: string) => unknown,
): StructuredText['value'] | undefined {
  try {
    const value = parseText(text)
    if (isEventList(value)) return value.length > 0 ? value : undefined
    return isEventMap(value) && Object.keys(value).length > 0 ? value : undefined
  } catch {
    return undefined
  }
}
