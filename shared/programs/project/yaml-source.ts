import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  Scalar,
  visit,
  type Document,
  type Node,
  type YAMLMap,
} from 'yaml'
import { createError, messageOf, type DeployError } from '../../errors/error.ts'

/** A parsed YAML or JSON text with positions for error messages. */
export interface YamlSource {
  readonly document: Document
  /**
   * Returns an error at the value of a path, or at its nearest existing parent:
   * `file:line:column: sentence`.
   */
  readonly errorAt: (path: readonly (string | number)[], sentence: string) => DeployError
}

/** The code of errors in the file, which depends on the kind of file. */
export type YamlErrorCode = 'PROJECT_INVALID' | 'CONFIG_INVALID'

/**
 * Parses a text that contains a map or nothing. Ignores a byte order mark. All integers become
 * bigint. Throws an error with the code `errorCode`, file, line and column.
 */
export function openYaml(text: string, file: string, errorCode: YamlErrorCode): YamlSource {
  refuseConflictMarkers(text, file, errorCode)
  const lines = new LineCounter()
  const document = parseDocument(text.replace(/^\uFEFF/, ''), {
    lineCounter: lines,
    intAsBigInt: true,
    prettyErrors: false,
    logLevel: 'silent',
    // The library compares each key with all others. `findNodeFault` finds repeated keys.
    uniqueKeys: false,
  })
  const formatPosition = (offset: number): string => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}`
  }
  const firstError = document.errors[0]
  if (firstError !== undefined)
    throw createError(
      errorCode,
      `${formatPosition(firstError.pos[0])}: ${firstError.message.replace(/\s+/g, ' ')}`,
    )
  const nodeFault = findNodeFault(document)
  if (nodeFault !== undefined) {
    const { node, problem } = nodeFault
    throw createError(errorCode, `${formatPosition(node.range?.[0] ?? 0)}: ${problem}`)
  }
  nameNullKeys(document)
  const errorAt: YamlSource['errorAt'] = (path, sentence) => {
    const offset = offsetOf(document, path)
    return createError(
      errorCode,
      `${offset === undefined ? file : formatPosition(offset)}: ${sentence}`,
    )
  }
  const content = readContent(document, errorAt)
  if (content !== null && (typeof content !== 'object' || Array.isArray(content)))
    throw errorAt([], 'the file must contain a map')
  return { document, errorAt }
}

/**
 * Returns the number of the line at which a conflict of git begins, counted from 1. The marker
 * `<<<<<<<` counts only if a later line has the marker `>>>>>>>`.
 */
export function findConflictLine(text: string): number | undefined {
  const lines = text.split(/\r?\n/)
  const first = lines.findIndex(line => /^<{7}(?: |$)/.test(line))
  const isConflict = first >= 0 && lines.slice(first).some(line => /^>{7}(?: |$)/.test(line))
  return isConflict ? first + 1 : undefined
}

/** Throws an error if a merge of git left conflict markers in the text. */
function refuseConflictMarkers(text: string, file: string, errorCode: YamlErrorCode): void {
  const line = findConflictLine(text)
  if (line === undefined) return
  throw createError(errorCode, `${file}:${line}:1: the file has conflict markers of a merge`, {
    hint: 'Resolve the conflict: keep one side, and remove the lines with <<<<<<<, ======= and >>>>>>>.',
  })
}

/** A node that the library accepts, but cannot convert or print. */
interface NodeFault {
  readonly node: Node
  readonly problem: string
}

/**
 * Finds an anchor with invalid characters, a value that contains itself, or a binary value. Also
 * finds a key that is a list or map, and a repeated key.
 */
function findNodeFault(document: Document): NodeFault | undefined {
  const anchors = new Map<string, Node>()
  let fault: NodeFault | undefined
  visit(document, {
    Pair: (_key, { key }) => {
      if (isCollection(key))
        fault = { node: key, problem: 'a key must be a text, not a list or map' }
      return fault === undefined ? undefined : visit.BREAK
    },
    Node: (_key, node, path) => {
      const target = isAlias(node) ? anchors.get(node.source) : undefined
      const isSelfContaining = target !== undefined && path.includes(target)
      const anchor = 'anchor' in node ? node.anchor : undefined
      if (anchor !== undefined) anchors.set(anchor, node)
      if (isSelfContaining) fault = { node, problem: 'the value contains itself' }
      else if (anchor !== undefined && /[\p{Cc}\s,[\]{}]/u.test(anchor))
        fault = { node, problem: 'the name of the anchor has an invalid character' }
      else if (!isAlias(node) && node.tag === 'tag:yaml.org,2002:binary')
        fault = { node, problem: 'a binary value is not supported; write its text' }
      else if (isMap(node)) fault = findRepeatedKey(node)
      return fault === undefined ? undefined : visit.BREAK
    },
  })
  return fault
}

function findRepeatedKey({ items }: YAMLMap): NodeFault | undefined {
  const values = new Set<unknown>()
  for (const { key } of items) {
    if (!isScalar(key)) continue
    if (values.has(key.value)) return { node: key, problem: 'Map keys must be unique' }
    values.add(key.value)
  }
  return undefined
}

/** The text that Pulumi uses for a null key. Source: `fmt.Sprint` of Go 1.25. */
const nullKey = '<nil>'

/** Replaces null keys, because the library would print them differently in JSON and in YAML. */
function nameNullKeys(document: Document): void {
  visit(document, {
    Pair: (_key, pair) => {
      if (pair.key === null) pair.key = new Scalar(nullKey)
      else if (isScalar(pair.key) && pair.key.value === null) pair.key.value = nullKey
    },
  })
}

/**
 * Converts a document to plain values. The library refuses unknown anchors and too many aliases.
 */
function readContent(document: Document, errorAt: YamlSource['errorAt']): unknown {
  try {
    return document.toJS()
  } catch (cause) {
    throw errorAt([], `the file cannot be read: ${messageOf(cause)}`)
  }
}

function offsetOf(document: Document, path: readonly (string | number)[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return document.contents?.range?.[0]
}

/**
 * A replacer for `JSON.stringify` that prints each bigint as a JSON number with all its digits.
 */
export function keepIntegerDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJson.rawJSON(String(value)) : value
}

/** `JSON` with the function that TypeScript's types do not contain. */
const rawJson = JSON as typeof JSON & { readonly rawJSON: (text: string) => unknown }
