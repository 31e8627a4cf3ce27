import { resolve } from 'node:path'
import { isTruthy } from '../shared/config/truthy.ts'
import { serve as listen } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { createApi } from '../functions/api/create-api.ts'
import { readDashboardFiles } from '../shared/runtime/environment/read-dashboard-files.ts'
import { createAddressLimiter } from '../shared/api/rate-limit.ts'
import { readAddressRules } from '../shared/runtime/environment/address-rules.ts'
import type { ApiPorts } from '../shared/api/define-route.ts'
import type { WebhookServer } from '../functions/webhook/answer-webhook.ts'
import { createError, messageOf } from '../shared/errors/error.ts'
import type { TakeOverDeps } from '../shared/engine/deployment/ownership/take-over.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import { createDefaultKeyKeeper } from '../shared/platform/key-services/default-key-keeper.ts'
import { openManagerFromState } from '../shared/secrets/secrets-from-state.ts'
import { createOutbound } from '../shared/triggers/outbound/outbound.ts'
import { addHealthRoutes } from './serve-health.ts'
import { addWebhookRoute } from './serve-webhooks.ts'

/** The address of the API. */
export interface ApiAddress {
  readonly host: string
  /** 0: a free port. */
  readonly port: number
}

/** A listening API. */
export interface ServedApi {
  readonly url: string
  /** Whether the dashboard is built, and so served at `/`. */
  readonly hasDashboard: boolean
  /** Closes every connection. */
  readonly close: () => Promise<void>
}

/** The folder of the dashboard in an installed package, and the one in a clone. */
const dashboardFolders = ['../dist/dashboard', '../.cache/dashboard'].map(folder =>
  resolve(import.meta.dirname, folder),
)

/** Time that connections have to end by themselves, in ms. */
const closeTimeoutMs = 500

/** The ports of the API and webhooks over the embedded platform. */
export type HttpPorts = ApiPorts & WebhookServer & Pick<EmbeddedPlatform, 'readOldestChainAgeMs'>

/**
 * Creates the ports of the API over the embedded platform. `closing`: the ports that close
 * deployments of Pulumi's clients. Absent where no such client can call the API.
 */
export function createApiPorts(
  platform: EmbeddedPlatform,
  passphrase: string | undefined,
  closing?: TakeOverDeps,
): HttpPorts {
  const keeper = createDefaultKeyKeeper(process.env)
  const addresses = readAddressRules(process.env)
  return {
    ...platform,
    ...(closing === undefined ? {} : { closing }),
    announcesDeltas: isTruthy(process.env['ANTICHAIN_DELTA_CHECKPOINTS']),
    execute: 'here',
    addresses,
    outbound: createOutbound(addresses),
    openStateSecrets: async (stack, { secrets_providers: provider }) => {
      const canOpen = provider?.type === 'cloud' || passphrase !== undefined
      if (provider === undefined || !canOpen) return undefined
      const allowed = { kind: 'own-or-unnamed', stack } as const
      return openManagerFromState(provider, passphrase, { keeper, allowed })
    },
  }
}

/**
 * Serves the API, the dashboard, webhooks, health and metrics over HTTP. Throws CLI_USAGE when the
 * address is unavailable.
 */
export async function serveApi(ports: HttpPorts, { host, port }: ApiAddress): Promise<ServedApi> {
  const addressOf = (context: Parameters<typeof getConnInfo>[0]): string =>
    getConnInfo(context).remote.address ?? 'unknown'
  const dashboard = readDashboardFiles(dashboardFolders)
  const addressLimiter = createAddressLimiter(ports.clock)
  const app = createApi({ ports, addressOf, addressLimiter, dashboard })
  addHealthRoutes(app, { ports, addressOf, addressLimiter })
  addWebhookRoute(app, { server: ports, clock: ports.clock, addressOf })
  const listeningPort = Promise.withResolvers<number>()
  const server = listen({ fetch: app.fetch, hostname: host, port }, info =>
    listeningPort.resolve(info.port),
  )
  server.on('error', cause =>
    listeningPort.reject(
      createError('CLI_USAGE', `cannot listen at ${host}:${port}: ${messageOf(cause)}`, { cause }),
    ),
  )
  const boundPort = await listeningPort.promise
  const hostText = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${hostText}:${boundPort}`,
    hasDashboard: dashboard !== undefined,
    async close() {
      const serverClosed = new Promise<void>(resolve => server.close(() => resolve()))
      await Promise.race([serverClosed, ports.clock.sleep(closeTimeoutMs)])
      // Streams do not end by themselves.
      if ('closeAllConnections' in server) server.closeAllConnections()
      await serverClosed
    },
  }
}
