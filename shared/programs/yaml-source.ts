import { isNode, LineCounter, parseDocument, type Document } from 'yaml'
import { error, type DeployError } from '../errors/error.ts'

/** A YAML (or JSON) text with its places, for errors that say where. */
export interface YamlSource {
  readonly document: Document
  /** An error at the value of a path, as `file:line:column: sentence`. */
  readonly wrong: (path: readonly (string | number)[], sentence: string) => DeployError
}

/** What kind of file a text is, for the code of its errors. */
export type YamlFault = 'PROJECT_INVALID' | 'CONFIG_INVALID'

/**
 * Parses a text that is a map or empty; a byte order mark at its start is left out. Integers that
 * a number cannot hold stay exact (bigint). Throws `fault` with file, line and column.
 */
export function openYaml(text: string, file: string, fault: YamlFault): YamlSource {
  const lines = new LineCounter()
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    intAsBigInt: true,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const first = document.errors[0]
  if (first !== undefined)
    throw error(fault, `${at(first.pos[0])}: ${first.message.replace(/\s+/g, ' ')}`)
  const wrong: YamlSource['wrong'] = (path, sentence) => {
    const offset = startOf(document, path)
    return error(fault, `${offset === undefined ? file : at(offset)}: ${sentence}`)
  }
  const whole: unknown = document.toJS()
  if (whole !== null && (typeof whole !== 'object' || Array.isArray(whole)))
    throw wrong([], 'the file must hold a map of keys')
  return { document, wrong }
}

function startOf(document: Document, path: readonly (string | number)[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return document.contents?.range?.[0]
}
