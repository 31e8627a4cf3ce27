import { Server, ServerCredentials } from '@grpc/grpc-js'
import { type EngineServer, EngineService } from '../../../proto/gen/pulumi/engine.ts'
import { createError } from '../../errors/error.ts'

/**
 * The engine service that plugins of Pulumi need for their log. `provider check` opens it, because
 * that command has no monitor.
 */
export interface EngineEndpoint {
  readonly address: string
  readonly close: () => void
}

/** Serves the engine service on a loopback address. Throws PLUGIN_FAILED if no port is free. */
export async function openEngineEndpoint(
  onLog: (message: string) => void,
): Promise<EngineEndpoint> {
  const server = new Server()
  const handlers: EngineServer = {
    log(call, reply) {
      onLog(call.request.message)
      reply(null, {})
    },
    getRootResource: (_call, reply) => reply(null, { urn: '' }),
    setRootResource: (_call, reply) => reply(null, {}),
    startDebugging: (_call, reply) => reply(null, {}),
    requirePulumiVersion: (_call, reply) => reply(null, {}),
  }
  server.addService(EngineService, handlers)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (failure, boundPort) =>
      failure === null
        ? resolve(boundPort)
        : reject(createError('PLUGIN_FAILED', `no port for plugins is free: ${failure.message}`)),
    )
  })
  return { address: `127.0.0.1:${port}`, close: () => server.forceShutdown() }
}
