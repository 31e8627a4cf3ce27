import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hono } from 'hono'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import { type ApiOptions, createApi } from './create-api.ts'
import type { Role } from '../../shared/api/authorization.ts'
import { createToken } from '../../shared/api/issue-token.ts'

/** An API over an embedded platform of its own, called without a socket. */
export interface TestApi {
  readonly app: Hono
  readonly platform: EmbeddedPlatform
  /**
   * Sends a request with a token, or without one if `token` is ''. `requestLine` has the form
   * `<method> <path>`. Bytes are sent as they are, any other body as JSON.
   */
  readonly call: (
    token: string,
    requestLine: string,
    body?: unknown,
    headers?: object,
  ) => Promise<Response>
  readonly issueToken: (role: Role, stacks?: string[]) => Promise<string>
  readonly close: () => Promise<void>
}

/** The existing stack that tests use, and its path. */
export const shop = stackIdOf('shop', 'dev')
export const shopPath = '/v1/stacks/shop/dev'

const unlimitedRate = { burst: 1_000_000, perSecond: 1_000 }

/** Opens an API over a new store, in which only the stack `shop` exists. */
export async function openTestApi(overrides: Partial<ApiOptions> = {}): Promise<TestApi> {
  const home = mkdtempSync(join(tmpdir(), 'antichain-api-'))
  const platform = await openEmbeddedPlatform({ home })
  await platform.catalog.createStack(shop, platform.clock.now())
  const app = createApi({
    ports: { ...platform, execute: 'here', addresses: {}, outbound: createOutbound() },
    addressOf: () => '192.0.2.7',
    rates: { address: unlimitedRate, token: unlimitedRate },
    ...overrides,
  })
  return {
    app,
    platform,
    call: async (token, requestLine, body, headers = {}) => {
      const [method = '', path = ''] = requestLine.split(' ')
      const payload = body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body)
      const authorization = token === '' ? {} : { authorization: `Bearer ${token}` }
      return app.request(path, {
        method,
        headers: { ...authorization, ...headers },
        ...(body === undefined ? {} : { body: payload }),
      })
    },
    issueToken: async (role, stacks) =>
      (await createToken(platform, { name: role, role, ...(stacks ? { stacks } : {}) })).token,
    async close() {
      await platform.close()
      rmSync(home, { recursive: true })
    },
  }
}
