/**
 * Splits the bytes of an envelope into the resources of its deployment and all other text, so that
 * a large state is never one text. The splitter only finds where resources end. `JSON.parse` reads
 * all text, and therefore finds the same syntax errors as in a whole text.
 */

import { isUtf8 } from 'node:buffer'
import { createStringSharer } from './share-strings.ts'

/** The parts of an envelope. */
export interface EnvelopeParts {
  /** The text without the resources. A mark replaces the resources of each list. */
  readonly frame: string
  /** The last list of resources. Absent: the envelope has no list of resources. */
  readonly lastList: ResourceList | undefined
}

/** The mark of a list of resources in the frame, and its resources. */
export interface ResourceList {
  readonly mark: string
  readonly resources: unknown[]
}

/** Receives the bytes of an envelope in order. */
export interface EnvelopeSplitter {
  /** Throws SyntaxError for a malformed list of resources, and for bytes that are not UTF-8. */
  readonly push: (bytes: Uint8Array) => void
  /** Throws SyntaxError for bytes that are not UTF-8. */
  readonly finish: () => EnvelopeParts
}

/** Resources are parsed together until their text has this size. */
const batchBytes = 1 << 16
/** Maximum number of bytes of a key that are kept. All compared keys are shorter. */
const keyBytesMax = 16

const [space, quote, backslash, comma, colon] = [0x20, 0x22, 0x5c, 0x2c, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** The location of the splitter in the text, and the parts that it has collected. */
interface SplitterState {
  readonly frameParts: Uint8Array[]
  batchParts: Uint8Array[]
  batchSizeBytes: number
  list: ResourceList | undefined
  /** The number of lists of resources so far. A repeated key results in several lists. */
  listCount: number
  isInList: boolean
  isInDeployment: boolean
  isInString: boolean
  isEscaped: boolean
  /** Open objects and lists. In the list of resources: those of the current resource. */
  depth: number
  key: string
  keyBytes: number[]
  /** Whether the text since the last comma of the list has a resource. */
  hasResource: boolean
  /** Whether the list has had a comma between resources. */
  hasComma: boolean
  readonly shareStrings: (json: unknown) => void
}

/** Creates a splitter. */
export function createEnvelopeSplitter(): EnvelopeSplitter {
  const state: SplitterState = {
    frameParts: [],
    batchParts: [],
    batchSizeBytes: 0,
    list: undefined,
    listCount: 0,
    isInList: false,
    isInDeployment: false,
    isInString: false,
    isEscaped: false,
    depth: 0,
    key: '',
    keyBytes: [],
    hasResource: false,
    hasComma: false,
    shareStrings: createStringSharer(),
  }
  return {
    push: bytes => {
      let start = 0
      while (start < bytes.length)
        start = state.isInList ? readList(state, bytes, start) : readFrame(state, bytes, start)
    },
    finish: () => ({
      // If the bytes end within a list, the frame lacks its end, and `JSON.parse` refuses it.
      frame: decodeText(state.frameParts),
      lastList: state.list,
    }),
  }
}

/** Reads bytes up to the start of a list of resources. Returns the index of the next byte. */
function readFrame(state: SplitterState, bytes: Uint8Array, start: number): number {
  for (let index = start; index < bytes.length; index += 1) {
    if (!entersList(state, bytes[index] ?? 0)) continue
    state.listCount += 1
    // A resource is never a string, so a valid state contains no other copy of the mark.
    const mark = `list ${state.listCount} of resources`
    state.list = { mark, resources: [] }
    state.frameParts.push(bytes.subarray(start, index + 1), Buffer.from(JSON.stringify(mark)))
    Object.assign(state, { isInList: true, depth: 0, hasResource: false, hasComma: false })
    return index + 1
  }
  state.frameParts.push(bytes.subarray(start))
  return bytes.length
}

/**
 * Reads one byte of the frame, and reports whether it begins a list of resources. The envelope has
 * the depth 1, and the deployment has the depth 2.
 */
function entersList(state: SplitterState, byte: number): boolean {
  if (state.isInString) {
    readStringByte(state, byte)
    if (state.isInString && state.depth <= 2 && state.keyBytes.length < keyBytesMax)
      state.keyBytes.push(byte)
    return false
  }
  const { depth } = state
  if (byte === quote) {
    state.isInString = true
    state.keyBytes = []
  } else if (byte === colon && depth <= 2) state.key = String.fromCharCode(...state.keyBytes)
  else if (byte === openBrace) {
    if (depth === 1) state.isInDeployment = state.key === 'deployment'
    state.depth += 1
  } else if (byte === openBracket) {
    state.depth += 1
    return depth === 2 && state.isInDeployment && state.key === 'resources'
  } else if (byte === closeBrace || byte === closeBracket) {
    state.depth -= 1
    if (state.depth === 1) state.isInDeployment = false
  }
  return false
}

/** Reads bytes up to the end of the list, or of a batch. Returns the index of the next byte. */
function readList(state: SplitterState, bytes: Uint8Array, start: number): number {
  for (let index = start; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    if (state.isInString) readStringByte(state, byte)
    else if (state.depth === 0 && byte === closeBracket) {
      addToBatch(state, bytes.subarray(start, index))
      if (state.hasComma && !state.hasResource) throw createCommaError()
      parseBatch(state)
      // The frame continues with the bracket, which closes the list in the deployment.
      Object.assign(state, { isInList: false, depth: 3 })
      return index
    } else if (state.depth === 0 && byte === comma) {
      if (!state.hasResource) throw createCommaError()
      Object.assign(state, { hasComma: true, hasResource: false })
      if (state.batchSizeBytes + index - start < batchBytes) continue
      addToBatch(state, bytes.subarray(start, index))
      parseBatch(state)
      return index + 1
    } else readResourceByte(state, byte)
  }
  addToBatch(state, bytes.subarray(start))
  return bytes.length
}

function readResourceByte(state: SplitterState, byte: number): void {
  // The white space of JSON has no code above that of the space.
  if (byte > space) state.hasResource = true
  if (byte === quote) state.isInString = true
  else if (byte === openBrace || byte === openBracket) state.depth += 1
  else if (byte === closeBrace || byte === closeBracket) state.depth -= 1
}

function readStringByte(state: SplitterState, byte: number): void {
  if (state.isEscaped) state.isEscaped = false
  else if (byte === backslash) state.isEscaped = true
  else if (byte === quote) state.isInString = false
}

function addToBatch(state: SplitterState, bytes: Uint8Array): void {
  state.batchParts.push(bytes)
  state.batchSizeBytes += bytes.length
}

function parseBatch(state: SplitterState): void {
  const text = decodeText(state.batchParts)
  Object.assign(state, { batchParts: [], batchSizeBytes: 0 })
  const resources = JSON.parse(`[${text}]`) as unknown[]
  state.shareStrings(resources)
  for (const resource of resources) state.list?.resources.push(resource)
}

/**
 * Decodes the parts of a text. Throws SyntaxError for bytes that are not UTF-8. A decoder without
 * this check would replace them, and so change the state without a message.
 */
function decodeText(parts: readonly Uint8Array[]): string {
  const bytes = Buffer.concat(parts)
  if (!isUtf8(bytes)) throw new SyntaxError('the text is not UTF-8')
  return bytes.toString()
}

function createCommaError(): SyntaxError {
  return new SyntaxError('a comma in the list of resources has no resource before or after it')
}
