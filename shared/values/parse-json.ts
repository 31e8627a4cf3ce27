/** Parses JSON. Returns undefined for invalid JSON, which no form of a value accepts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
