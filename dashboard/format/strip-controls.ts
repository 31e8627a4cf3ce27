/**
 * Escape sequences of terminals, and the color marks of Pulumi, such as `<{%reset%}>`. A sequence
 * that begins with `ESC ]` ends with a bell or with `ESC \`.
 */
const controlPattern =
  /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|<\{%[a-z0-9 ]*%\}>/g

/** Returns a text without the control sequences of terminals and without Pulumi's color marks. */
export function stripControls(text: string): string {
  return text.replaceAll(controlPattern, '')
}
