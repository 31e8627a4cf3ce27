import { serve as listen } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { createApi } from '../functions/api/handle.ts'
import { addressRules } from '../functions/surroundings/address-rules.ts'
import type { ApiPorts } from '../functions/api/route.ts'
import type { WebhookServer } from '../functions/webhook/handle.ts'
import { error, messageOf } from '../shared/errors/error.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/platform.ts'
import { createOwnKeeper } from '../shared/platform/aws/own-keeper.ts'
import { managerFromState } from '../shared/secrets/manager.ts'
import { addHooks } from './serve-hooks.ts'

/** Where the API listens. */
export interface ApiPlace {
  readonly host: string
  /** 0: one that is free. */
  readonly port: number
}

/** An API that listens. */
export interface ServedApi {
  readonly url: string
  /** Ends every connection. */
  readonly close: () => Promise<void>
}

/** How long connections may end by themselves, in ms. */
const closeWithinMs = 500

/** What the API and webhooks are served with over the embedded platform. */
export type HomePorts = ApiPorts & WebhookServer

/** The ports of the API over the embedded platform. */
export function apiPorts(platform: EmbeddedPlatform, passphrase: string | undefined): HomePorts {
  const keeper = createOwnKeeper(process.env)
  return {
    ...platform,
    execute: 'here',
    addresses: addressRules(process.env),
    secretsOf: async ({ secrets_providers: named }) => {
      const isKnown = named?.type === 'cloud' || passphrase !== undefined
      if (named === undefined || !isKnown) return undefined
      return managerFromState(named, passphrase, keeper)
    },
  }
}

/** Serves the API and webhooks over HTTP. Throws CLI_USAGE when nothing can listen there. */
export async function serveApi(ports: HomePorts, { host, port }: ApiPlace): Promise<ServedApi> {
  const addressOf = (context: Parameters<typeof getConnInfo>[0]): string =>
    getConnInfo(context).remote.address ?? 'unknown'
  const app = createApi({ ports, addressOf })
  addHooks(app, { server: ports, clock: ports.clock, addressOf })
  const listening = Promise.withResolvers<number>()
  const server = listen({ fetch: app.fetch, hostname: host, port }, info =>
    listening.resolve(info.port),
  )
  server.on('error', cause =>
    listening.reject(
      error('CLI_USAGE', `nothing can listen at ${host}:${port}: ${messageOf(cause)}`, { cause }),
    ),
  )
  const bound = await listening.promise
  const name = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${name}:${bound}`,
    async close() {
      const closed = new Promise<void>(done => server.close(() => done()))
      await Promise.race([closed, ports.clock.sleep(closeWithinMs)])
      // Streams do not end by themselves.
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}
