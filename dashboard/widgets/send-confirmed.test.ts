import { expect, test } from 'vitest'
import { type ConfirmedAction, sendConfirmed } from './send-confirmed.ts'

// The failure of the first attempt must not stay beside the result of the second one.
test('a confirmed action that failed can be sent again, and its failure is no longer shown', async () => {
  const shown: (ConfirmedAction | 'closed')[] = []
  const screen = {
    show: (action: ConfirmedAction) => void shown.push(action),
    close: () => void shown.push('closed'),
  }
  await sendConfirmed(() => Promise.reject(new Error('no connection')), screen)
  await sendConfirmed(async () => 'The new text', screen)
  await sendConfirmed(async () => undefined, screen)
  expect(shown).toMatchObject([
    { kind: 'sending' },
    { kind: 'ready', failure: { message: expect.any(String) } },
    { kind: 'sending' },
    { kind: 'done', text: 'The new text' },
    { kind: 'sending' },
    'closed',
  ])
  expect(shown.slice(2)).not.toContainEqual(expect.objectContaining({ failure: expect.anything() }))
})
