/**
 * Makes an external text safe for a line of a log, message or comment. Characters that end lines,
 * move the cursor or change the writing direction become `\u{…}` with their code point. A result of
 * more than `charsMax` characters is cut there, and ends with `…`.
 */
export function toPrintable(text: string, charsMax = 200): string {
  const printable = text
    .slice(0, charsMax + 1)
    .replaceAll(unprintable, character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)
  return printable.length > charsMax ? `${printable.slice(0, charsMax)}…` : printable
}

/**
 * Makes an external text of several lines safe, each line like `toPrintable`. Lines after the first
 * `linesMax` are omitted, and the text then ends with `…`.
 */
export function toPrintableLines(
  text: string,
  { linesMax, charsMax }: { readonly linesMax: number; readonly charsMax: number },
): string {
  const lines = text.split('\n', linesMax + 1)
  const shownLines = lines.slice(0, linesMax).map(line => toPrintable(line, charsMax))
  return [...shownLines, ...(lines.length > linesMax ? ['…'] : [])].join('\n')
}

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu
