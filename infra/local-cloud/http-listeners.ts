import type { Fleet } from './fleet.ts'
import { type HttpListener, startHttpListener } from './http-listener.ts'
import { createMessageReply, toHttpReply } from './http-payload.ts'
import { type InvokeFunction, startInvokeApi } from './invoke-api.ts'
import { streamReply } from './streamed-reply.ts'

/** The options of the servers. Absent ports: free loopback ports. */
interface ListenersOptions {
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
  options: ListenersOptions,
  invoke: InvokeFunction,
  api: () => Fleet | undefined,
): Promise<{
  readonly webhookUrl: string
  readonly apiUrl: string
  /** The address for calls between functions. */
  readonly lambdaUrl: string
  readonly close: () => Promise<void>
}> {
  const openListeners: HttpListener[] = []
  const close = async (): Promise<void> =>
    void (await Promise.all(openListeners.map(listener => listener.close())))
  const addListener = async (pendingListener: Promise<HttpListener>): Promise<string> => {
    const listener = await pendingListener
    openListeners.push(listener)
    return listener.url
  }
  try {
    return {
      webhookUrl: `${await addListener(startWebhookListener(options, invoke))}/hooks/`,
      apiUrl: await addListener(startApiListener(options, api)),
      lambdaUrl: await addListener(startInvokeApi(options, invoke)),
      close,
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/** Starts the server for webhooks, with the same route as the HTTP API of the CDK app. */
function startWebhookListener(
  { webhookPort: port = 0, reporter }: ListenersOptions,
  invoke: InvokeFunction,
): Promise<HttpListener> {
  return startHttpListener({
    port,
    routeKey: 'POST /hooks/{hook}',
    invoke: async event => toHttpReply(await invoke('webhook', event)),
    onFailure: reporter.onCloudFailure,
  })
}

/** Starts the server for the API: its function URL, whose responses are streamed. */
function startApiListener(
  { apiPort: port = 0, reporter }: ListenersOptions,
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
