import { error } from '../../../errors/error.ts'

/** A piece of a text in Terraform's language. */
export interface HclToken {
  readonly kind: 'name' | 'string' | 'number' | 'mark' | 'end'
  /** For a string, its value. For any other token, its text. */
  readonly text: string
  readonly line: number
}

/** Creates an error for a place in a file. */
export type HclRefusal = (line: number, problem: string) => Error

/** Returns the function that creates the errors of one file. They name the file and the line. */
export function createHclRefusal(file: string): HclRefusal {
  return (line, problem) =>
    error('TERRAFORM_FILE_INVALID', `cannot read ${file}, line ${line}: ${problem}`)
}

const patterns = [
  ['space', /\s+|(?:#|\/\/)[^\n]*|\/\*[\s\S]*?\*\//y],
  ['name', /[\p{L}_][\p{L}\p{N}_-]*/uy],
  ['number', /-?\d+(?:\.\d+)?/y],
  ['string', /"(?:[^"\\\n]|\\.)*"/y],
  ['mark', /[{}[\]=:,]/y],
] as const

/**
 * Splits a text into its tokens, the last of which is `end`. Comments are left out. Throws
 * TERRAFORM_FILE_INVALID for text that is no token, for unknown escapes, and for templates.
 */
export function splitHcl(text: string, refuse: HclRefusal): readonly HclToken[] {
  const tokens: HclToken[] = []
  let position = 0
  let line = 1
  while (position < text.length) {
    const [kind, piece] = matchAt(text, position) ?? []
    if (kind === undefined || piece === undefined)
      throw refuse(line, `'${text.slice(position, position + 10).trim()}' is not expected`)
    if (kind === 'string')
      tokens.push({ kind, text: readString(piece, problem => refuse(line, problem)), line })
    else if (kind !== 'space') tokens.push({ kind, text: piece, line })
    position += piece.length
    line += piece.split('\n').length - 1
  }
  return [...tokens, { kind: 'end', text: '', line }]
}

function matchAt(
  text: string,
  position: number,
): readonly [(typeof patterns)[number][0], string] | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = position
    const [piece] = pattern.exec(text) ?? []
    if (piece !== undefined) return [kind, piece]
  }
  return undefined
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
}

function readString(quoted: string, refuse: (problem: string) => Error): string {
  const content = quoted.slice(1, -1)
  if (/(?<!\$)\$\{|(?<!%)%\{/.test(content)) throw refuse('templates are not possible here')
  return content
    .replaceAll(
      /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g,
      (escape, short: string, long: string, character: string) => {
        const code = short ?? long
        if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
        const value = escapes[character]
        if (value === undefined) throw refuse(`the escape ${escape} is unknown`)
        return value
      },
    )
    .replaceAll('$${', '${')
    .replaceAll('%%{', '%{')
}
