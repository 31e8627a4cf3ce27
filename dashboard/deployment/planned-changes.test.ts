import { expect, test } from 'vitest'
import type { ShownEngineEvent, EventStep } from '../api/engine-events.ts'
import { createDeploymentFold } from './deployment-events.ts'
import { listPlannedChanges } from './planned-changes.ts'

const step: EventStep = { op: 'update', urn: 'urn:pulumi:dev::shop::a:b:C::d', type: 'a:b:C' }
const withInputs = (
  inputs: Readonly<Record<string, unknown>>,
  oldInputs?: Readonly<Record<string, unknown>>,
): EventStep => ({
  ...step,
  ...(oldInputs === undefined ? { op: 'create' } : { old: { inputs: oldInputs } }),
  new: { inputs },
})

test('a new resource adds all its inputs', () => {
  expect(listPlannedChanges(withInputs({ size: 1 }))).toEqual([{ path: 'size', op: 'add', new: 1 }])
})

test('an update has the inputs that differ, and those that the engine names', () => {
  const old = { kept: 1, gone: 1, size: 1, password: '[secret]' }
  const next = { kept: 1, size: 2, password: '[secret]', added: true }
  const update = { ...withInputs(next, old), diffs: ['size', 'password[0].text'] }
  expect(listPlannedChanges(update).map(({ path, op }) => `${path} ${op}`)).toEqual([
    ...['added add', 'gone remove', 'password change', 'size change'],
  ])
})

// In an object literal, a lookup of `constructor` finds a property of every object.
test('an input named constructor is added and removed like others', () => {
  const named = { constructor: 1 }
  expect(listPlannedChanges(withInputs(named, {}))).toMatchObject([{ op: 'add', new: 1 }])
  expect(listPlannedChanges(withInputs({}, named))).toMatchObject([{ op: 'remove', old: 1 }])
})

test('an unchanged resource and a delete have no changed inputs', () => {
  expect(listPlannedChanges({ ...withInputs({ size: 1 }, {}), op: 'same' })).toEqual([])
  expect(listPlannedChanges({ ...step, op: 'delete', old: { inputs: { size: 1 } } })).toEqual([])
})

test('only the steps of a preview are planned, and keep their changed inputs', () => {
  const metadata = withInputs({ size: 1 })
  const readRow = (event: ShownEngineEvent) => {
    const fold = createDeploymentFold()
    fold.add([event])
    return fold.read().rows[0]
  }
  expect(readRow({ resOutputsEvent: { metadata, planning: true } })).toMatchObject({
    state: 'planned',
    changes: [{ path: 'size' }],
  })
  expect(readRow({ resOutputsEvent: { metadata } })).toMatchObject({ state: 'done', changes: [] })
})
