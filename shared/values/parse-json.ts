/** Parses JSON. Returns undefined for invalid JSON. No form of a value accepts undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
