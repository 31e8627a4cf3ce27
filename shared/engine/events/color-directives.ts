/** A directive for colors. A match stops at the next `%`, so the search is linear. */
const directivePattern = /<\{%[^%\n]*%\}>/g

/** Removes the directives for colors, such as `<{%reset%}>`, from a message of Pulumi's client. */
export function removeColorDirectives(message: string): string {
  return message.replaceAll(directivePattern, '')
}
