import { credentials } from '@grpc/grpc-js'
import { type Callback, CallbacksClient } from '../../../proto/gen/pulumi/callback.ts'

/** The calls to functions of programs and components, over one connection per address. */
export interface Callbacks {
  /**
   * Sends the encoded request and returns the encoded response. Throws the error of the function.
   */
  readonly invoke: (callback: Callback, request: Uint8Array) => Promise<Uint8Array>
  readonly close: () => void
}

/** Creates callbacks that connect on demand. Source: docs/spec/monitor.md#callbacks-service. */
export function createCallbacks(): Callbacks {
  const clients = new Map<string, CallbacksClient>()
  const clientOf = (target: string): CallbacksClient => {
    const existingClient = clients.get(target)
    if (existingClient !== undefined) return existingClient
    const client = new CallbacksClient(target, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc.enable_channelz': 0,
    })
    clients.set(target, client)
    return client
  }
  return {
    invoke: ({ target, token }, request) =>
      new Promise((resolve, reject) => {
        clientOf(target).invoke({ token, request }, (thrown, answer) =>
          // The program gets only the message, without the status number that grpc adds.
          thrown === null ? resolve(answer.response) : reject(new Error(thrown.details)),
        )
      }),
    close() {
      for (const client of clients.values()) client.close()
      clients.clear()
    },
  }
}
