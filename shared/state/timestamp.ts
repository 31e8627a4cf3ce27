/**
 * Formats a time as in states: RFC 3339 in UTC, without trailing zeros in the fraction
 * (docs/spec/json-encoding.md#encoding-rules). `ms`: milliseconds since 1970.
 */
export function timestampOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.?0+Z$/, 'Z')
}
