import type { FunctionName } from '../functions-table.ts'
import type { InvocationOutcome } from './environment.ts'
import type { Fleet } from './fleet.ts'
import { type HttpFront, startHttpFront } from './http-front.ts'
import { createGatewayReply, toHttpReply } from './http-payload.ts'
import { startInvokeApi } from './invoke-api.ts'
import { streamReply } from './streamed-reply.ts'

/** Where the addresses are, on loopback; ports that are free by default. */
interface FrontsOptions {
  readonly webhookPort?: number
  readonly apiPort?: number
  readonly settings: { readonly installation: string }
  readonly reporter: {
    readonly onReply?: (what: string, status: number) => void
    readonly onFailure: (why: string) => void
  }
}

type InvokeFunction = (name: FunctionName, event: unknown) => Promise<InvocationOutcome>

/** All addresses, or none: what listens keeps a process alive. */
export async function startFronts(
  options: FrontsOptions,
  invoke: InvokeFunction,
  api: () => Fleet | undefined,
): Promise<{
  readonly webhookUrl: string
  readonly apiUrl: string
  /** Where functions call each other. */
  readonly lambdaUrl: string
  readonly close: () => Promise<void>
}> {
  const open: HttpFront[] = []
  const close = async (): Promise<void> => void (await Promise.all(open.map(one => one.close())))
  const openFront = async (starting: Promise<HttpFront>): Promise<string> => {
    const front = await starting
    open.push(front)
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

/** The address of webhooks, as the HTTP API of the infrastructure routes it. */
function startWebhooks(
  { webhookPort: port = 0, reporter }: FrontsOptions,
  invoke: InvokeFunction,
): Promise<HttpFront> {
  return startHttpFront({
    port,
    routeKey: 'POST /hooks/{hook}',
    invoke: async event => toHttpReply(await invoke('webhook', event)),
    onFailure: reporter.onFailure,
  })
}

/** The function URL of the API, whose answers are streamed. */
function startApiFront(
  { apiPort: port = 0, reporter }: FrontsOptions,
  fleet: () => Fleet | undefined,
): Promise<HttpFront> {
  return startHttpFront({
    port,
    routeKey: '$default',
    invoke: async (event, gone) => {
      const api = fleet()
      if (api === undefined) return createGatewayReply(502, 'there is no function api')
      const reply = await streamReply(streamed => api.invoke(event, streamed), gone)
      const { method, path } = event.requestContext.http
      reporter.onReply?.(`${method} ${path}`, reply.status)
      return reply
    },
    onFailure: reporter.onFailure,
  })
}
