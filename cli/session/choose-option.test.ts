import { expect, test } from 'vitest'
import { applyKey } from './choose-option.ts'

const options = ['yes', 'no', 'details']

test('arrows move through the options in both directions, from the end to the beginning', () => {
  expect(applyKey({ name: 'up' }, 0, options)).toEqual({ kind: 'moved', index: 2 })
  expect(applyKey({ name: 'down' }, 2, options)).toEqual({ kind: 'moved', index: 0 })
})

test('a letter moves to its option and never chooses, so a word and Enter can be typed', () => {
  let index = 1
  for (const name of 'details') {
    const effect = applyKey({ name }, index, options)
    if (effect.kind === 'moved') index = effect.index
  }
  expect(options[index]).toBe('details')
  expect(applyKey({ name: 'return' }, index, options)).toEqual({ kind: 'chosen' })
})

test('Escape declines, and Ctrl-C interrupts', () => {
  expect(applyKey({ name: 'escape' }, 0, options)).toEqual({ kind: 'declined' })
  expect(applyKey({ name: 'c', ctrl: true }, 0, options)).toEqual({ kind: 'interrupted' })
})
