import { describe, expect, test } from 'vitest'
import type { Urn } from '../../names/urn.ts'
import type { StepOp } from '../../records/operation.ts'
import { createResourceState } from '../../state/resource.ts'
import type { TrackedState } from '../step.ts'
import { effectOf, type ReportedViewStep, viewEndOf, type ViewOwner } from './view-steps.ts'

const owner = 'urn:pulumi:dev::life::test:index:Thing::a' as Urn
const urn = 'urn:pulumi:dev::life::test:index:Thing$test:index:View::v' as Urn
const type = 'test:index:View'

const old: TrackedState = {
  state: createResourceState({ urn, type, custom: false, viewOf: owner, parent: owner }),
  ref: { kind: 'base', epoch: 1, index: 7, urn },
}
const viewOwner: ViewOwner = { urn: owner, views: [old], isRefresh: false, isCreate: false }
const state = { type, name: 'v', inputs: new Map([['v', 1]]), outputs: new Map() }

const createReportedStep = (
  op: StepOp,
  fields: Partial<ReportedViewStep> = {},
): ReportedViewStep => ({
  op,
  status: 'ok',
  error: '',
  old: undefined,
  next: undefined,
  keys: [],
  diffs: [],
  detailedDiff: null,
  ...fields,
})

describe('the effect of a view step on the state', () => {
  const cases: readonly (readonly [StepOp, string, string])[] = [
    ['create', 'add', 'add-mark'],
    ['create-replacement', 'add', 'add-mark'],
    ['import', 'add', 'add-mark'],
    ['same', 'add', 'replace'],
    ['update', 'add', 'replace'],
    ['read', 'add', 'replace'],
    ['read-replacement', 'add', 'replace'],
    ['delete', 'remove', 'remove'],
    ['delete-replaced', 'remove', 'remove'],
    ['discard', 'remove', 'remove'],
    ['discard-replaced', 'remove', 'remove'],
    ['remove-pending-replace', 'remove', 'remove'],
    ['refresh', 'none', 'swap'],
    ['replace', 'none', 'none'],
  ]
  test.each(cases)('%s: %s, or %s with an old state', (op, withoutOld, withOld) => {
    expect(effectOf(op, false)).toBe(withoutOld)
    expect(effectOf(op, true)).toBe(withOld)
  })
})

describe('a reported step', () => {
  test('is placed below its owner and references the state of the base', () => {
    const { step, end } = viewEndOf(
      createReportedStep('update', { old: state, next: state }),
      viewOwner,
    )
    expect(step).toMatchObject({ op: 'update', urn, effect: 'replace', old: { ref: old.ref } })
    expect(step.next).toMatchObject({ viewOf: owner, parent: owner, custom: false })
    expect(end).toMatchObject({ verdict: 'succeeded', resultOp: undefined })
  })

  test('is a refresh while its owner is refreshed', () => {
    const refreshedOwner = { ...viewOwner, isRefresh: true }
    const gone = viewEndOf(createReportedStep('delete', { old: state }), refreshedOwner)
    expect(gone.step).toMatchObject({ op: 'refresh', effect: 'swap', next: undefined })
    expect(gone.end.resultOp).toBe('delete')
    const viewEnd = viewEndOf(
      createReportedStep('create', { next: { ...state, name: 'w' } }),
      refreshedOwner,
    )
    expect(viewEnd.step).toMatchObject({ op: 'refresh', effect: 'none' })
  })

  test('replaces the same view of an older copy of its owner', () => {
    const createdOwner = { ...viewOwner, isCreate: true }
    const { step } = viewEndOf(createReportedStep('create', { next: state }), createdOwner)
    expect(step).toMatchObject({ op: 'create', effect: 'add-mark', old: { ref: old.ref } })
    expect(viewEndOf(createReportedStep('create', { next: state }), viewOwner).step.effect).toBe(
      'add',
    )
  })

  test("fails with the provider's error; a partial update keeps the old inputs", () => {
    const failure = { error: 'no', next: { ...state, inputs: new Map([['v', 2]]) }, old: state }
    const failed = viewEndOf(createReportedStep('update', failure), viewOwner)
    expect(failed.end).toMatchObject({ verdict: 'failed', error: { message: 'no', status: 'ok' } })
    expect(failed.end.state).toBeUndefined()
    const partial = viewEndOf(
      createReportedStep('update', { ...failure, status: 'partial' }),
      viewOwner,
    )
    expect(partial.end.verdict).toBe('partial')
    expect(partial.end.state?.inputs).toEqual(state.inputs)
  })

  test('is refused without a required state, or with an unknown one', () => {
    const refusalOf =
      (op: StepOp, fields: object): unknown =>
      () =>
        viewEndOf(createReportedStep(op, fields), viewOwner)
    expect(refusalOf('create', {})).toThrow('requires the new state of the view')
    expect(refusalOf('delete', {})).toThrow('requires the old state of the view')
    expect(refusalOf('update', { next: state })).toThrow('requires the old state of the view')
    expect(refusalOf('replace', {})).toThrow('requires the old state of the view')
    const unknownState = { ...state, name: 'w' }
    expect(refusalOf('delete', { old: unknownState })).toThrow('old resource state')
  })
})
