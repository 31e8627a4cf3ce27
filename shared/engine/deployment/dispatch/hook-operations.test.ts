import { describe, expect, test } from 'vitest'
import type { Urn } from '../../../names/urn.ts'
import type { OperationId } from '../../../records/ids.ts'
import { createResourceState } from '../../../state/resource.ts'
import { stepOf } from '../../step.ts'
import { groupHooks, isHooked, planStepOperations } from './hook-operations.ts'

const idOf = (number: number): OperationId => number as OperationId
const sealing = { seal: (state: unknown) => state, open: (state: unknown) => state } as never

function planHookedCreate(hooks: Record<string, string[]>) {
  const next = createResourceState({
    urn: 'urn:pulumi:dev::p::a:b:C::c' as Urn,
    type: 'a:b:C',
    custom: true,
    resourceHooks: new Map(Object.entries(hooks)),
  })
  let lastId = 10
  const position = { id: idOf(1), needs: 3, releases: [idOf(5)], barrier: idOf(6) }
  const nextId = (): OperationId => idOf((lastId += 1))
  return planStepOperations(stepOf({ op: 'create', effect: 'add', next }), position, {
    nextId,
    sealing,
  })
}

describe('the operations of a step', () => {
  test.each<[string, Record<string, string[]>]>([
    ['no hooks', {}],
    ['only hooks of other types', { BeforeUpdate: ['h'], AfterDelete: ['h'] }],
    ['an empty list of hooks', { BeforeCreate: [] }],
  ])('with %s there is only the call', (_what, hooks) => {
    const [call, ...hookOperations] = planHookedCreate(hooks)
    expect(hookOperations).toEqual([])
    expect(call?.operation).toMatchObject({ id: 1, needs: 3, releases: [5], barrier: 6 })
    expect(call?.operation.hooked).toBeUndefined()
  })

  test("a before hook waits for the step's needs, and an after hook releases the step's waiters", () => {
    const [before, call, after] = planHookedCreate({ BeforeCreate: ['h'] }).map(
      ({ operation }) => operation,
    )
    expect(before).toMatchObject({ id: 1, op: 'hook', needs: 3, releases: [11] })
    expect(before?.barrier).toBeUndefined()
    expect(call).toMatchObject({ id: 11, op: 'create', needs: 1, releases: [12], hooked: true })
    expect(call?.barrier).toBeUndefined()
    expect(after).toMatchObject({ id: 12, op: 'hook', needs: 1, releases: [5], barrier: 6 })
    expect([before?.hook, after?.hook]).toEqual([
      { when: 'before', of: 11 },
      { when: 'after', of: 11 },
    ])
  })

  test.each(['AfterCreate', 'OnError'])(
    'with %s only, there is no operation before the call',
    hook => {
      const [call, after] = planHookedCreate({ [hook]: ['h'] }).map(({ operation }) => operation)
      expect(call).toMatchObject({ id: 1, needs: 3, hooked: true })
      expect(after?.hook).toEqual({ when: 'after', of: 1 })
    },
  )

  test('hooks are grouped by their call', () => {
    const [hooked] = groupHooks(planHookedCreate({ BeforeCreate: ['h'] }))
    expect(hooked).toMatchObject({
      before: { id: 1 },
      call: { operation: { id: 11 } },
      after: { id: 12 },
    })
    const [plain] = groupHooks(planHookedCreate({}))
    expect([hooked, plain].map(step => step !== undefined && isHooked(step))).toEqual([true, false])
  })
})
