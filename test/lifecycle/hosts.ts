import { credentials } from '@grpc/grpc-js'
import type { CallResponse } from '../../proto/gen/pulumi/provider.ts'
import {
  ReadResourceRequest,
  type ReadResourceResponse,
  RegisterPackageRequest,
  type RegisterPackageResponse,
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  type RegisterResourceResponse,
  ResourceCallRequest,
  ResourceInvokeRequest,
  type ResourceInvokeResponse,
  ResourceMonitorClient,
} from '../../proto/gen/pulumi/resource.ts'
import type { PluginHost } from '../../shared/providers/provider.ts'
import type { ScriptedProvider } from '../../shared/providers/pulumi/scripted-server.ts'
import type { ProgramHost } from '../../shared/programs/program.ts'

/** The stack of every engine. */
export const project = 'life'
export const stackName = 'dev'

/** What a scripted program does: it registers through the real protocol. */
export type Program = (monitor: Monitor) => Promise<void>

/** The monitor as a scripted program sees it. */
export interface Monitor {
  readonly stack: string
  readonly register: (
    request: Partial<RegisterResourceRequest> & { type: string; name: string },
  ) => Promise<RegisterResourceResponse>
  readonly outputs: (urn: string, outputs: Record<string, unknown>) => Promise<void>
  readonly invoke: (
    token: string,
    args?: Record<string, unknown>,
  ) => Promise<Record<string, unknown>>
  readonly registerPackage: (request: Partial<RegisterPackageRequest>) => Promise<string>
  readonly invokeAs: (request: Partial<ResourceInvokeRequest>) => Promise<ResourceInvokeResponse>
  readonly readAs: (request: Partial<ReadResourceRequest>) => Promise<ReadResourceResponse>
  readonly call: (request: Partial<ResourceCallRequest>) => Promise<CallResponse>
  /** Reads what exists already, as `get` of a resource class does. */
  readonly read: (
    name: string,
    id: string,
    more?: Partial<ReadResourceRequest>,
  ) => Promise<ReadResourceResponse>
}

/** Every load answers with the scripted provider; ending it is the test's affair. */
export function pluginHost(scripted: ScriptedProvider): PluginHost {
  const configured = new Map<string, Promise<void>>()
  const { provider } = scripted
  const shared = {
    ...provider,
    configure: (ask: Parameters<typeof provider.configure>[0]) => {
      const known = configured.get(ask.urn) ?? provider.configure(ask)
      configured.set(ask.urn, known)
      return known
    },
    close: () => Promise.resolve(),
  }
  return {
    load: () => Promise.resolve(shared),
    obtain: async () => ({ path: 'scripted' }),
    cancelAll: () => Promise.resolve(),
    abandon: () => undefined,
    close: () => Promise.resolve(),
  }
}

export function programHost(program: Program | undefined): ProgramHost {
  return {
    run: async run => {
      const client = new ResourceMonitorClient(run.monitorAddress, credentials.createInsecure(), {
        'grpc.max_receive_message_length': -1,
      })
      const ended = runProgram(client, program).finally(() => client.close())
      return { ended, stop: () => Promise.resolve() }
    },
  }
}

async function runProgram(
  client: ResourceMonitorClient,
  program: Program | undefined,
): Promise<{ error: string | undefined; bail: boolean }> {
  const call = <T>(ask: (done: (failed: Error | null, value: T) => void) => unknown): Promise<T> =>
    new Promise((resolve, reject) =>
      ask((failed, value) => (failed === null ? resolve(value) : reject(failed))),
    )
  const monitor = (root: string): Monitor => ({
    stack: root,
    register: request =>
      call(done =>
        client.registerResource(
          RegisterResourceRequest.create({
            acceptSecrets: true,
            aliasSpecs: true,
            parent: root,
            ...request,
          }),
          done,
        ),
      ),
    outputs: async (urn, outputs) => {
      const request = RegisterResourceOutputsRequest.create({ urn, outputs })
      await call<object>(done => client.registerResourceOutputs(request, done))
    },
    invoke: async (tok, args = {}) => {
      const request = ResourceInvokeRequest.create({ tok, args })
      const answer = await call<ResourceInvokeResponse>(done => client.invoke(request, done))
      return answer.return ?? {}
    },
    registerPackage: async request => {
      const asked = RegisterPackageRequest.create(request)
      return (await call<RegisterPackageResponse>(done => client.registerPackage(asked, done))).ref
    },
    invokeAs: request =>
      call(done => client.invoke(ResourceInvokeRequest.create({ args: {}, ...request }), done)),
    readAs: request => {
      const what = { acceptSecrets: true, parent: root, properties: {}, ...request }
      return call(done => client.readResource(ReadResourceRequest.create(what), done))
    },
    call: request => call(done => client.call(ResourceCallRequest.create(request), done)),
    read: (name, objectId, more = {}) => {
      const what = { type: 'test:index:Thing', name, id: objectId, parent: root, properties: {} }
      const request = ReadResourceRequest.create({ acceptSecrets: true, ...what, ...more })
      return call(done => client.readResource(request, done))
    },
  })
  try {
    const root = await monitor('').register({
      type: 'pulumi:pulumi:Stack',
      name: `${project}-${stackName}`,
      object: {},
    })
    await program?.(monitor(root.urn))
    await call<object>(done => client.signalAndWaitForShutdown({}, done))
    return { error: undefined, bail: false }
  } catch {
    return { error: undefined, bail: true }
  }
}
