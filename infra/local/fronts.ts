import type { FunctionName } from '../functions-table.ts'
import type { Outcome } from './environment.ts'
import type { Fleet } from './fleet.ts'
import { type HttpFront, startHttpFront } from './http-front.ts'
import { gatewayReply, httpReplyOf } from './http-payload.ts'
import { startInvocations } from './invocations.ts'
import { streamedReply } from './streamed-reply.ts'

/** Where the addresses are, on loopback; ports that are free by default. */
interface FrontsAbout {
  readonly webhookPort?: number
  readonly apiPort?: number
  readonly settings: { readonly installation: string }
  readonly told: {
    readonly replied?: (what: string, status: number) => void
    readonly failed: (why: string) => void
  }
}

type Call = (name: FunctionName, event: unknown) => Promise<Outcome>

/** All addresses, or none: what listens keeps a process alive. */
export async function startFronts(
  about: FrontsAbout,
  invoke: Call,
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
  const opened = async (starting: Promise<HttpFront>): Promise<string> => {
    const front = await starting
    open.push(front)
    return front.url
  }
  try {
    return {
      webhookUrl: `${await opened(startWebhooks(about, invoke))}/hooks/`,
      apiUrl: await opened(startApiFront(about, api)),
      lambdaUrl: await opened(startInvocations(about, invoke)),
      close,
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}

/** The address of webhooks, as the HTTP API of the infrastructure routes it. */
function startWebhooks(
  { webhookPort: port = 0, told }: FrontsAbout,
  invoke: Call,
): Promise<HttpFront> {
  return startHttpFront({
    port,
    routeKey: 'POST /hooks/{hook}',
    invoke: async event => httpReplyOf(await invoke('webhook', event)),
    failed: told.failed,
  })
}

/** The function URL of the API, whose answers are streamed. */
function startApiFront(
  { apiPort: port = 0, told }: FrontsAbout,
  fleet: () => Fleet | undefined,
): Promise<HttpFront> {
  return startHttpFront({
    port,
    routeKey: '$default',
    invoke: async (event, gone) => {
      const api = fleet()
      if (api === undefined) return gatewayReply(502, 'there is no function api')
      const reply = await streamedReply(streamed => api.invoke(event, streamed), gone)
      const { method, path } = event.requestContext.http
      told.replied?.(`${method} ${path}`, reply.status)
      return reply
    },
    failed: told.failed,
  })
}
