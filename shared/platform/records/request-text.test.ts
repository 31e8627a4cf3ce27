import { expect, test } from 'vitest'
import type { EpochMs, StackId } from '../../records/ids.ts'
import type { StackRequest } from '../../records/stack-request.ts'
import { parseStoredRequest, serializeRequest } from './request-text.ts'

const [stack, otherStack] = ['organization/p/s', 'organization/p/t'] as [StackId, StackId]
const request: StackRequest = {
  stack,
  key: 'k',
  at: 1 as EpochMs,
  by: 'a test',
  edit: { kind: 'repair' },
}
const text = serializeRequest(request)

test('a stored request is parsed to the request that was put', () => {
  const { request: parsed } = parseStoredRequest(stack, { key: 'k', request: text, end: '' })
  expect(parsed).toEqual(request)
  expect(serializeRequest(parsed)).toBe(text)
})

// If such a record were read, a writer of the queue of one stack could request a deployment of
// another stack. It could also end another request.
test.each([
  ['another stack', otherStack, 'k'],
  ['another key', stack, 'other'],
])('a record with the request of %s is damaged', (_name, recordStack, key) => {
  const parse = () => parseStoredRequest(recordStack, { key, request: text, end: '' })
  expect(parse).toThrow(expect.objectContaining({ code: 'RECORD_DAMAGED' }))
})
