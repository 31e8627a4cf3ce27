/**
 * Escapes the control characters of a text that a state or an API names, because they could change
 * the terminal. Line breaks and tabs stay.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(
    /(?![\n\t])\p{Cc}/gu,
    character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}
