import type { Outcome } from './environment.ts'
import type { Fleet } from './fleet.ts'
import { type HttpFront, startHttpFront } from './http-front.ts'
import { gatewayReply, httpReplyOf } from './http-payload.ts'
import { streamedReply } from './streamed-reply.ts'

/** Where the addresses are, on loopback; ports that are free by default. */
interface FrontsAbout {
  readonly webhookPort?: number
  readonly apiPort?: number
  readonly told: {
    readonly replied?: (what: string, status: number) => void
    readonly failed: (why: string) => void
  }
}

type CallWebhook = (name: 'webhook', event: unknown) => Promise<Outcome>

/** Both addresses, or neither: what listens keeps a process alive. */
export async function startFronts(
  about: FrontsAbout,
  invoke: CallWebhook,
  api: () => Fleet | undefined,
): Promise<{
  readonly webhookUrl: string
  readonly apiUrl: string
  readonly close: () => Promise<void>
}> {
  const webhooks = await startWebhooks(about, invoke)
  try {
    const front = await startApiFront(about, api)
    return {
      webhookUrl: `${webhooks.url}/hooks/`,
      apiUrl: front.url,
      close: async () => void (await Promise.all([webhooks.close(), front.close()])),
    }
  } catch (thrown) {
    await webhooks.close()
    throw thrown
  }
}

/** The address of webhooks, as the HTTP API of the infrastructure routes it. */
function startWebhooks(
  { webhookPort: port = 0, told }: FrontsAbout,
  invoke: CallWebhook,
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
