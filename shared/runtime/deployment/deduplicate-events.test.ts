import { expect, test } from 'vitest'
import type { EngineEventPayload, EventSink } from '../../engine/events/event.ts'
import { createDeduplicatedSinks } from './deduplicate-events.ts'

const event = { stdoutEvent: { message: 'x', color: 'raw' } } as const satisfies EngineEventPayload

test('the first occurrence of an event arrives with its states, and a repetition does not', () => {
  const emitted: unknown[] = []
  const createNextSink = createDeduplicatedSinks({
    emit: (emittedEvent, states) => void emitted.push([emittedEvent, states]),
  })
  const states = () => ({}) as ReturnType<Exclude<Parameters<EventSink['emit']>[1], undefined>>
  for (const sink of [createNextSink(), createNextSink()]) sink.emit(event, states)
  expect(emitted).toEqual([[event, states]])
})

test('the plugin of a provider is reported to the receiver', () => {
  const reportPlugin = () => undefined
  const sink = createDeduplicatedSinks({ emit: () => undefined, reportPlugin })()
  expect(sink.reportPlugin).toBe(reportPlugin)
})
