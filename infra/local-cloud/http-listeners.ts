import type { Fleet } from './fleet.ts'
import { type HttpListener, startHttpListener } from './http-listener.ts'
import { createMessageReply, toHttpReply } from './http-payload.ts'
import { type InvokeFunction, startInvokeApi } from './invoke-api.ts'
import { streamReply } from './streamed-reply.ts'

/** The options of all HTTP servers of the local cloud. Absent ports: free loopback ports. */
interface ListenersOptions {
  readonly webhookPort?: number
  readonly apiPort?: number
  readonly servicePort?: number
  readonly settings: { readonly installation: string }
  readonly reporter: {
    readonly onHttpResponse?: (requestLine: string, status: number) => void
    readonly onCloudFailure: (reason: string) => void
  }
}

/**
 * Starts the servers of webhooks, API, service, and calls between functions. If one cannot start,
 * closes those that already listen, because they would keep the process alive.
 */
export async function startListeners(
  options: ListenersOptions,
  invoke: InvokeFunction,
  fleetOf: (name: 'api' | 'service') => Fleet | undefined,
): Promise<{
  readonly webhookUrl: string
  readonly apiUrl: string
  /** The address of the service for Pulumi's command line. */
  readonly serviceUrl: string
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
      apiUrl: await addListener(startUrlListener(options, options.apiPort, () => fleetOf('api'))),
      serviceUrl: await addListener(
        startUrlListener(options, options.servicePort, () => fleetOf('service')),
      ),
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

/** Starts the server of a function URL, whose responses are streamed. */
function startUrlListener(
  { reporter }: ListenersOptions,
  port: number | undefined,
  fleet: () => Fleet | undefined,
): Promise<HttpListener> {
  return startHttpListener({
    port: port ?? 0,
    routeKey: '$default',
    invoke: async (event, disconnection) => {
      const target = fleet()
      if (target === undefined) return createMessageReply(502, 'the function does not exist')
      const reply = await streamReply(
        onStreamedAnswer => target.invoke(event, { onStreamedAnswer }),
        disconnection,
      )
      const { method, path } = event.requestContext.http
      reporter.onHttpResponse?.(`${method} ${path}`, reply.status)
      return reply
    },
    onFailure: reporter.onCloudFailure,
  })
}
