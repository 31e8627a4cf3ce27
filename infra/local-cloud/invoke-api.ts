import type { FunctionName } from '../function-row.ts'
import { functionsTable } from '../functions-table.ts'
import { callWithRetries, fitsAsynchronousCall } from './asynchronous-call.ts'
import type { CallOptions, InvocationOutcome, OnStreamedAnswer } from './environment.ts'
import { type HttpListener, startHttpListener } from './http-listener.ts'
import { type HttpEvent, type HttpReply, createMessageReply } from './http-payload.ts'

/** Calls a function of the installation by its name. */
export type InvokeFunction = (
  name: FunctionName,
  event: unknown,
  call?: CallOptions & {
    /** The group whose function is called. Absent: the default one. */
    readonly group?: string | undefined
  },
) => Promise<InvocationOutcome>

/** The header of Lambda's API that names the tenant of a call. */
const tenantHeader = 'x-amz-tenant-id'

/**
 * Starts a server for calls between functions. The server accepts the Invoke request of Lambda's
 * API. It responds with the result or error of a synchronous call, and immediately to an
 * asynchronous call. The permission proxies in front of the server check the caller. The server
 * listens on loopback.
 */
export async function startInvokeApi(
  {
    settings: { installation },
    reporter: { onCloudFailure },
  }: {
    readonly settings: { readonly installation: string }
    readonly reporter: { readonly onCloudFailure: (reason: string) => void }
  },
  invoke: InvokeFunction,
): Promise<HttpListener> {
  const shutdown = new AbortController()
  const listener = await startHttpListener({
    port: 0,
    routeKey: 'POST /2015-03-31/functions/{function}/invocations',
    invoke: async event => {
      const target = functionOfPath(event, installation)
      if (target === undefined) return createMessageReply(404, 'Function not found')
      const { name, group } = target
      const call = {
        group,
        traceHeader: event.headers['x-amzn-trace-id'],
        tenant: event.headers[tenantHeader],
      }
      const text = readEventText(event)
      const functionEvent: unknown = text === '' ? {} : JSON.parse(text)
      if (event.headers['x-amz-invocation-type'] !== 'Event')
        return replyToSynchronousCall(onStreamedAnswer =>
          invoke(name, functionEvent, { ...call, onStreamedAnswer }),
        )
      const invokeFunction = () => invoke(name, functionEvent, call)
      if (!fitsAsynchronousCall(text)) return createMessageReply(413, 'Request Entity Too Large')
      void callWithRetries(invokeFunction, { onFailure: onCloudFailure, signal: shutdown.signal })
      return { status: 202, headers: {}, body: Buffer.from('') }
    },
    onFailure: onCloudFailure,
  })
  return {
    ...listener,
    close: () => {
      shutdown.abort()
      return listener.close()
    },
  }
}

/** Returns the function whose full name or ARN is in the path, with its group. */
function functionOfPath(
  { rawPath }: HttpEvent,
  installation: string,
): { readonly name: FunctionName; readonly group: string | undefined } | undefined {
  const fullName =
    decodeURIComponent(rawPath.split('/')[3] ?? '')
      .split(':')
      .at(-1) ?? ''
  for (const { name, isPerGroup = false } of functionsTable) {
    if (!fullName.endsWith(`-${name}`)) continue
    const beginning = fullName.slice(0, -name.length - 1)
    if (beginning === installation) return { name, group: undefined }
    if (isPerGroup && beginning.startsWith(`${installation}_`))
      return { name, group: beginning.slice(installation.length + 1) }
  }
  return undefined
}

function readEventText({ body = '', isBase64Encoded }: HttpEvent): string {
  return Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString('utf8')
}

/**
 * Returns the response to a synchronous call. For a function that streams, the body is the whole
 * stream, including the head with status and headers.
 */
async function replyToSynchronousCall(
  invoke: (onStreamedAnswer: OnStreamedAnswer) => Promise<InvocationOutcome>,
): Promise<HttpReply> {
  let streamedBytes: Promise<Buffer> | undefined
  const outcome = await invoke(({ body }) => {
    streamedBytes = readAll(body)
    // If the stream breaks off, the outcome already reports it.
    streamedBytes.catch(() => undefined)
  })
  if (outcome.kind === 'answered')
    return { status: 200, headers: {}, body: (await streamedBytes) ?? Buffer.from(outcome.json) }
  const body = Buffer.from(JSON.stringify({ errorMessage: outcome.reason }))
  return { status: 200, headers: { 'x-amz-function-error': 'Unhandled' }, body }
}

async function readAll(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const piece of pieces) chunks.push(piece)
  return Buffer.concat(chunks)
}
