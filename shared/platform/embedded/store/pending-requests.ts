import { type StoreReply, type StoreRequest, toStoreError } from './store-message.ts'

/** Requests without a reply, in the order of their calls. */
export interface PendingRequests {
  readonly add: (
    method: string,
    args: unknown,
  ) => { readonly request: StoreRequest; readonly answer: Promise<unknown> }
  /** Passes replies to their callers. A reply to a request that is not pending is ignored. */
  readonly deliver: (replies: readonly StoreReply[]) => void
  readonly failAll: (reason: unknown) => void
  readonly listRequests: () => readonly StoreRequest[]
  readonly isEmpty: () => boolean
  /** Resolves when every request has been answered or has failed. */
  readonly waitUntilDrained: () => Promise<void>
}

interface PendingRequest {
  readonly request: StoreRequest
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

/** Creates an empty list of pending requests. */
export function createPendingRequests(): PendingRequests {
  const requests = new Map<number, PendingRequest>()
  let lastId = 0
  let onDrained = (): void => {}
  const deliverOne = (reply: StoreReply): void => {
    if ('signal' in reply) return
    const entry = requests.get(reply.id)
    if (entry === undefined) return
    requests.delete(reply.id)
    if ('failure' in reply) entry.reject(toStoreError(reply.failure))
    else entry.resolve(reply.value)
  }
  return {
    add: (method, args) => {
      lastId += 1
      const request = { id: lastId, method, args }
      const answer = new Promise<unknown>((resolve, reject) => {
        requests.set(request.id, { request, resolve, reject })
      })
      return { request, answer }
    },
    deliver: replies => {
      for (const reply of replies) deliverOne(reply)
      if (requests.size === 0) onDrained()
    },
    failAll: reason => {
      for (const { reject } of requests.values()) reject(reason)
      requests.clear()
      onDrained()
    },
    listRequests: () => [...requests.values()].map(entry => entry.request),
    isEmpty: () => requests.size === 0,
    waitUntilDrained: () =>
      new Promise(resolve => {
        onDrained = resolve
        if (requests.size === 0) resolve()
      }),
  }
}
