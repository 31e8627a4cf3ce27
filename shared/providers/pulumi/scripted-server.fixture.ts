import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js'
import { Any } from '../../../proto/gen/google/protobuf/any.ts'
import { Status } from '../../../proto/gen/google/rpc/status.ts'
import {
  ErrorResourceInitFailed,
  type ResourceProviderServer,
  ResourceProviderService as service,
} from '../../../proto/gen/pulumi/provider.ts'
import { waitUntilReady, callUnary, type Connection, createClient } from '../plugins/connection.ts'
import type { Provider } from '../provider.ts'
import { createPulumiProvider, type DriverDeps } from './pulumi-provider.ts'

/** The script of a provider: method → function that returns the response or throws an error. */
export type Script = {
  readonly [M in keyof typeof service]?: (request: never) => unknown
}

/** A scripted server in this process, and a provider that calls it over gRPC. For tests. */
export interface ScriptedServer {
  readonly provider: Provider
  /**
   * Creates another instance with its own configuration. Closing the new instance does not close
   * the server.
   */
  readonly createInstance: () => Provider
  readonly connection: Connection
  /** Every received call, in order. */
  readonly calls: readonly { readonly method: string; readonly request: unknown }[]
  /** Breaks every connection immediately, and ends the server. */
  readonly breakConnections: () => void
  readonly close: () => void
}

/** Serves a script. A call of a method that is not in the script fails with UNIMPLEMENTED. */
export async function serveScript(
  script: Script,
  options: Partial<Pick<DriverDeps, 'handshakeCapabilities' | 'settings'>> = {},
): Promise<ScriptedServer> {
  const calls: { method: string; request: unknown }[] = []
  const server = new Server({ 'grpc.max_receive_message_length': -1 })
  const handlers: Record<string, unknown> = {}
  for (const [method, respond] of Object.entries(script)) {
    if (respond === undefined) continue
    handlers[method] = (
      call: { request: never },
      reply: (failure: unknown, value?: unknown) => void,
    ) => {
      calls.push({ method, request: call.request })
      Promise.resolve()
        .then(() => respond(call.request))
        .then(
          value => reply(null, value),
          (failure: unknown) => reply(failure),
        )
    }
  }
  server.addService(service, handlers as unknown as ResourceProviderServer)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, boundPort) =>
      failure === null ? resolve(boundPort) : reject(failure),
    )
  })
  const client = createClient(port)
  await waitUntilReady(client, Date.now() + 5_000)
  const connection: Connection = {
    name: 'scripted',
    call: (method, request, deadlineMs) => callUnary(client, method, { request, deadlineMs }),
    getExitReport: async () => undefined,
  }
  const settings = { isPreviewDisabled: false, isLegacyPreview: false, refreshBeforeUpdate: true }
  const close = (): void => {
    client.close()
    server.forceShutdown()
  }
  const createProvider = (onClose: () => Promise<void>): Provider =>
    createPulumiProvider({
      connection,
      pkg: 'scripted',
      version: '',
      handshakeCapabilities: undefined,
      settings,
      close: onClose,
      hasEnded: () => false,
      ...options,
    })
  return {
    provider: createProvider(async () => close()),
    createInstance: () => createProvider(async () => undefined),
    connection,
    calls,
    breakConnections: () => server.forceShutdown(),
    close,
  }
}

/** Creates an error as a provider sends it, with an optional detail in the trailers. */
export function createFailure(
  code: status,
  message: string,
  detail?: { readonly type: string; readonly value: Uint8Array },
): Error {
  const metadata = new Metadata()
  if (detail !== undefined) {
    const details = [Any.create({ typeUrl: detail.type, value: detail.value })]
    const bytes = Status.encode(Status.create({ code, message, details })).finish()
    metadata.add('grpc-status-details-bin', Buffer.from(bytes))
  }
  return Object.assign(new Error(message), { code, details: message, metadata })
}

/** Creates a partial failure as a provider sends it. */
export function createInitFailure(fields: Partial<ErrorResourceInitFailed>): Error {
  const value = ErrorResourceInitFailed.encode(ErrorResourceInitFailed.create(fields)).finish()
  return createFailure(status.UNKNOWN, 'not ready', {
    type: 'type.googleapis.com/pulumirpc.ErrorResourceInitFailed',
    value,
  })
}
