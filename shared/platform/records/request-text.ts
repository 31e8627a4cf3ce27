import { limits } from '../../config/limits.ts'
import { createError } from '../../errors/error.ts'
import type { StackId } from '../../records/ids.ts'
import type { StackRequest, RequestRecord, RequestEnd } from '../../records/stack-request.ts'
import { parseRecordJson } from './record-layouts.ts'

/**
 * Serializes a request as JSON. All adapters use this function, so they have the same size limit.
 * Throws CLI_USAGE for a request that is too large.
 */
export function serializeRequest(request: StackRequest): string {
  const text = JSON.stringify(request)
  if (Buffer.byteLength(text) > limits.recordBytesMax)
    throw createError('CLI_USAGE', `the request is larger than ${limits.recordBytesMax} bytes`)
  return text
}

/**
 * Parses a stored request. `end` is '' until the request has ended. Throws RECORD_DAMAGED if the
 * request is malformed, or has another stack or key than its record.
 */
export function parseStoredRequest(
  stack: StackId,
  { key, request, end }: { readonly key: string; readonly request: string; readonly end: string },
): RequestRecord {
  const record = { kind: 'request', keys: { stack, key } } as const
  const isOwnRequest = (value: unknown): value is StackRequest =>
    isRequest(value) && value.stack === stack && value.key === key
  const storedRequest = { request: parseRecordJson(record, request, isOwnRequest) }
  return end === '' ? storedRequest : { ...storedRequest, end: parseRecordJson(record, end, isEnd) }
}

function isRequest(value: unknown): value is StackRequest {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return false
  return 'options' in value || 'edit' in value
}

function isEnd(value: unknown): value is RequestEnd {
  return typeof value === 'object' && value !== null && 'kind' in value
}
