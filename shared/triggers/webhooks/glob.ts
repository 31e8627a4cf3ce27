/**
 * Reports whether a text matches a pattern. `*` matches any characters except `/`, `**` any
 * characters, and `?` one character except `/`. `**` with a slash after it matches any number of
 * folders, including none. All other characters match themselves. The time grows at most with the
 * product of both lengths.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const tokens = pattern.match(/\*\*\/|\*\*|[\s\S]/gu) ?? []
  const characters = Array.from(text)
  const size = characters.length
  // The loop takes the tokens from last to first. `restMatches` is true at each position from which
  // the later tokens match to the end of the text.
  let restMatches = Array.from({ length: size + 1 }, (_, index) => index === size)
  for (const token of tokens.toReversed())
    restMatches = matchFromToken(token, characters, restMatches)
  return restMatches[0] === true
}

/** Returns for each position whether the token and the later tokens match from there to the end. */
function matchFromToken(
  token: string,
  characters: readonly string[],
  restMatches: readonly boolean[],
): boolean[] {
  const size = characters.length
  const matches = Array.from({ length: size + 1 }, () => false)
  /** Whether the later tokens match after a slash at or after the current position. */
  let matchesAfterSlash = false
  for (let index = size; index >= 0; index -= 1) {
    const character = characters[index]
    const matchesHere = restMatches[index] === true
    const matchesAfter = restMatches[index + 1] === true
    const continuesAfter = matches[index + 1] === true
    if (token === '**/') {
      matchesAfterSlash ||= character === '/' && matchesAfter
      matches[index] = matchesHere || matchesAfterSlash
    } else if (token === '**')
      matches[index] = matchesHere || (character !== undefined && continuesAfter)
    else if (token === '*')
      matches[index] =
        matchesHere || (character !== undefined && character !== '/' && continuesAfter)
    else if (token === '?')
      matches[index] = character !== undefined && character !== '/' && matchesAfter
    else matches[index] = character === token && matchesAfter
  }
  return matches
}

/**
 * Reports whether a text passes a list of patterns. The last matching pattern decides, and a
 * pattern with `!` before it excludes the text. Without a matching pattern, the text passes if the
 * list is empty or begins with `!`.
 */
export function passesPatterns(patterns: readonly string[], text: string): boolean {
  const decidingPattern = patterns.findLast(pattern => matchesGlob(pattern.replace(/^!/, ''), text))
  const [firstPattern] = patterns
  if (decidingPattern === undefined)
    return firstPattern === undefined || firstPattern.startsWith('!')
  return !decidingPattern.startsWith('!')
}
