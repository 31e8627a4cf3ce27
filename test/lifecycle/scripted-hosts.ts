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
import { findRequiredNodePackages } from '../../shared/programs/required-packages.ts'
import type { PluginHost, Provider } from '../../shared/providers/provider.ts'
import type { ProgramHost } from '../../shared/programs/program.ts'

/** The project of every test engine. */
export const project = 'life'
/** The name of the stack of every test engine. */
export const stackName = 'dev'

/** Thrown by a scripted program to end with an error that its host reports. */
export class ProgramFailed extends Error {}

/** A scripted program. It registers resources through the real protocol. */
export type Program = (monitor: Monitor) => Promise<void>

/** The monitor of a scripted program. */
export interface Monitor {
  /** The URN of the root resource. */
  readonly stack: string
  readonly client: ResourceMonitorClient
  readonly register: (
    request: Partial<RegisterResourceRequest> & { type: string; name: string },
  ) => Promise<RegisterResourceResponse>
  readonly registerOutputs: (urn: string, outputs: Record<string, unknown>) => Promise<void>
  readonly invoke: (
    token: string,
    args?: Record<string, unknown>,
  ) => Promise<Record<string, unknown>>
  readonly registerPackage: (request: Partial<RegisterPackageRequest>) => Promise<string>
  /** Calls a function with all options of the protocol. */
  readonly invokeWith: (
    request: Partial<ResourceInvokeRequest> & { tok: string },
  ) => Promise<ResourceInvokeResponse>
  /** Calls a method of a resource. */
  readonly call: (request: Partial<ResourceCallRequest>) => Promise<CallResponse>
  /** Reads an existing object, like `get` of a resource class. */
  readonly read: (
    name: string,
    id: string,
    fields?: Partial<ReadResourceRequest>,
  ) => Promise<ReadResourceResponse>
}

/** Creates a host whose every load returns a new instance. The test closes the provider itself. */
export function createScriptedPluginHost(instanceOf: (pkg: string) => Provider): PluginHost {
  return {
    load: async (_plugin, { pkg }) => ({ ...instanceOf(pkg), close: () => Promise.resolve() }),
    obtain: async () => ({ path: 'scripted' }),
    cancelAll: () => Promise.resolve(),
    abandon: () => undefined,
    close: () => Promise.resolve(),
  }
}

/** Creates a host that registers the root resource of the stack, and runs `program` if present. */
export function createScriptedProgramHost(program: Program | undefined): ProgramHost {
  return {
    run: async input => {
      const { client, monitorOf, call } = connect(input.monitorAddress)
      const programEnd = runProgram({ client, monitorOf, call }, program).finally(() =>
        client.close(),
      )
      return { programEnd, stop: () => Promise.resolve() }
    },
    listPackages: ({ programFolder }) => Promise.resolve(findRequiredNodePackages(programFolder)),
  }
}

/** A connection to a monitor. */
interface MonitorConnection {
  readonly client: ResourceMonitorClient
  /** Returns a monitor whose requests have this parent when they name none. */
  readonly monitorOf: (root: string) => Monitor
  readonly call: <T>(
    startRequest: (callback: (failed: Error | null, value: T) => void) => unknown,
  ) => Promise<T>
}

function connect(address: string): MonitorConnection {
  const client = new ResourceMonitorClient(address, credentials.createInsecure(), {
    'grpc.max_receive_message_length': -1,
    // Clients do not share connections, because the next engine of a test can reuse the address.
    'grpc.use_local_subchannel_pool': 1,
  })
  const call: MonitorConnection['call'] = startRequest =>
    new Promise((resolve, reject) =>
      startRequest((failed, value) => (failed === null ? resolve(value) : reject(failed))),
    )
  const invokeWith: Monitor['invokeWith'] = request =>
    call(callback =>
      client.invoke(ResourceInvokeRequest.create({ args: {}, ...request }), callback),
    )
  const monitorOf = (root: string): Monitor => ({
    stack: root,
    client,
    register: request =>
      call(callback =>
        client.registerResource(
          RegisterResourceRequest.create({
            acceptSecrets: true,
            aliasSpecs: true,
            parent: root,
            ...request,
          }),
          callback,
        ),
      ),
    registerOutputs: async (urn, outputs) => {
      const request = RegisterResourceOutputsRequest.create({ urn, outputs })
      await call<object>(callback => client.registerResourceOutputs(request, callback))
    },
    invoke: async (tok, args = {}) => (await invokeWith({ tok, args })).return ?? {},
    invokeWith,
    registerPackage: async request => {
      const packageRequest = RegisterPackageRequest.create(request)
      return (
        await call<RegisterPackageResponse>(callback =>
          client.registerPackage(packageRequest, callback),
        )
      ).ref
    },
    call: request => call(callback => client.call(ResourceCallRequest.create(request), callback)),
    read: (name, objectId, fields = {}) => {
      const defaults = {
        type: 'test:index:Thing',
        name,
        id: objectId,
        parent: root,
        properties: {},
      }
      const request = ReadResourceRequest.create({ acceptSecrets: true, ...defaults, ...fields })
      return call(callback => client.readResource(request, callback))
    },
  })
  return { client, monitorOf, call }
}

/**
 * Runs the code of a provider's component or method. Its monitor adds no parent to requests, so
 * each request names its own.
 */
export async function withMonitor<T>(
  address: string,
  work: (monitor: Monitor) => Promise<T>,
): Promise<T> {
  const { client, monitorOf } = connect(address)
  try {
    return await work(monitorOf(''))
  } finally {
    client.close()
  }
}

async function runProgram(
  { client, monitorOf, call }: MonitorConnection,
  program: Program | undefined,
): Promise<{ error: string | undefined; hasReportedError: boolean }> {
  try {
    const root = await monitorOf('').register({
      type: 'pulumi:pulumi:Stack',
      name: `${project}-${stackName}`,
      object: {},
    })
    await program?.(monitorOf(root.urn))
    await call<object>(callback => client.signalAndWaitForShutdown({}, callback))
    return { error: undefined, hasReportedError: false }
  } catch (thrown) {
    if (thrown instanceof ProgramFailed) return { error: thrown.message, hasReportedError: false }
    return { error: undefined, hasReportedError: true }
  }
}
