import { expect, test } from 'vitest'
import { createEventFilter, eventKindCodes } from './event-filter.ts'

const urn = 'urn:pulumi:dev::shop::a:b:C::x'

test('an event belongs to the resource that its fields or its metadata name', () => {
  const isSelected = createEventFilter({ codes: [], urn })
  expect(isSelected({ resOutputsEvent: { metadata: { urn } } })).toBe(true)
  expect(isSelected({ diagnosticEvent: { urn } })).toBe(true)
  expect(isSelected({ policyEvent: { resourceUrn: urn } })).toBe(true)
  expect(isSelected({ preludeEvent: { config: {} } })).toBe(false)
})

test('the code of a kind of events is its position in the event type of Pulumi, and selects this kind', () => {
  expect(eventKindCodes.get('1')).toBe('cancel')
  expect(eventKindCodes.get('9')).toBe('policy')
  expect([...eventKindCodes].at(-1)).toEqual(['17', 'error'])
  const isSelected = createEventFilter({ codes: ['9', '5'] })
  const events = [{ summaryEvent: {} }, { policyEvent: {} }, { policyLoadEvent: {} }, { other: 1 }]
  expect(events.map(isSelected)).toEqual([true, true, false, false])
})

test('a selection by code and URN has the events that meet both', () => {
  const isSelected = createEventFilter({ codes: ['3'], urn })
  expect(isSelected({ diagnosticEvent: { urn } })).toBe(true)
  expect(isSelected({ diagnosticEvent: {} })).toBe(false)
  expect(isSelected({ policyEvent: { resourceUrn: urn } })).toBe(false)
})
