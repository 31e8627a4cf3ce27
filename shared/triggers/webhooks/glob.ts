/**
 * Reports whether a text matches a pattern. `*` matches any characters except `/`, `**` any
 * characters, and `?` one character except `/`. `**` with a slash also matches no folder, so it
 * matches at the root too. All other characters match themselves. The work is at most pattern
 * length times text length.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\*\*\/|\*\*|[\s\S]/gu) ?? []
  const characters = Array.from(text)
  const size = characters.length
  // Tokens are processed from last to first. `rest` contains the positions at which the rest of the
  // pattern matches to the end.
  let rest = Array.from({ length: size + 1 }, (_, at) => at === size)
  for (const token of tokens.toReversed()) rest = placesOf(token, characters, rest)
  return rest[0] === true
}

function placesOf(token: string, characters: readonly string[], rest: readonly boolean[]) {
  const size = characters.length
  const places = Array.from({ length: size + 1 }, () => false)
  /** Whether the rest of the pattern matches after a folder that ends behind a position. */
  let isFolderBehind = false
  for (let at = size; at >= 0; at -= 1) {
    const next = characters[at]
    const isHere = rest[at] === true
    const isAfter = rest[at + 1] === true
    const goesOn = places[at + 1] === true
    if (token === '**/') {
      isFolderBehind ||= next === '/' && isAfter
      places[at] = isHere || isFolderBehind
    } else if (token === '**') places[at] = isHere || (next !== undefined && goesOn)
    else if (token === '*') places[at] = isHere || (next !== undefined && next !== '/' && goesOn)
    else if (token === '?') places[at] = next !== undefined && next !== '/' && isAfter
    else places[at] = next === token && isAfter
  }
  return places
}

/**
 * Reports whether a text passes a list of patterns. The last matching pattern decides, and `!`
 * before it excludes. Without a match, a list that begins with `!` and an empty list pass.
 */
export function passesPatterns(patterns: readonly string[], text: string): boolean {
  const deciding = patterns.findLast(one => matchesGlob(one.replace(/^!/, ''), text))
  const [first] = patterns
  if (deciding === undefined) return first === undefined || first.startsWith('!')
  return !deciding.startsWith('!')
}
