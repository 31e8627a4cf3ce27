import { limits } from '../../config/limits.ts'
import { error } from '../../errors/error.ts'
import type { StackId } from '../../records/ids.ts'
import type { StackRequest, RequestRecord, RequestEnd } from '../../records/request.ts'
import { parseRecordJson } from './record-forms.ts'

/**
 * Serializes a request as JSON. Every adapter uses this function, so all have the same size limit.
 * Throws CLI_USAGE for a request that is too large.
 */
export function serializeRequest(request: StackRequest): string {
  const text = JSON.stringify(request)
  if (Buffer.byteLength(text) > limits.recordBytesMax)
    throw error('CLI_USAGE', `the request is larger than ${limits.recordBytesMax} bytes`)
  return text
}

/** Parses a stored request. `end` is '' until the request has ended. Throws RECORD_DAMAGED. */
export function parseStoredRequest(
  stack: StackId,
  { key, request, end }: { readonly key: string; readonly request: string; readonly end: string },
): RequestRecord {
  const record = { kind: 'request', keys: { stack, key } } as const
  const storedRequest = { request: parseRecordJson(record, request, isRequest) }
  return end === '' ? storedRequest : { ...storedRequest, end: parseRecordJson(record, end, isEnd) }
}

function isRequest(value: unknown): value is StackRequest {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return false
  return 'options' in value || 'edit' in value
}

function isEnd(value: unknown): value is RequestEnd {
  return typeof value === 'object' && value !== null && 'kind' in value
}
