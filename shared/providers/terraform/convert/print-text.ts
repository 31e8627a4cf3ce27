/** Escapes a text that will stand between quotes, so that `${` and `%{` in it begin no template. */
function escapeText(text: string): string {
  return text
    .replaceAll(/[\\"]/g, character => `\\${character}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll(/\p{Cc}/gu, formatControl)
    .replaceAll('${', () => '$${')
    .replaceAll('%{', '%%{')
}

function formatControl(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}

/** Returns a text in quotes. */
export function quoteText(text: string): string {
  return `"${escapeText(text)}"`
}

/** A part of a template: a text, or the printed expression of an interpolation. */
export interface PrintedPart {
  readonly kind: 'text' | 'interpolation'
  readonly text: string
}

/** Returns a template in quotes. */
export function quoteTemplate(parts: readonly PrintedPart[]): string {
  let printed = ''
  // Adjacent texts are escaped together, because `%` and `{` of two texts form `%{`.
  let pendingText = ''
  for (const { kind, text } of parts)
    if (kind === 'text') pendingText += text
    else {
      printed += `${escapeBeforeInterpolation(pendingText)}\${${text}}`
      pendingText = ''
    }
  return `"${printed}${escapeText(pendingText)}"`
}

/**
 * Escapes the text before an interpolation. A `$` at its end would escape the interpolation, and
 * therefore becomes an interpolation too.
 */
function escapeBeforeInterpolation(text: string): string {
  const beginning = text.replace(/\$+$/, '')
  const dollars = text.slice(beginning.length)
  return dollars === '' ? escapeText(text) : `${escapeText(beginning)}\${"${dollars}"}`
}

/** Returns the key of an object or the name of an attribute, in quotes if it is no identifier. */
export function printKey(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) && !['null', 'true', 'false', 'for'].includes(name)
    ? name
    : quoteText(name)
}

/** A printed attribute. */
export interface PrintedAttribute {
  readonly name: string
  readonly text: string
}

/** Returns an object with its items on lines of their own. */
export function printObject(items: readonly PrintedAttribute[]): string {
  if (items.length === 0) return '{}'
  return `{\n${items.map(({ name, text }) => indentLines(`${name} = ${text}`)).join('\n')}\n}`
}

/** Returns a list, with objects on lines of their own. */
export function printList(items: readonly string[]): string {
  const isLong = items.some(item => item.includes('\n'))
  return isLong
    ? `[\n${items.map(item => indentLines(`${item},`)).join('\n')}\n]`
    : `[${items.join(', ')}]`
}

/** Indents all lines by one level. Texts in quotes have no line breaks. */
export function indentLines(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ')
}
