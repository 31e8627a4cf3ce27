/**
 * Escapes the control characters of a text from a state or an API, because they could change the
 * terminal. Line breaks and tabs stay.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(
    /(?![\n\t])\p{Cc}/gu,
    character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
