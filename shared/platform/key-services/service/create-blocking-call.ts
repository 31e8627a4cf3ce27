import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads'
import type { CipherReply, CipherRequest } from './service-client.ts'
import type { ServiceThreadData } from './service-thread.ts'

/**
 * Time after which a call fails. It is longer than all attempts of one request and their pauses
 * together.
 */
const callTimeoutMs = 140_000

/**
 * The channel to a thread, with a flag of its own. Thus the late reply of an abandoned thread does
 * not end a call of the next thread.
 */
interface ServiceChannel {
  readonly port: MessagePort
  readonly replyFlag: Int32Array
}

/**
 * Creates a function that calls a service and blocks this thread until the reply. Codecs encrypt
 * and decrypt in the middle of a state, where they cannot await a promise
 * (docs/decisions/0002-sealing-is-synchronous.md). The request runs in a thread of its own, which
 * does not keep the process alive.
 */
export function createBlockingCall(
  timeoutMs = callTimeoutMs,
): (request: CipherRequest) => CipherReply {
  let openedChannel: ServiceChannel | undefined
  const openChannel = (): ServiceChannel => {
    const channel = new MessageChannel()
    const replyFlag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
    const data: ServiceThreadData = { port: channel.port2, replyFlag }
    const worker = new Worker(new URL('./service-thread.ts', import.meta.url), {
      workerData: data,
      transferList: [channel.port2],
      execArgv: [],
    })
    worker.unref()
    channel.port1.unref()
    return { port: channel.port1, replyFlag }
  }
  return request => {
    openedChannel ??= openChannel()
    const { port, replyFlag } = openedChannel
    Atomics.store(replyFlag, 0, 0)
    port.postMessage(request)
    const outcome = Atomics.wait(replyFlag, 0, 0, timeoutMs)
    const received: { readonly message: CipherReply } | undefined = receiveMessageOnPort(port)
    if (outcome !== 'timed-out' && received !== undefined) return received.message
    openedChannel = undefined
    return { kind: 'refused', status: 0, reason: 'the service does not respond' }
  }
}
