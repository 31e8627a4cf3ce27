import { stripVTControlCharacters } from 'node:util'

/** The colors of the display; `plain` is no color. */
export type Color = 'plain' | 'bold' | 'faint' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan'

/** A function that colors a text, or returns it unchanged. */
export type Paint = (color: Color, text: string) => string

/** The codes of the terminal that begin and end a color. */
const colorCodes: Readonly<Record<Exclude<Color, 'plain'>, readonly [number, number]>> = {
  bold: [1, 22],
  faint: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  magenta: [35, 39],
  cyan: [36, 39],
}

/** Creates the function that colors texts. Without colors it returns every text unchanged. */
export function createPaint(isColored: boolean): Paint {
  if (!isColored) return (_color, text) => text
  return (color, text) => {
    if (color === 'plain' || text === '') return text
    const [beginCode, endCode] = colorCodes[color]
    return `\u001b[${beginCode}m${text}\u001b[${endCode}m`
  }
}

/** Returns a text that links to an address, for terminals with hyperlinks (OSC 8). */
export function formatLink(text: string, address: string): string {
  return `\u001b]8;;${removeControls(address)}\u001b\\${text}\u001b]8;;\u001b\\`
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
