/** The local cloud stops recursive loops as Lambda does. */
import { expect, test } from 'vitest'
import {
  addToLineage,
  addTraceToMessages,
  isRecursiveLoop,
} from '../../infra/local-cloud/invocation-lineage.ts'

test('a chain of two functions is a loop after sixteen calls of one of them', () => {
  let traceHeader: string | undefined
  const loops: boolean[] = []
  for (let call = 1; call <= 17; call += 1) {
    const generator = addToLineage(traceHeader, 'generator')
    loops.push(isRecursiveLoop(generator))
    traceHeader = addToLineage(generator.traceHeader, 'executor').traceHeader
  }
  expect(loops.indexOf(true)).toBe(16)
})

test('a chain keeps its root, and a call without a chain begins one', () => {
  const first = addToLineage(undefined, 'generator')
  const second = addToLineage(first.traceHeader, 'executor')
  const rootOf = (header: string) => header.split(';')[0]
  expect(rootOf(second.traceHeader)).toBe(rootOf(first.traceHeader))
  expect(rootOf(first.traceHeader)).toMatch(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/)
  expect(rootOf(addToLineage(undefined, 'generator').traceHeader)).not.toBe(
    rootOf(first.traceHeader),
  )
})

test('sent messages carry the trace header of their sender', () => {
  const attributes = { AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1' } }
  expect(JSON.parse(addTraceToMessages('{"MessageBody":"m"}', 'Root=1'))).toEqual({
    MessageBody: 'm',
    MessageSystemAttributes: attributes,
  })
  const batch = '{"Entries":[{"Id":"1","MessageBody":"m"}]}'
  expect(JSON.parse(addTraceToMessages(batch, 'Root=1'))).toEqual({
    Entries: [{ Id: '1', MessageBody: 'm', MessageSystemAttributes: attributes }],
  })
  const deletion = '{"Entries":[{"Id":"1","ReceiptHandle":"r"}]}'
  expect(addTraceToMessages(deletion, 'Root=1')).toBe(deletion)
})
