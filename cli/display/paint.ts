/** What a piece of text is, so that one place decides its colour. */
export type Style =
  | 'add'
  | 'change'
  | 'remove'
  | 'replace'
  | 'read'
  | 'quiet'
  | 'strong'
  | 'error'
  | 'warning'

/** Gives text the colour of its style, or leaves it alone. */
export type Paint = (style: Style, text: string) => string

const codes: Readonly<Record<Style, readonly [on: number, off: number]>> = {
  add: [32, 39],
  change: [33, 39],
  remove: [31, 39],
  replace: [35, 39],
  read: [36, 39],
  quiet: [2, 22],
  strong: [1, 22],
  error: [31, 39],
  warning: [33, 39],
}

/** Paints with ANSI codes when `color` is true; otherwise every text stays as it is. */
export function createPaint(color: boolean): Paint {
  if (!color) return (_style, text) => text
  return (style, text) => {
    if (text === '') return text
    const [on, off] = codes[style]
    return `\u001b[${on}m${text}\u001b[${off}m`
  }
}
