import { expect, test } from 'vitest'
import type { Urn } from '../../../names/urn.ts'
import type { Goal } from './goal.ts'
import { toCanonicalGoal } from './canonical-goal.ts'

const goal: Goal = {
  type: 'a:b:C',
  name: 'n',
  custom: true,
  parent: '',
  inputs: new Map([['x', 1]]),
  protect: undefined,
  retainOnDelete: undefined,
  deletedWith: '',
  dependencies: ['urn:b', 'urn:a'] as Urn[],
  propertyDependencies: new Map(),
  provider: '',
  deleteBeforeReplace: undefined,
  ignoreChanges: [],
  replaceOnChanges: [],
  additionalSecretOutputs: [],
  hideDiff: [],
  aliases: [],
  customTimeouts: {},
  replaceWith: [],
  replacementTrigger: null,
  resourceHooks: new Map(),
  importId: '',
  sourcePosition: 'project:///index.ts#1',
  stackTrace: [],
}

test('the order of dependencies and the position in the program do not change the canonical goal', () => {
  const moved = { ...goal, dependencies: goal.dependencies.toReversed(), sourcePosition: '' }
  expect(toCanonicalGoal(moved)).toBe(toCanonicalGoal(goal))
})

test('inputs change the canonical goal, secret or not', () => {
  const secret = (text: string): Goal => ({
    ...goal,
    inputs: new Map([['x', { kind: 'secret', value: text }]]),
  })
  expect(toCanonicalGoal(secret('a'))).not.toBe(toCanonicalGoal(secret('b')))
  expect(toCanonicalGoal({ ...goal, inputs: new Map([['x', 2]]) })).not.toBe(toCanonicalGoal(goal))
})
