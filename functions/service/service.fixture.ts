import { gzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { TakeOverDeps } from '../../shared/engine/deployment/ownership/take-over.ts'
import { compact } from '../../shared/runtime/compaction/fold-and-publish.ts'
import type { EpochMs } from '../../shared/records/ids.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { OutboundPort } from '../../shared/ports/outbound.ts'
import type { AddressRules } from '../../shared/triggers/outbound/address-filter.ts'
import { createQueuedSender } from '../../shared/triggers/notifications/queued-sender.ts'
import { createOutbound } from '../../shared/triggers/outbound/outbound.ts'
import type { EmbeddedPlatform } from '../../shared/platform/embedded/embedded-platform.ts'
import type { Hono } from 'hono'
import { createRequestForwarder } from '../aws/forward-request.ts'
import { createUrlInvoker } from '../aws/url-invoker.fixture.ts'
import { createApi } from '../api/create-api.ts'
import { openTestApi, type TestApi } from '../api/api.fixture.ts'
import { createPulumiApi } from './create-pulumi-api.ts'

/** The path of the existing stack in the service. */
export const shopService = '/api/stacks/organization/shop/dev'

/** The response of a call: its status, and its JSON. */
export interface ServiceResponse {
  readonly status: number
  readonly json: Record<string, unknown>
}

/** The service over an embedded platform of its own, called without a socket. */
export interface TestService {
  readonly platform: EmbeddedPlatform
  readonly issueToken: TestApi['issueToken']
  /**
   * Sends a request named `<method> <path>`, with a packed body, as clients send it. A body that is
   * a text is sent as it is.
   */
  readonly call: (
    authorization: string,
    requestLine: string,
    body?: unknown,
  ) => Promise<ServiceResponse>
  /** Sends a request without additions, so that a test decides about its headers and its body. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>
  /**
   * Opens another process that serves the same records, as a function of AWS does. It forwards
   * delegated calls to an API that does not serve clients and opens no secrets. Returns the
   * function that calls this process.
   */
  readonly openProcess: () => TestService['call']
  /** Opens the app of such a process. */
  readonly openApp: () => Hono
  /** Creates and starts an update. Returns its path and the authorization of its lease. */
  readonly startUpdate: (
    authorization: string,
    kind?: string,
    options?: object,
  ) => Promise<{ readonly path: string; readonly lease: string }>
  /** Adds to the time that the service reads. */
  readonly advanceClock: (ms: number) => void
  readonly close: () => Promise<void>
}

/**
 * Opens the service. `calls`: the rules for outbound addresses, and their port. `times`: parts of
 * the clock that replace the real ones.
 */
export async function openTestService(
  calls: { readonly addresses: AddressRules; readonly outbound: OutboundPort } = {
    addresses: {},
    outbound: createOutbound(),
  },
  times: Partial<ClockPort> = {},
): Promise<TestService> {
  const testApi = await openTestApi()
  let offsetMs = 0
  const { clock } = testApi.platform
  const movedClock = { ...clock, ...times, now: () => (clock.now() + offsetMs) as EpochMs }
  const platform = { ...testApi.platform, clock: movedClock }
  const closing: TakeOverDeps = {
    ...platform,
    holder: { host: 'here', pid: 1, started: 'test', who: 'test' },
    isAlive: () => undefined,
    endProcessGroup: () => undefined,
    compact: deployment => compact(platform, deployment),
  }
  const ports = { ...platform, closing, ...calls, execute: 'here' as const }
  const addressOf = (): string => '192.0.2.7'
  const app = createApi({ ports, addressOf })
  const { closing: _closing, ...apiPorts } = ports
  const open = () => Promise.reject(new Error('the API opens no secret of a trigger'))
  const sealing = { seal: platform.sealing.seal, open }
  const api = createApi({
    ports: { ...apiPorts, sealing, sender: createQueuedSender(platform) },
    addressOf: ({ env }) => String(env['sourceIp']),
  })
  const forward = createRequestForwarder({ lambda: createUrlInvoker(api), functionArn: 'api' })
  const call = createCall(app)
  const openApp = (): Hono => createPulumiApi({ ports, addressOf, forward })
  return {
    platform: testApi.platform,
    issueToken: testApi.issueToken,
    call,
    request: async (path, init) => app.request(path, init),
    openProcess: () => createCall(openApp()),
    openApp,
    startUpdate: async (authorization, kind = 'update', options = {}) => {
      const created = await call(authorization, `POST ${shopService}/${kind}`, { options })
      expect(created.status).toBe(200)
      const path = `${shopService}/update/${String(created.json['updateID'])}`
      const started = await call(authorization, `POST ${path}`, { journalVersion: 1 })
      expect(started).toMatchObject({ status: 200, json: { journalVersion: 1 } })
      return { path, lease: `update-token ${String(started.json['token'])}` }
    },
    advanceClock: ms => {
      offsetMs += ms
    },
    close: testApi.close,
  }
}

function createCall(app: Pick<Hono, 'request'>): TestService['call'] {
  return async (authorization, requestLine, body) => {
    const [method = '', path = ''] = requestLine.split(' ')
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    // Clients do not pack the form with which they obtain a token.
    const isPacked = body !== undefined && authorization !== ''
    const payload = isPacked ? gzipSync(text) : text
    const encoding = isPacked ? { 'content-encoding': 'gzip' } : {}
    const headers = { authorization, ...encoding }
    const request = { method, headers, ...(body === undefined ? {} : { body: payload }) }
    const response = await app.request(path, request)
    // Clients print each value of this header as a warning.
    expect(response.headers.get('x-pulumi-warning')).toBeNull()
    const responseText = await response.text()
    return {
      status: response.status,
      json: (responseText === '' ? {} : JSON.parse(responseText)) as Record<string, unknown>,
    }
  }
}

/** Returns a journal entry with the fields that clients commonFields send. */
export function entryOf(kind: number, sequenceID: number, fields: object = {}): object {
  const commonFields = {
    version: 1,
    kind,
    sequenceID,
    operationID: 0,
    removeOld: null,
    removeNew: null,
  }
  return { ...commonFields, ...fields }
}
