import { stripVTControlCharacters } from 'node:util'

/** The colors of the display; `plain` is no color. */
export type Colour = 'plain' | 'bold' | 'faint' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan'

/** A function that colors a text, or returns it unchanged. */
export type Paint = (colour: Colour, text: string) => string

const codes: Readonly<Record<Exclude<Colour, 'plain'>, readonly [number, number]>> = {
  bold: [1, 22],
  faint: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
}

/** Creates a painter. Without colors it returns every text unchanged. */
export function createPaint(isColored: boolean): Paint {
  if (!isColored) return (_colour, text) => text
  return (colour, text) => {
    if (colour === 'plain' || text === '') return text
    const [on, off] = codes[colour]
    return `\u001b[${on}m${text}\u001b[${off}m`
  }
}

/**
 * Removes control characters except line feeds and tabs. Text of a program or provider must not
 * move the cursor or change the title of the terminal.
 */
export function removeControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}/gu, control =>
    control === '\n' || control === '\t' ? control : '',
  )
}
