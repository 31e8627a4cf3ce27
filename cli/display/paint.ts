import { stripVTControlCharacters } from 'node:util'

/** The colours that the display uses; `plain` is none. */
export type Colour = 'plain' | 'bold' | 'faint' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan'

/** Colours a text, or leaves it as it is. */
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

/** A painter; without colours it gives every text back unchanged. */
export function createPaint(wanted: boolean): Paint {
  if (!wanted) return (_colour, text) => text
  return (colour, text) => {
    if (colour === 'plain' || text === '') return text
    const [on, off] = codes[colour]
    return `\u001b[${on}m${text}\u001b[${off}m`
  }
}

/**
 * Text of others without control characters but line feeds and tabs: what a program or provider
 * prints must not move the cursor or change the title of somebody's terminal.
 */
export function removeControls(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}/gu, control =>
    control === '\n' || control === '\t' ? control : '',
  )
}
