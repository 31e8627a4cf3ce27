import { type MessagePort, workerData } from 'node:worker_threads'
import { callService, type CipherRequest } from './service-client.ts'

/**
 * The start parameters of the thread that runs this file. The thread calls the service of a stack's
 * secrets, while the caller is blocked. `replyFlag` becomes 1 when the thread has sent its reply to
 * the port.
 */
export interface ServiceThreadData {
  readonly port: MessagePort
  readonly replyFlag: Int32Array
}

const { port, replyFlag } = workerData as ServiceThreadData

port.on('message', (request: CipherRequest) => {
  void callService(request).then(reply => {
    port.postMessage(reply)
    Atomics.store(replyFlag, 0, 1)
    Atomics.notify(replyFlag, 0)
  })
})
