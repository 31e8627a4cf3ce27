import { expect, test } from 'vitest'
import { unknownStringMarker } from '../../names/provider-reference.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { unknown } from '../../values/value.ts'
import { createPlannedDifference, findUnplannedChanges } from './planned-difference.ts'
import { noDifference, type PlannedDifference } from './update-plan.ts'

const toMap = (object: Record<string, PropertyValue>): PropertyMap =>
  new Map(Object.entries(object))
const plannedOf = (
  adds: Record<string, PropertyValue>,
  updates: Record<string, PropertyValue> = {},
  deletes: readonly string[] = [],
): PlannedDifference => ({ adds: toMap(adds), updates: toMap(updates), deletes })

test('a planned difference contains added, changed and deleted properties; null counts as absent', () => {
  const oldValues = toMap({ same: 1, changes: 1, goes: 1, ends: 1, none: null })
  const newValues = toMap({ same: 1, changes: 2, ends: null, none: 3, comes: unknown })
  expect(createPlannedDifference(oldValues, newValues)).toEqual(
    plannedOf({ none: 3, comes: unknown }, { changes: 2 }, ['goes', 'ends']),
  )
})

// An unplanned change begins with the signs of the planned and the actual change: `+` (add), `~`
// (update), `-` (delete) or `=` (none).
test.each([
  ['no properties', {}, {}, noDifference, []],
  ['an add as planned', {}, { a: 1 }, plannedOf({ a: 1 }), []],
  ['another add', {}, { a: 2 }, plannedOf({ a: 1 }), ['++a[1!=2]']],
  ['an add that was not planned', {}, { a: 2 }, noDifference, ['=+a[2]']],
  ['an add of a planned unknown value', {}, { a: 2 }, plannedOf({ a: unknown }), []],
  ['no add of a planned unknown value', {}, {}, plannedOf({ a: unknown }), []],
  ['no add', {}, {}, plannedOf({ a: 1 }), ['+-a[1]']],
  ['an add where an update was planned', {}, { a: 1 }, plannedOf({}, { a: 1 }), ['~+a[1!=1]']],
  ['an add where a delete was planned', {}, { a: 1 }, plannedOf({}, {}, ['a']), ['-+a[1]']],
  ['an update as planned', { a: 1 }, { a: 2 }, plannedOf({}, { a: 2 }), []],
  ['another update', { a: 1 }, { a: 3 }, plannedOf({}, { a: 2 }), ['~~a[2!=3]']],
  ['an update where an add was planned', { a: 1 }, { a: 2 }, plannedOf({ a: 2 }), []],
  ['an update that was not planned', { a: 1 }, { a: 2 }, noDifference, ['=~a[2]']],
  ['an update that is already applied', { a: 2 }, { a: 2 }, plannedOf({}, { a: 2 }), []],
  [
    'no change where an update was planned',
    { a: 1 },
    { a: 1 },
    plannedOf({}, { a: 2 }),
    ['~=a[2!=1]'],
  ],
  ['a delete as planned', { a: 1 }, {}, plannedOf({}, {}, ['a']), []],
  ['a delete that was not planned', { a: 1 }, {}, noDifference, ['=-a']],
  ['a delete where an update was planned', { a: 1 }, {}, plannedOf({}, { a: 2 }), ['~-a[2]']],
  [
    'an update to an unknown value that deletes the property',
    { a: 1 },
    {},
    plannedOf({}, { a: unknown }),
    [],
  ],
  ['a delete that is already applied', {}, {}, plannedOf({}, {}, ['a']), []],
  [
    'a delete that does not occur, without another change',
    { a: 1 },
    { a: 1 },
    plannedOf({}, {}, ['a']),
    [],
  ],
  [
    'a delete that does not occur, beside a change',
    { a: 1 },
    { a: 1, b: 1 },
    plannedOf({ b: 1 }, {}, ['a']),
    ['-=a[1]'],
  ],
  ['a nested unknown value', {}, { a: [1, 5] }, plannedOf({ a: [1, unknown] }), []],
  [
    'another length',
    {},
    { a: [1] },
    plannedOf({ a: [1, unknown] }),
    [`++a[[1,"${unknownStringMarker}"]!=[1]]`],
  ],
] as const)('findUnplannedChanges compares %s', (_name, oldValues, newValues, plan, expected) => {
  const unplannedChanges = findUnplannedChanges(
    toMap({ ...oldValues }),
    toMap({ ...newValues }),
    plan,
  )
  expect(unplannedChanges).toEqual(expected)
})

test('secrets are compared as plaintext and never shown', () => {
  const secret = (value: string): PropertyValue => ({ kind: 'secret', value })
  const plan = plannedOf({ a: secret('x') })
  expect(findUnplannedChanges(toMap({}), toMap({ a: secret('x') }), plan)).toEqual([])
  expect(findUnplannedChanges(toMap({}), toMap({ a: secret('y') }), plan)).toEqual([
    '++a[[secret]!=[secret]]',
  ])
  expect(findUnplannedChanges(toMap({}), toMap({ a: 'x' }), plan)).toEqual(['++a[[secret]!="x"]'])
})
