import type { RequestsPort } from '../../ports/requests.ts'
import type { BlobHash } from '../../records/ids.ts'
import { parseStoredRequest, serializeRequest } from '../records/request-text.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/** Creates the request queues of stacks over the embedded store. */
export function createRequests(call: StoreCall): RequestsPort {
  const put: RequestsPort['put'] = async request => {
    const { stack, key, at } = request
    return call('requests.put', { stack, key, at, request: serializeRequest(request) })
  }
  return {
    put,
    // Each process that reaches the embedded store has all permissions, so every request counts as
    // approved.
    putAuthorized: put,
    isApproved: async () => true,
    listWaiting: async (stack, limit) =>
      (await call('requests.waiting', { stack, limit })).map(
        stored => parseStoredRequest(stack, stored).request,
      ),
    find: async (stack, key) => {
      const stored = await call('requests.find', { stack, key })
      return stored === null ? undefined : parseStoredRequest(stack, stored)
    },
    end: (stack, key, end) => call('requests.end', { stack, key, end: JSON.stringify(end) }),
    removeEnded: (createdBefore, limit) =>
      call('requests.forget', { before: createdBefore, limit }),
    putProgram: async (stack, archive) =>
      void (await call('requests.putProgram', { stack, archive })),
    getProgram: async stack => {
      const archive = await call('requests.program', { stack })
      return archive === null ? undefined : (archive as BlobHash)
    },
  }
}
