import { createError } from '../../errors/error.ts'
import { completeEnvelope, readEnvelopeFrame, readResourceOfEnvelope } from '../envelope.ts'
import { describeJsonFault } from '../../values/json-fault.ts'
import type { StoredEnvelope, StoredResource } from '../stored.ts'
import { createPauser, type Pauser } from './pause.ts'
import { createEnvelopeSplitter, type EnvelopeParts } from './split-envelope.ts'

/** The text of an envelope: whole, or in parts of any size. */
export type EnvelopeSource = string | Uint8Array | AsyncIterable<Uint8Array>

/** Size of the parts into which a whole text is divided. A pause is possible after each part. */
const partBytes = 1 << 16

/**
 * Parses an envelope of version 1 to 4, and converts it to version 3 or 4. A missing deployment
 * means a new stack. Other work of the process continues meanwhile. Throws STATE_INVALID for a
 * malformed envelope or an earlier version, and STATE_TOO_NEW for a later version or an unknown
 * feature. Source: docs/spec/state-format.md#envelope.
 */
export async function parseEnvelope(source: EnvelopeSource): Promise<StoredEnvelope> {
  const pauser = createPauser()
  const { json, listedResources } = await parseJson(source, pauser)
  const frame = readEnvelopeFrame(json)
  // The frame contains the resources if their key has an unusual form.
  const resources = listedResources ?? frame.deployment?.resources ?? []
  const storedResources: StoredResource[] = []
  for (const [index, resource] of resources.entries()) {
    storedResources.push(readResourceOfEnvelope(frame, resource, index))
    await pauser.addResource()
  }
  return completeEnvelope(frame, storedResources)
}

/** An envelope as JSON. `listedResources`: the resources of its deployment, if `json` has none. */
interface SplitJson {
  readonly json: unknown
  readonly listedResources?: readonly unknown[]
}

async function parseJson(source: EnvelopeSource, pauser: Pauser): Promise<SplitJson> {
  try {
    const splitter = createEnvelopeSplitter()
    for await (const bytes of readParts(source)) {
      splitter.push(bytes)
      await pauser.addBytes(bytes.length)
    }
    return takeResources(splitter.finish())
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    // The message of the parser quotes the text, which may have secrets.
    throw createError('STATE_INVALID', describeSyntaxFault(source), {
      cause: new SyntaxError('the text is not JSON'),
    })
  }
}

/** Returns the message for a source that is not JSON. The bytes of a stream are not kept. */
function describeSyntaxFault(source: EnvelopeSource): string {
  if (typeof source === 'string') return describeSyntaxFault(Buffer.from(source))
  if (!(source instanceof Uint8Array)) return 'the state is truncated, or not JSON in UTF-8'
  return `the state cannot be read as JSON: ${describeJsonFault(source)}`
}

/**
 * Parses the frame. Removes the mark of the last list of resources from it. If a repeated key has
 * replaced this mark in the frame, the list does not count.
 */
function takeResources({ frame, lastList }: EnvelopeParts): SplitJson {
  const json = JSON.parse(frame) as {
    readonly deployment?: { resources?: readonly unknown[] } | null
  } | null
  const deployment = json?.deployment
  if (lastList === undefined || deployment?.resources?.[0] !== lastList.mark) return { json }
  delete deployment.resources
  return { json, listedResources: lastList.resources }
}

async function* readParts(source: EnvelopeSource): AsyncGenerator<Uint8Array> {
  if (typeof source !== 'string' && !(source instanceof Uint8Array)) return yield* source
  const bytes = typeof source === 'string' ? Buffer.from(source) : source
  for (let start = 0; start < bytes.length; start += partBytes)
    yield bytes.subarray(start, start + partBytes)
}
