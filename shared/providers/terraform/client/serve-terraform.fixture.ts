/** A Terraform provider in the process of a test, which the host reattaches. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { Server, ServerCredentials, type status, type UntypedHandleCall } from '@grpc/grpc-js'
import { ProviderService as service5 } from '../../../../proto/gen/terraform/tfplugin5.ts'
import { ProviderService as service6 } from '../../../../proto/gen/terraform/tfplugin6.ts'
import type { ProcessesPort } from '../../../ports/system.ts'
import type { PluginMessage } from '../../plugins/plugin-message.ts'
import type { TerraformProcess } from './connect-provider.ts'
import { createTerraformHost } from './terraform-host.ts'

type Handlers = Readonly<Record<string, UntypedHandleCall>>

/** A host starts no process for a provider that it reattaches. */
const noProcesses: ProcessesPort = {
  spawn() {
    throw new Error('the host started a process')
  },
  listGroups: () => [],
  close: () => Promise.resolve(),
}

const closers: (() => void | Promise<void>)[] = []

/** Closes all providers that `serveTerraform` has served. */
export async function closeServedProviders(): Promise<void> {
  for (const close of closers.splice(0)) await close()
}

type Reply = (failure: Error | null, value?: unknown) => void

/** Creates a handler of a unary call that responds, and keeps the request in `requests`. */
export function createResponder(response: unknown, requests: unknown[] = []): UntypedHandleCall {
  return createComputedResponder(() => response, requests)
}

/**
 * Creates a handler of a unary call that responds with a new response each time, or with an error
 * if `createResponse` returns one. Keeps the requests in `requests`.
 */
export function createComputedResponder(
  createResponse: () => unknown,
  requests: unknown[],
): UntypedHandleCall {
  const handle = (call: { readonly request: unknown }, reply: Reply): void => {
    const response = createResponse()
    requests.push(call.request)
    if (response instanceof Error) reply(response)
    else reply(null, response)
  }
  return handle as UntypedHandleCall
}

/** Creates a handler that writes responses to a stream, and ends the stream unless `isEndless`. */
export function createStreamHandler(
  events: readonly unknown[],
  options: { readonly isEndless?: boolean; readonly onCancel?: () => void } = {},
): UntypedHandleCall {
  const handle = (call: Writable): void => {
    call.on('cancelled', () => options.onCancel?.())
    for (const event of events) call.write(event)
    if (options.isEndless !== true) call.end()
  }
  return handle as UntypedHandleCall
}

/** Creates the error with which a handler sends a status of gRPC. */
export function createStatusError(code: status, details: string): Error {
  return Object.assign(new Error(details), { code, details })
}

/** Serves a provider in this process, which the host reattaches. */
export async function serveTerraform(
  handlers: Handlers,
  options: {
    readonly protocol?: 5 | 6
    /** Further gRPC services of the process, with their handlers. */
    readonly otherServices?: readonly (readonly [Parameters<Server['addService']>[0], Handlers])[]
    readonly isTest?: boolean
    readonly isDeferralAllowed?: boolean
    readonly network?: 'unix' | 'tcp'
  } = {},
): Promise<{ provider: TerraformProcess; messages: readonly PluginMessage[]; server: Server }> {
  const { protocol = 6, otherServices = [], isTest = true, isDeferralAllowed = false } = options
  const { network = 'unix' } = options
  const folder = mkdtempSync(join(tmpdir(), 'tf-client-'))
  const server = new Server({ 'grpc.max_receive_message_length': -1 })
  server.addService(protocol === 6 ? service6 : service5, { ...handlers })
  for (const [service, serviceHandlers] of otherServices)
    server.addService(service, { ...serviceHandlers })
  const path = join(folder, 'socket')
  const target = network === 'unix' ? `unix:${path}` : '127.0.0.1:0'
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(target, ServerCredentials.createInsecure(), (failure, boundPort) =>
      failure === null ? resolve(boundPort) : reject(failure),
    )
  })
  const entry = {
    Protocol: 'grpc',
    ProtocolVersion: protocol,
    Test: isTest,
    Addr: { Network: network, String: network === 'unix' ? path : `127.0.0.1:${port}` },
  }
  const messages: PluginMessage[] = []
  const host = createTerraformHost({
    processes: noProcesses,
    env: { TF_REATTACH_PROVIDERS: JSON.stringify({ scripted: entry }) },
    report: message => messages.push(message),
  })
  const provider = await host.start({
    name: 'scripted',
    source: 'scripted',
    path: '',
    cwd: folder,
    isDeferralAllowed,
    redact: text => text.replaceAll('hunter2', '[secret]'),
  })
  closers.push(
    () => provider.close(),
    () => server.forceShutdown(),
    () => rmSync(folder, { recursive: true, force: true }),
  )
  return { provider, messages, server }
}
