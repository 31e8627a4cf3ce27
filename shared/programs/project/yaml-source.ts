import { isNode, LineCounter, parseDocument, type Document } from 'yaml'
import { error, type DeployError } from '../../errors/error.ts'

/** A parsed YAML or JSON text with positions for error messages. */
export interface YamlSource {
  readonly document: Document
  /** Returns an error at the value of a path, as `file:line:column: sentence`. */
  readonly errorAt: (path: readonly (string | number)[], sentence: string) => DeployError
}

/** The error code for the kind of file. */
export type YamlErrorCode = 'PROJECT_INVALID' | 'CONFIG_INVALID'

/**
 * Parses a text that is a map or empty, without a byte order mark. Integers that a number cannot
 * represent become bigint. Throws `fault` with file, line and column.
 */
export function openYaml(text: string, file: string, fault: YamlErrorCode): YamlSource {
  const lines = new LineCounter()
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    intAsBigInt: true,
    prettyErrors: false,
    logLevel: 'silent',
  })
  const formatPlace = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const first = document.errors[0]
  if (first !== undefined)
    throw error(fault, `${formatPlace(first.pos[0])}: ${first.message.replace(/\s+/g, ' ')}`)
  const errorAt: YamlSource['errorAt'] = (path, sentence) => {
    const offset = offsetOf(document, path)
    return error(fault, `${offset === undefined ? file : formatPlace(offset)}: ${sentence}`)
  }
  const whole: unknown = document.toJS()
  if (whole !== null && (typeof whole !== 'object' || Array.isArray(whole)))
    throw errorAt([], 'the file must contain a map')
  return { document, errorAt }
}

function offsetOf(document: Document, path: readonly (string | number)[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return document.contents?.range?.[0]
}
