import { createHash, randomBytes } from 'node:crypto'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'

/** The trace header of a call, and the number of calls of its function in the chain of calls. */
export interface InvocationLineage {
  /** The value of `X-Amzn-Trace-Id`, which SDKs in the function send with their requests. */
  readonly traceHeader: string
  readonly invocationCount: number
}

/**
 * Adds a call to the chain of calls that a trace header names. Without a header the call begins a
 * chain. Source: Lambda's page on recursive loop detection, and X-Ray's on the field `Lineage`,
 * which counts the calls of each function.
 */
export function addToLineage(
  receivedHeader: string | undefined,
  functionName: string,
): InvocationLineage {
  const fields = new Map(
    (receivedHeader ?? '').split(';').flatMap(field => {
      const [name, value] = field.split('=')
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    }),
  )
  const counts = new Map(
    (fields.get('Lineage') ?? '').split('|').flatMap(pair => {
      const [hash, count] = pair.split(':')
      return hash === undefined || count === undefined ? [] : [[hash, Number(count)] as const]
    }),
  )
  const ownHash = createHash('sha256').update(functionName).digest('hex').slice(0, 8)
  const invocationCount = (counts.get(ownHash) ?? 0) + 1
  counts.set(ownHash, invocationCount)
  const lineage = [...counts].map(([hash, count]) => `${hash}:${count}`).join('|')
  const root = fields.get('Root') ?? createTraceRoot()
  return { traceHeader: `Root=${root};Sampled=0;Lineage=${lineage}`, invocationCount }
}

/** Reports whether Lambda stops a chain at this call of a function. */
export function isRecursiveLoop({ invocationCount }: InvocationLineage): boolean {
  return invocationCount > localCloudLimits.recursiveInvocationsMax
}

function createTraceRoot(): string {
  const seconds = Math.floor(Date.now() / 1_000).toString(16)
  return `1-${seconds}-${randomBytes(12).toString('hex')}`
}

/**
 * Returns the body of a request to SQS, with the trace header of the request added to each message,
 * as SQS does. The body of a request that sends no message is unchanged.
 */
export function addTraceToMessages(body: string, traceHeader: string): string {
  const request = JSON.parse(body) as {
    readonly MessageBody?: string
    readonly Entries?: readonly { readonly MessageBody?: string }[]
  }
  const MessageSystemAttributes = {
    AWSTraceHeader: { DataType: 'String', StringValue: traceHeader },
  }
  if (request.MessageBody !== undefined)
    return JSON.stringify({ ...request, MessageSystemAttributes })
  if (request.Entries?.some(({ MessageBody }) => MessageBody !== undefined) !== true) return body
  const Entries = request.Entries.map(entry => ({ ...entry, MessageSystemAttributes }))
  return JSON.stringify({ ...request, Entries })
}
