import { expect, test } from 'vitest'
import { createUrnSet } from '../../../names/urn-set.ts'
import type { Urn } from '../../../names/urn.ts'
import { createResourceState } from '../../../state/resource.ts'
import { areTargetsInState, areUrnsFound } from './missing-targets.ts'

const [here, plain, child] = ['A::here', 'A::plain', 'A$B::below'].map(
  end => `urn:pulumi:dev::shop::a:b:${end}` as Urn,
)
const states = [createResourceState({ urn: here ?? ('' as Urn), type: 'a:b:A', custom: true })]

function createReports() {
  const messages: string[] = []
  return {
    messages,
    emitter: { report: (_: string, text: string) => void messages.push(text) },
  }
}

test('each unknown target is reported, with a hint about the shell if it has no dollar sign', () => {
  const { messages, emitter } = createReports()
  const targets = createUrnSet([here, plain, child, '**'].map(String))
  expect(areUrnsFound(targets, { states, emitter })).toBe(false)
  expect(messages).toEqual([
    `Target '${plain}' could not be found in the stack. Did you forget to escape $ in your shell?`,
    `Target '${child}' could not be found in the stack.`,
  ])
})

test('a target that the program registered is not reported', () => {
  const { messages, emitter } = createReports()
  const isRegistered = (urn: Urn): boolean => urn === plain
  expect(areUrnsFound(createUrnSet([String(plain)]), { states, isRegistered, emitter })).toBe(true)
  expect(messages).toEqual([])
})

test('a command without a program reports the first unknown target or exclude', () => {
  const { messages, emitter } = createReports()
  const [targets, excludes] = [
    createUrnSet([String(here)]),
    createUrnSet([String(plain), String(child)]),
  ]
  expect(areTargetsInState({ targets, excludes }, states, emitter)).toBe(false)
  expect(messages).toEqual([`no resource named '${plain}' found`])
  expect(areTargetsInState({ targets, excludes: createUrnSet([]) }, states, emitter)).toBe(true)
})
