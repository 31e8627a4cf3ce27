/**
 * Minimum length of a string that is shared. Shorter strings need less memory than their entries in
 * the map, and JavaScript itself shares many of them.
 */
const sharedCharsMin = 12
/** Maximum total length of the remembered strings. Above it, all are forgotten. */
const charsMax = 1 << 22

/** Maximum number of remembered strings. Above it, all are forgotten. */
const stringsMax = 1 << 15

/**
 * Maximum depth of a string that is shared. Hostile input may have thousands of levels, which the
 * recursion must not enter.
 */
const levelsMax = 100

/**
 * Creates a function that lets equal strings of parsed JSON share their memory. States repeat most
 * of their strings: types, providers, parents, dependencies, and inputs that are also outputs. The
 * function changes the lists and objects in place, and remembers strings between its calls.
 */
export function createStringSharer(): (json: unknown) => void {
  const strings = new Map<string, string>()
  let charCount = 0
  const share = (text: string): string => {
    if (text.length < sharedCharsMin) return text
    const sharedText = strings.get(text)
    if (sharedText !== undefined) return sharedText
    charCount += text.length
    if (charCount > charsMax || strings.size >= stringsMax) {
      strings.clear()
      charCount = text.length
    }
    strings.set(text, text)
    return text
  }
  const shareOrEnter = (item: unknown, depth: number): unknown => {
    if (typeof item === 'string') return share(item)
    if (typeof item === 'object' && item !== null && depth < levelsMax) shareWithin(item, depth + 1)
    return item
  }
  const shareWithin = (json: object, depth: number): void => {
    const fields = json as Record<string, unknown>
    for (const key of Object.keys(fields)) fields[key] = shareOrEnter(fields[key], depth)
  }
  return json => void shareOrEnter(json, 0)
}
