/**
 * monitor: the gRPC services that programs and plugins call while a deployment runs. These are the
 * resource monitor, engine, view status, schemas and mappings. The monitor decodes requests, calls
 * the generator and encodes responses, and makes no decisions.
 *
 * Invariants: servers listen on loopback only. When the deployment ends early, pending calls of the
 * resource monitor end with UNAVAILABLE, the one code on which programs stop silently
 * (docs/spec/programs.md#end-of-a-program).
 */
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { EngineService } from '../../../proto/gen/pulumi/engine.ts'
import { ResourceMonitorService } from '../../../proto/gen/pulumi/resource.ts'
import { ResourceProviderService } from '../../../proto/gen/pulumi/provider.ts'
import { ResourceStatusService } from '../../../proto/gen/pulumi/resource_status.ts'
import { LoaderService } from '../../../proto/gen/pulumi/codegen/loader.ts'
import { MapperService } from '../../../proto/gen/pulumi/codegen/mapper.ts'
import type { PluginHost } from '../../providers/provider.ts'
import type { ViewStatusRegistry } from '../executor/view-status-registry.ts'
import { hasCode, messageOf } from '../../errors/error.ts'
import { DeploymentAborted } from '../generator/finish-stage.ts'
import { type AbortableCalls, createAbortableCalls } from './abortable-calls.ts'
import { createEngineHandlers, type EngineServiceDeps } from './engine-handlers.ts'
import { createCallbacks } from './callbacks.ts'
import { createSchemaProviderHandlers } from './schema-provider.ts'
import { createLoaderHandlers, createMapperHandlers } from './plugin-descriptions.ts'
import { createRegisteredHooks, type RegisteredHooks } from './registered-hooks.ts'
import { createCallAddresses, type CallAddresses } from './call-addresses.ts'
import { createMonitorHandlers, type MonitorDeps } from './monitor-handlers.ts'
import { createRequestTransformer } from './transform-requests.ts'
import { createRegistrationWindow, windowSizeOf, withWindow } from './registration-window.ts'
import { createStreamLimit, type StreamLimit } from './stream-limit.ts'
import { createStatusHandlers } from './status-handlers.ts'

/** Maximum size of a message in either direction, in bytes. The limit is that of Pulumi. */
const messageBytesMax = 400 * 1024 * 1024

/** The running services. */
export interface MonitorServer {
  /** `127.0.0.1:<port>` */
  readonly address: string
  /** The hooks that the program registered. */
  readonly hooks: RegisteredHooks
  /** Further addresses of the same services, for calls of methods. */
  readonly callAddresses: CallAddresses
  /** Provides the dependencies of the monitor's handlers. Calls that need them wait until then. */
  readonly provideDeps: (deps: MonitorDeps) => void
  /** Ends pending and later calls of the resource monitor with UNAVAILABLE. */
  readonly abort: () => void
  /** Resolves when the program has signalled that it registers nothing more. */
  readonly whenSignalled: Promise<void>
  /** Lets the program exit: responds to its signal. */
  readonly release: () => void
  readonly close: () => void
}

/** Starts all services on a free port of the loopback address. */
export async function startMonitorServer(
  deps: EngineServiceDeps & {
    readonly viewStatus: ViewStatusRegistry
    readonly plugins: () => PluginHost
  },
): Promise<MonitorServer> {
  const streamLimit = createStreamLimit()
  const options = {
    ...streamLimit.serverOptions,
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    // Nothing reads these statistics, and each call would update them.
    'grpc.enable_channelz': 0,
  }
  const servers: Server[] = []
  const monitorCalls = createAbortableCalls()
  const readyDeps = Promise.withResolvers<MonitorDeps>()
  const signalled = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const window = createRegistrationWindow(streamLimit.liftIfNeeded)
  const callbacks = withWindow(createCallbacks(), window)
  const hooks = createRegisteredHooks(callbacks)
  const engine = createEngineHandlers(deps)
  const handlers = createMonitorHandlers(readyDeps.promise, {
    onSignal: signalled.resolve,
    whenReleased: released.promise,
    requestTransformer: createRequestTransformer(callbacks),
    hooks,
    window,
  })
  const serve = (onCall?: (method: string) => void): Promise<string> => {
    const server = new Server(options)
    servers.push(server)
    server.addService(monitorService, toUnaryHandlers(handlers, monitorCalls, onCall))
    // Log messages are accepted even after an abort, because a program logs why it exits.
    server.addService(EngineService, toUnaryHandlers(engine))
    server.addService(ResourceStatusService, toUnaryHandlers(createStatusHandlers(deps.viewStatus)))
    const loader = createLoaderHandlers(deps.plugins)
    server.addService(LoaderService, toUnaryHandlers(loader))
    server.addService(
      ResourceProviderService,
      toUnaryHandlers(createSchemaProviderHandlers(loader)),
    )
    server.addService(MapperService, toUnaryHandlers(createMapperHandlers(deps.plugins)))
    return listen(server, streamLimit)
  }
  return {
    address: await serve(),
    hooks,
    callAddresses: createCallAddresses(serve),
    provideDeps(monitorDeps) {
      window.resize(windowSizeOf(monitorDeps.deploymentInfo.parallel))
      readyDeps.resolve(monitorDeps)
    },
    abort() {
      window.close()
      monitorCalls.abort(new DeploymentAborted())
    },
    whenSignalled: signalled.promise,
    release: released.resolve,
    close() {
      callbacks.close()
      streamLimit.close()
      servers.forEach(server => server.forceShutdown())
    },
  }
}

/** Listens on a free port and resolves to the address. */
function listen(server: Server, { addPort }: StreamLimit): Promise<string> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (thrown, port) => {
      addPort(port)
      if (thrown === null) resolve(`127.0.0.1:${port}`)
      else reject(thrown)
    })
  })
}

/** The resource monitor. Its registrations stay encoded until they are in the window. */
const monitorService = {
  ...ResourceMonitorService,
  registerResource: {
    ...ResourceMonitorService.registerResource,
    requestDeserialize: (request: Buffer) => request,
  },
}

/**
 * Converts handlers for grpc-js. Without `calls`, pending calls do not end early. `onCall` receives
 * the name of each called gRPC method.
 */
function toUnaryHandlers(
  handlers: object,
  calls?: AbortableCalls,
  onCall?: (method: string) => void,
): UntypedServiceImplementation {
  const unaryHandlers = Object.entries(handlers).map(([name, handler]) => {
    const handle: handleUnaryCall<unknown, unknown> = (call, reply) => {
      onCall?.(name)
      const answer: Promise<unknown> = handler(call.request, call.metadata)
      void (calls?.follow(answer) ?? answer).then(
        value => reply(null, value),
        thrown => reply(grpcStatusOf(thrown)),
      )
    }
    return [name, handle] as const
  })
  return Object.fromEntries(unaryHandlers)
}

function grpcStatusOf(thrown: unknown): { code: number; details: string } {
  if (thrown instanceof DeploymentAborted)
    return { code: status.UNAVAILABLE, details: 'resource monitor shut down' }
  return { code: grpcCodeOf(thrown), details: messageOf(thrown) }
}

function grpcCodeOf(thrown: unknown): status {
  if (hasCode(thrown, 'RESOURCE_INVALID')) return status.INVALID_ARGUMENT
  return hasCode(thrown, 'FEATURE_MISSING') ? status.FAILED_PRECONDITION : status.UNKNOWN
}
