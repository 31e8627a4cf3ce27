import { type Client, credentials, Metadata, type MethodDefinition, status } from '@grpc/grpc-js'
import { ResourceProviderClient } from '../../../proto/gen/pulumi/provider.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'

/** The wire to one provider. */
export interface Connection {
  /** The name of the plugin, for messages. */
  readonly name: string
  /** One call; `deadlineMs` is a point in time. Rejects with what gRPC gave. */
  readonly call: <Q, A>(
    method: MethodDefinition<Q, A>,
    request: Q,
    deadlineMs?: number,
  ) => Promise<A>
  /**
   * How the process ended (`ended with exit code 3`) and its last lines; undefined while it runs.
   * Waits a moment for its end.
   */
  readonly getExitReport: () => Promise<
    { readonly how: string; readonly lines: readonly string[] } | undefined
  >
}

/** A client of a provider on this machine: large messages, no proxy, no call made twice. */
export function createClient(port: number): Client {
  return new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': limits.messageBytes,
    'grpc.max_send_message_length': limits.messageBytes,
    'grpc.enable_http_proxy': 0,
    'grpc.enable_retries': 0,
    'grpc.service_config_disable_resolution': 1,
    // Ports are used again: another process must not inherit a connection.
    'grpc.use_local_subchannel_pool': 1,
  })
}

/** Whether the client got through before `deadlineMs`, a point in time. */
export function waitUntilReady(client: Client, deadlineMs: number): Promise<boolean> {
  return new Promise(resolve => client.waitForReady(deadlineMs, failed => resolve(!failed)))
}

/** One call without metadata. */
export function callUnary<Q, A>(
  client: Client,
  method: MethodDefinition<Q, A>,
  call: { readonly request: Q; readonly deadlineMs?: number | undefined },
): Promise<A> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      call.request,
      call.deadlineMs === undefined ? {} : { deadline: call.deadlineMs },
      (failed, answer) => {
        if (failed !== null) reject(failed)
        else if (answer === undefined) reject(new Error('no answer'))
        else resolve(answer)
      },
    )
  })
}

/** How gRPC begins the text of a call that found nobody to send to. */
export const noConnection = 'No connection established'

/**
 * The rejection of a call to a process that is known to be gone: its port may belong to another
 * one.
 */
export function goneError(): Error {
  return Object.assign(new Error('the process is gone'), {
    code: status.UNAVAILABLE,
    details: `${noConnection}: the process is gone`,
    metadata: new Metadata(),
  })
}
