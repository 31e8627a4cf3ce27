import { expect, test } from 'vitest'
import { createError } from '../../shared/errors/error.ts'
import type { DeployResult } from '../../shared/engine/request.ts'
import { thingUrnOf, metadataOf } from '../display/display.fixture.ts'
import { createEventObserver } from './observe-events.ts'
import { createOperationError, shortenShownError } from './operation-error.ts'

const result: DeployResult = {
  result: 'failed',
  changes: { same: 2, create: 9, delete: 1 },
  hasChanges: true,
  pending: [],
}

const failedMetadata = metadataOf('create', 'a')

/** Returns the facts about a create that failed. */
function observeFailure() {
  const observer = createEventObserver()
  observer.observe({ resourcePreEvent: { metadata: failedMetadata } })
  expect(observer.readRunningCount()).toBe(1)
  const message = 'no room\nat all'
  const urn = thingUrnOf('a')
  observer.observe({ diagnosticEvent: { message, urn, color: 'raw', severity: 'error' } })
  observer.observe({ resOpFailedEvent: { metadata: failedMetadata, status: 0, steps: 0 } })
  expect(observer.readRunningCount()).toBe(0)
  return observer.readFacts()
}

test('below the display, a failure is one line with counts and without a hint', () => {
  const end = { facts: observeFailure(), result, operation: 'update', isBelowDisplay: true }
  expect(createOperationError(end)).toMatchObject({
    message: 'the update failed: 1 failed, 9 created, 1 deleted, 2 unchanged',
    hint: '',
    details: {},
  })
})

test('without a display above, a failure has the first error with its resource', () => {
  const end = { facts: observeFailure(), result, operation: 'update', isBelowDisplay: false }
  expect(createOperationError(end)).toMatchObject({
    message: 'the update failed: no room',
    details: { urn: thingUrnOf('a') },
  })
})

test.each([
  ['info', ['starting\n', 'gave up\n'], 'gave up'],
  [
    'info#err',
    ['\u001B[31mError\u001B[0m: Pulumi.yaml:4: unknown type random:RandomPett\n', '  4: a\n', '\n'],
    'Error: Pulumi.yaml:4: unknown type random:RandomPett',
  ],
] as const)(
  'a failure without a reported error quotes a line of the messages with the severity %s',
  (severity, messages, line) => {
    const observer = createEventObserver()
    for (const message of messages)
      observer.observe({ diagnosticEvent: { message, color: 'raw', severity } })
    const end = { facts: observer.readFacts(), result, operation: 'update', isBelowDisplay: true }
    expect(createOperationError(end).message).toBe(`the update failed: its output was: ${line}`)
  },
)

test('an error that the display has shown keeps its code and hint only', () => {
  const facts = observeFailure()
  const shown = createError('PROGRAM_SDK_MISSING', 'no room\nat all', { hint: 'Install it.' })
  expect(shortenShownError(shown, facts)).toMatchObject({
    code: 'PROGRAM_SDK_MISSING',
    message: 'the operation failed: see the error above',
    hint: 'Install it.',
  })
  for (const other of [createError('STACK_BUSY', 'held'), new Error('no room\nat all')])
    expect(shortenShownError(other, facts)).toBe(other)
})
