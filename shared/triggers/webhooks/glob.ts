/**
 * Whether a text is what a pattern says: `*` any characters but `/`, `**` any at all, `?` one that
 * is not `/`; `**` and a slash also no folder at all, so that it matches at the top too. Everything
 * else is itself. The work is bounded by the length of the pattern times that of the text.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\*\*\/|\*\*|[\s\S]/gu) ?? []
  const characters = Array.from(text)
  const size = characters.length
  // From the last token to the first: at which places the rest of the pattern matches to the end.
  let rest = Array.from({ length: size + 1 }, (_, at) => at === size)
  for (const token of tokens.toReversed()) rest = placesOf(token, characters, rest)
  return rest[0] === true
}

function placesOf(token: string, characters: readonly string[], rest: readonly boolean[]) {
  const size = characters.length
  const places = Array.from({ length: size + 1 }, () => false)
  /** Whether a folder ends behind some place with the rest of the pattern after it. */
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
 * Whether a text passes a list of patterns: the last that matches decides, one with `!` before it
 * against. A list that begins with `!` lets pass what no pattern matches; an empty one everything.
 */
export function passesPatterns(patterns: readonly string[], text: string): boolean {
  const deciding = patterns.findLast(one => matchesGlob(one.replace(/^!/, ''), text))
  const [first] = patterns
  if (deciding === undefined) return first === undefined || first.startsWith('!')
  return !deciding.startsWith('!')
}
