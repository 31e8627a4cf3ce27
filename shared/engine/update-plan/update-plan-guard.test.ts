import { expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import { createUpdatePlanGuard, isWithinPlannedStep } from './update-plan-guard.ts'

const urn = 'urn:pulumi:dev::shop::a:b:C::d' as Urn
const createPlanned = (...ops: string[]) => ({
  goal: undefined,
  ops,
  outputs: undefined,
  seed: undefined,
})

test.each([
  ['create', ['same', 'create']],
  ['update', ['same', 'update']],
  ['replace', ['same', 'update', 'replace']],
  ['create-replacement', ['same', 'update', 'create-replacement']],
  ['delete-replaced', ['same', 'update', 'delete-replaced']],
  ['same', ['same']],
  ['delete', ['delete']],
  ['read', ['read']],
  ['import', ['import']],
])('a planned %s allows only itself and steps with a smaller effect', (op, admitted) => {
  const all = ['same', 'create', 'update', 'replace', 'create-replacement', 'delete-replaced']
  const admittedOps = [...all, 'delete', 'read', 'import'].filter(stepOp =>
    isWithinPlannedStep(stepOp, op),
  )
  expect(admittedOps).toEqual(admitted)
})

test('steps are taken in order, and steps that were not taken are reported as unmet', () => {
  const guard = createUpdatePlanGuard({
    resources: new Map([[urn, createPlanned('create', 'delete')]]),
  })
  expect(guard.findUnmetUrns(() => true)).toEqual([urn])
  expect(guard.takeStep(urn, 'create')).toBeUndefined()
  expect(guard.findUnmetUrns(() => true)).toEqual([urn])
  expect(guard.findUnmetUrns(() => false)).toEqual([])
  expect(guard.takeStep(urn, 'update')).toMatch(/constrained to delete/)
  expect(guard.findUnmetUrns(() => true)).toEqual([])
  expect(guard.takeStep(urn, 'same')).toMatch(/no more steps/)
})

test('a resource outside of the plan may stay unchanged', () => {
  const guard = createUpdatePlanGuard({ resources: new Map() })
  expect(guard.takeStep(urn, 'same')).toBeUndefined()
  expect(guard.takeStep(urn, 'update')).toMatch(/no steps were expected/)
})

test('steps of an earlier generator run count as taken, unless they are restored because they never began', () => {
  const guard = createUpdatePlanGuard({
    resources: new Map([[urn, createPlanned('replace', 'create-replacement')]]),
  })
  guard.skipRecorded([urn, urn])
  expect(guard.findUnmetUrns(() => true)).toEqual([])
  guard.restoreSteps([urn, urn])
  expect(guard.takeStep(urn, 'replace')).toBeUndefined()
  expect(guard.takeStep(urn, 'create-replacement')).toBeUndefined()
})
