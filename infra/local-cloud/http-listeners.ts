import type { Fleet } from './fleet.ts'
import { type HttpListener, startHttpListener } from './http-listener.ts'
import { createMessageReply, toHttpReply } from './http-payload.ts'
import { type InvokeFunction, startInvokeApi } from './invoke-api.ts'
import { streamReply } from './streamed-reply.ts'

/** The options of the servers. Absent ports: free loopback ports. */
interface FrontsOptions {
  readonly webhookPort?: number
  readonly apiPort?: number
  readonly settings: { readonly installation: string }
  readonly reporter: {
    readonly onHttpResponse?: (requestLine: string, status: number) => void
    readonly onCloudFailure: (reason: string) => void
  }
}

/**
 * Starts all servers. If one cannot start, closes those that already listen, because they would
 * keep the process alive.
 */
export async function startListeners(
  options: FrontsOptions,
  invoke: InvokeFunction,
  api: () => Fleet | undefined,
): Promise<{
  readonly webhookUrl: string
  readonly apiUrl: string
  /** The address for calls between functions. */
  readonly lambdaUrl: string
  readonly close: () => Promise<void>
}> {
  const openFronts: HttpListener[] = []
  const close = async (): Promise<void> =>
    void (await Promise.all(openFronts.map(front => front.close())))
  const openFront = async (frontPromise: Promise<HttpListener>): Promise<string> => {
    const front = await frontPromise
    openFronts.push(front)
    return front.url
  }
  try {
    return {
      webhookUrl: `${await openFront(startWebhooks(options, invoke))}/hooks/`,
      apiUrl: await openFront(startApiFront(options, api)),
      lambdaUrl: await openFront(startInvokeApi(options, invoke)),
      close,
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/** Starts the server for webhooks, with the same route as the HTTP API of the CDK app. */
function startWebhooks(
  { webhookPort: port = 0, reporter }: FrontsOptions,
  invoke: InvokeFunction,
): Promise<HttpListener> {
  return startHttpListener({
    port,
    routeKey: 'POST /hooks/{hook}',
    invoke: async event => toHttpReply(await invoke('webhook', event)),
    onFailure: reporter.onCloudFailure,
  })
}

/** Starts the function URL of the API, whose responses are streamed. */
function startApiFront(
  { apiPort: port = 0, reporter }: FrontsOptions,
  fleet: () => Fleet | undefined,
): Promise<HttpListener> {
  return startHttpListener({
    port,
    routeKey: '$default',
    invoke: async (event, disconnection) => {
      const api = fleet()
      if (api === undefined) return createMessageReply(502, 'the function api does not exist')
      const reply = await streamReply(
        onStreamedAnswer => api.invoke(event, { onStreamedAnswer }),
        disconnection,
      )
      const { method, path } = event.requestContext.http
      reporter.onHttpResponse?.(`${method} ${path}`, reply.status)
      return reply
    },
    onFailure: reporter.onCloudFailure,
  })
}
