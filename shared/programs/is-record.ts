/** Reports whether parsed JSON or YAML is a map. */
export function isRecord(data: unknown): data is Readonly<Record<string, unknown>> {
  return typeof data === 'object' && data !== null && !Array.isArray(data)
}
