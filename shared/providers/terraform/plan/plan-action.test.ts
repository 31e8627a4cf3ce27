import { expect, test } from 'vitest'
import { createAttributeStep } from '../values/cty-path.ts'
import { createBlock, createPlainAttribute } from '../values/schema.fixture.ts'
import { type PlainValue, createPlanObject } from './objects.fixture.ts'
import { type PlanAction, decidePlanAction, isConsistentAction } from './plan-action.ts'

const block = createBlock({ a: createPlainAttribute('o'), wo: createPlainAttribute('ow') })

test.each<[string, PlainValue, PlainValue, string, PlanAction]>([
  ['a new object', null, { a: 'x' }, '', 'create'],
  ['a tainted object', null, { a: 'x' }, 'tainted', 'replace'],
  ['an equal object', { a: 'x' }, { a: 'x' }, '', 'none'],
  ['an equal object with a replace path', { a: 'x' }, { a: 'x' }, 'a', 'none'],
  ['an equal object with a write-only replace path', { a: 'x' }, { a: 'x' }, 'wo', 'replace'],
  ['a change', { a: 'x' }, { a: 'y' }, '', 'update'],
  ['an unknown part', { a: 'x' }, { a: '?' }, '', 'update'],
  ['a change at a replace path', { a: 'x' }, { a: '?' }, 'a', 'replace'],
])('the planned action for %s', (_name, prior, planned, reason, action) => {
  const plan = {
    prior: createPlanObject(block, prior),
    planned: createPlanObject(block, planned),
    replacePaths: reason === 'a' || reason === 'wo' ? [[createAttributeStep(reason)]] : [],
    isTainted: reason === 'tainted',
  }
  expect(decidePlanAction(block, plan)).toBe(action)
})

test('the final plan may drop an update, and create the object of a replacement', () => {
  const actions = ['none', 'create', 'update', 'replace'] as const
  const allowed = actions.flatMap(initial =>
    actions.filter(final => isConsistentAction(initial, final)).map(final => `${initial} ${final}`),
  )
  expect(allowed).toEqual([
    'none none',
    'create create',
    'update none',
    'update update',
    'replace create',
    'replace replace',
  ])
})
