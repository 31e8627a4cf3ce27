import { expect, test } from 'vitest'
import { readSqsMessages } from './sqs-event.ts'

const record = {
  messageId: 'm',
  receiptHandle: 'h',
  body: '{}',
  attributes: { ApproximateReceiveCount: '2' },
}
const counterOf = (stringValue: string) => ({ dataType: 'Number', stringValue })

test('a message without counters has the delivery count of SQS and no refusals', () => {
  expect(readSqsMessages({ Records: [record] })).toEqual([
    { id: 'm', handle: 'h', body: '{}', deliveries: 2, refusals: 0 },
  ])
})

test('a message that was sent again counts its earlier deliveries too', () => {
  const messageAttributes = { refusals: counterOf('3'), deliveries: counterOf('4') }
  const [message] = readSqsMessages({ Records: [{ ...record, messageAttributes }] })
  expect(message).toMatchObject({ deliveries: 6, refusals: 3 })
})

test('a forged counter counts as 0, and the other messages are read too', () => {
  const messageAttributes = { refusals: counterOf('many'), deliveries: counterOf('-9') }
  const messages = readSqsMessages({ Records: [{ ...record, messageAttributes }, record] })
  expect(messages.map(({ deliveries, refusals }) => [deliveries, refusals])).toEqual([
    [2, 0],
    [2, 0],
  ])
})
