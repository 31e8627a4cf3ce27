import { once } from 'node:events'
import { createServer } from 'node:http'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'

/** A decoded message of protobuf: the values of each field, by the number of the field. */
type Message = ReadonlyMap<number, readonly (Uint8Array | bigint)[]>

/** A span as a collector receives it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly attributes: Attributes
  readonly events: readonly string[]
  readonly hasFailed: boolean
  /** The attributes of the process that sent the span. */
  readonly resource: Attributes
}

type Attributes = Readonly<Record<string, string | bigint>>

/** A receiver of OTLP over HTTP on loopback. */
export interface OtlpReceiver {
  readonly url: string
  readonly spans: ReceivedSpan[]
  readonly metrics: Set<string>
  readonly logs: string[]
  /** Returns all received bodies as one text, with a character for each byte. */
  readonly readBytes: () => string
  readonly close: () => Promise<void>
}

/** Starts a receiver, which answers each request with `status`. */
export async function startOtlpReceiver(status = 200): Promise<OtlpReceiver> {
  const bodies: Buffer[] = []
  const received = { spans: [] as ReceivedSpan[], metrics: new Set<string>(), logs: [] as string[] }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      bodies.push(body)
      // ResourceSpans have a Resource (field 1) and ScopeSpans (2), which have spans (2). Metrics
      // and logs have the same form.
      for (const part of listMessages(decode(body), 1)) {
        const [resource = new Map()] = listMessages(part, 1)
        const records = listMessages(part, 2).flatMap(scope => listMessages(scope, 2))
        for (const record of records)
          if (request.url === '/v1/traces') received.spans.push(toSpan(record, resource))
          else if (request.url === '/v1/metrics') received.metrics.add(readText(record, 1))
          else received.logs.push(readText(listMessages(record, 5)[0], 1))
      }
      response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    ...received,
    url: `http://127.0.0.1:${port}`,
    readBytes: () => Buffer.concat(bodies).toString('latin1'),
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** Decodes the fields of a message without its schema. */
function decode(bytes: Uint8Array): Message {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, (Uint8Array | bigint)[]>()
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag()
    const value =
      wireType === WireType.LengthDelimited
        ? reader.bytes()
        : wireType === WireType.Varint
          ? BigInt(reader.uint64())
          : wireType === WireType.Bit64
            ? BigInt(reader.fixed64())
            : BigInt(reader.fixed32())
    fields.set(field, [...(fields.get(field) ?? []), value])
  }
  return fields
}

const listBytes = (message: Message | undefined, field: number): readonly Uint8Array[] =>
  (message?.get(field) ?? []).filter(value => typeof value !== 'bigint')

const listMessages = (message: Message, field: number): readonly Message[] =>
  listBytes(message, field).map(decode)

const readText = (message: Message | undefined, field: number): string =>
  Buffer.from(listBytes(message, field)[0] ?? []).toString('utf8')

function toSpan(span: Message, resource: Message): ReceivedSpan {
  const readHex = (field: number): string =>
    Buffer.from(listBytes(span, field)[0] ?? []).toString('hex')
  const [status] = listMessages(span, 15)
  return {
    traceId: readHex(1),
    spanId: readHex(2),
    parentSpanId: readHex(4),
    name: readText(span, 5),
    attributes: readAttributes(span, 9),
    events: listMessages(span, 11).map(event => readText(event, 2)),
    // The status code of an error is 2.
    hasFailed: status?.get(3)?.[0] === 2n,
    resource: readAttributes(resource, 1),
  }
}

/** Reads the attributes in a field of a message. Only texts and integers have a value. */
function readAttributes(message: Message, field: number): Attributes {
  const attributes = listMessages(message, field).map(attribute => {
    const [value = new Map()] = listMessages(attribute, 2)
    const integer = value.get(3)?.[0]
    const key = readText(attribute, 1)
    return [key, typeof integer === 'bigint' ? integer : readText(value, 1)] as const
  })
  return Object.fromEntries(attributes)
}
