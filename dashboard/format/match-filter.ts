/**
 * Returns the function that reports whether a text contains every word of a filter. The function
 * ignores upper and lower case. Returns undefined for a filter without words, which every text
 * matches.
 */
export function createMatcher(filter: string): ((text: string) => boolean) | undefined {
  const parts = filter.toLowerCase().trim().split(/\s+/)
  if (parts[0] === '') return undefined
  return text => {
    const lowerText = text.toLowerCase()
    return parts.every(part => lowerText.includes(part))
  }
}
