import type { TelemetryAttributes } from '../../ports/telemetry.ts'

/** Maximum number of characters of a text. Further characters are dropped. */
const charsMax = 2_000

/**
 * Returns the fields of a log line as attributes. Errors and big integers become texts, and other
 * objects become JSON. Pure.
 */
export function toLogAttributes(
  fields: Readonly<Record<string, unknown>> = {},
): TelemetryAttributes {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => {
      const attribute = toAttribute(value)
      return attribute === undefined ? [] : [[key, attribute] as const]
    }),
  )
}

function toAttribute(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') return value.slice(0, charsMax)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Error) return value.message.slice(0, charsMax)
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return JSON.stringify(value).slice(0, charsMax)
  } catch {
    return undefined
  }
}
