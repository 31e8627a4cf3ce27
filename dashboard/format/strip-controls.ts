/** Escape sequences of terminals, and the color marks of Pulumi, such as `<{%reset%}>`. */
const controlPattern = /\u001b\[[0-9;?]*[A-Za-z]|\u001b\][^\u0007]*\u0007|<\{%[a-z0-9 ]*%\}>/g

/** Returns a text without the control sequences that only terminals understand. Pure. */
export function stripControls(text: string): string {
  return text.replaceAll(controlPattern, '')
}
