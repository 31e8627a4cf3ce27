/** Parses JSON. Returns undefined for invalid JSON, because no JSON text has this value. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
