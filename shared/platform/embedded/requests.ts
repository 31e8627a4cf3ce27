import { limits } from '../../config/limits.ts'
import { error } from '../../errors/error.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import type { BlobHash, StackId } from '../../records/ids.ts'
import type { DeploymentRequest, KeptRequest, RequestEnd } from '../../records/request.ts'
import type { StoreCall } from './store/methods.ts'
import { parseRecordJson } from '../records/record-forms.ts'
import type { StoredRequest } from './store/request-methods.ts'

/** The queues of stacks over the embedded store. Throws CLI_USAGE for a huge request. */
export function createRequests(call: StoreCall): RequestsPort {
  return {
    put: async request => {
      const { stack, key, at } = request
      const json = JSON.stringify(request)
      if (Buffer.byteLength(json) > limits.recordBytesMax)
        throw error('CLI_USAGE', `the request is larger than ${limits.recordBytesMax} bytes`)
      return call('requests.put', { stack, key, at, request: json })
    },
    waiting: async (stack, limit) =>
      (await call('requests.waiting', { stack, limit })).map(one => keptOf(stack, one).request),
    find: async (stack, key) => {
      const found = await call('requests.find', { stack, key })
      return found === null ? undefined : keptOf(stack, found)
    },
    end: (stack, key, end) => call('requests.end', { stack, key, end: JSON.stringify(end) }),
    forget: (before, limit) => call('requests.forget', { before, limit }),
    putProgram: async (stack, archive) =>
      void (await call('requests.putProgram', { stack, archive })),
    program: async stack => {
      const archive = await call('requests.program', { stack })
      return archive === null ? undefined : (archive as BlobHash)
    },
  }
}

function keptOf(stack: StackId, { key, request, end }: StoredRequest): KeptRequest {
  const about = { kind: 'request', keys: { stack, key } } as const
  const kept = { request: parseRecordJson(about, request, isRequest) }
  return end === '' ? kept : { ...kept, end: parseRecordJson(about, end, isEnd) }
}

function isRequest(value: unknown): value is DeploymentRequest {
  return typeof value === 'object' && value !== null && 'stack' in value && 'options' in value
}

function isEnd(value: unknown): value is RequestEnd {
  return typeof value === 'object' && value !== null && 'kind' in value
}
