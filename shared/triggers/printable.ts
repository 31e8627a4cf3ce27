/**
 * What came from outside, as it may stand in a line of a log, a message or a comment: characters
 * that end lines, move the cursor, or turn the direction of writing are shown by their numbers, and
 * no more than `charsMax` characters are kept.
 */
export function toPrintable(text: string, charsMax = 200): string {
  const shown = text
    .slice(0, charsMax + 1)
    .replaceAll(unprintable, one => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`)
  return shown.length > charsMax ? `${shown.slice(0, charsMax)}…` : shown
}

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu
