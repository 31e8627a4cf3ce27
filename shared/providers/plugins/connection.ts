import { Client, credentials, Metadata, type MethodDefinition, status } from '@grpc/grpc-js'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import '../../errors/keep-padded-messages.ts'
import { createReplyQueue } from './reply-queue.ts'

/** The parts of a method's definition that its caller needs. */
export type CalledMethod<Req, Res> = Pick<
  MethodDefinition<Req, Res>,
  'path' | 'requestSerialize' | 'responseDeserialize'
>

/** The connection to one plugin or policy pack. */
export interface Connection {
  /** The name of the plugin, for messages. */
  readonly name: string
  /** Makes one call. `deadlineMs` is a point in time. Rejects with the error of gRPC. */
  readonly call: <Req, Res>(
    method: CalledMethod<Req, Res>,
    request: Req,
    deadlineMs?: number,
  ) => Promise<Res>
  /**
   * Returns a description of the process's end (`ended with exit code 3`) and its last lines.
   * Returns undefined when the process does not end within a short wait.
   */
  readonly getExitReport: () => Promise<
    { readonly description: string; readonly lines: readonly string[] } | undefined
  >
}

/**
 * Creates a client of a plugin that listens on a port of this machine. The client allows large
 * messages, and uses neither a proxy nor automatic retries.
 */
export function createClient(port: number): Client {
  return new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': limits.messageBytesMax,
    'grpc.max_send_message_length': limits.messageBytesMax,
    ...localChannelOptions,
  })
}

/** The options of every channel to a plugin of this machine. */
export const localChannelOptions = {
  'grpc.enable_http_proxy': 0,
  'grpc.enable_retries': 0,
  'grpc.enable_channelz': 0,
  'grpc.service_config_disable_resolution': 1,
  // Ports are reused, so a channel to a new process must not use the connection to an earlier one.
  'grpc.use_local_subchannel_pool': 1,
} as const

/** Reports whether the client connected before `deadlineMs`, a point in time. */
export function waitUntilReady(client: Client, deadlineMs: number): Promise<boolean> {
  return new Promise(resolve => client.waitForReady(deadlineMs, failure => resolve(!failure)))
}

function createMetadata(entries: Readonly<Record<string, string>> = {}): Metadata {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(entries)) metadata.set(key, value)
  return metadata
}

/** Delivers the replies to the calls of this process. */
const deliverReply = createReplyQueue()

/** Makes one call. Only a traced call has `metadata`. */
export function callUnary<Req, Res>(
  client: Client,
  method: CalledMethod<Req, Res>,
  call: {
    readonly request: Req
    readonly deadlineMs?: number | undefined
    readonly metadata?: Readonly<Record<string, string>> | undefined
  },
): Promise<Res> {
  return new Promise((resolve, reject) => {
    withoutStackTraces(() =>
      client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        call.request,
        createMetadata(call.metadata),
        call.deadlineMs === undefined ? {} : { deadline: call.deadlineMs },
        (failure, response) =>
          deliverReply(() => {
            if (failure !== null) reject(failure)
            else if (response === undefined) reject(new Error('no response'))
            else resolve(response)
          }),
      ),
    )
  })
}

/**
 * Runs a function whose errors have no stack traces. gRPC creates an error for each call. Its stack
 * trace would take a third of the time to start the call.
 */
function withoutStackTraces(run: () => void): void {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    run()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The prefix of gRPC's message for a call without a connection. */
export const noConnectionPrefix = 'No connection established'

/**
 * Creates the error of a call to a process that has ended. No request is sent, because the port may
 * belong to another process.
 */
export function createProcessEndedError(): Error {
  return Object.assign(new Error('the process has ended'), {
    code: status.UNAVAILABLE,
    details: `${noConnectionPrefix}: the process has ended`,
    metadata: new Metadata(),
  })
}
