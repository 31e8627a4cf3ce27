import { expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { requireEmptyState } from './require-empty-stack.ts'

const urn = 'urn:pulumi:dev::shop::a:b:C::late' as Urn
const emptyState = { manifest: { time: '', magic: '', version: '' }, metadata: {} }

test('a stack whose inbox has an object is not empty, and the message names the object', () => {
  expect(() => requireEmptyState('dev', emptyState, [])).not.toThrow()
  expect(() => requireEmptyState('dev', emptyState, [{ urn }])).toThrow(
    expect.objectContaining({
      code: 'STACK_NOT_EMPTY',
      message: `the stack 'dev' has created objects that its state does not contain yet: ${urn}`,
    }),
  )
})

test('a stack with resources is not empty, in the words that clients of Pulumi recognize', () => {
  const resources = [{ urn, type: 'a:b:C', custom: true }]
  expect(() => requireEmptyState('dev', { ...emptyState, resources }, [])).toThrow(
    expect.objectContaining({
      code: 'STACK_NOT_EMPTY',
      message: "the stack 'dev' still has resources; removal rejected (1)",
    }),
  )
})
