import { describe, expect, test } from 'vitest'
import type { OperationsPort } from '../../shared/ports/records.ts'
import { type Outcome, freshHead } from '../../shared/records/head.ts'
import type { DeploymentId, OperationId } from '../../shared/records/ids.ts'
import {
  type OpenAdapter,
  toEpochMs,
  toExecutorId,
  createDeploymentId,
  toOperationId,
  toOwnerToken,
  withAdapter,
} from './open-adapter.ts'

const firstId = toOperationId(1)
const executor = toExecutorId('e')

function createBegin(owner: string, expectedAttempt = 0, needs = 0) {
  return { owner: toOwnerToken(owner), executor, expectedAttempt, needs }
}

function outcomeOf(operation: OperationId, attempt: number, note = ''): Outcome {
  return {
    operation,
    attempt,
    verdict: 'succeeded',
    state: { urn: 'urn:pulumi:s::p::t:m:T::n', custom: true, type: 't:m:T', id: note },
    startedAt: toEpochMs(1),
    endedAt: toEpochMs(2),
  }
}

/** Tests heads and outcomes, beyond the table of transitions (see `operation-transitions.ts`). */
export function defineOperationsContract(
  name: string,
  open: OpenAdapter<{ readonly operations: OperationsPort }>,
): void {
  describe(`operations: ${name}`, () => {
    let operations: OperationsPort
    withAdapter(open, adapter => {
      operations = adapter.operations
    })

    const headOf = async (deployment: DeploymentId, id: OperationId = firstId) =>
      (await operations.getHeads(deployment, [id])).get(id)

    test('an outcome of five megabytes is read complete, wherever it is stored', async () => {
      const deployment = createDeploymentId()
      await operations.begin(deployment, firstId, createBegin('a'))
      const large = outcomeOf(firstId, 1, 'x'.repeat(5_000_000))
      await operations.putOutcome(deployment, large)
      await operations.putOutcome(deployment, large)
      const end = { owner: toOwnerToken('a'), attempt: 1, verdict: 'succeeded' } as const
      expect(await operations.select(deployment, firstId, end)).toBe(true)
      expect(await operations.getOutcome(deployment, firstId, 1)).toEqual(large)
      const ends = await operations.getEnds(deployment, [firstId, toOperationId(2)])
      expect([...ends.keys()]).toEqual([firstId])
      expect(ends.get(firstId)?.outcome).toEqual(large)
    })

    test('an unused head is absent, and a refused begin does not create it', async () => {
      const deployment = createDeploymentId()
      const refusal = await operations.begin(deployment, firstId, createBegin('a', 0, 1))
      expect(refusal).toEqual({ kind: 'refused', head: freshHead })
      expect(await headOf(deployment)).toBeUndefined()
    })

    test('arrivals are a set, and each one returns the current head', async () => {
      const deployment = createDeploymentId()
      const first = await operations.arrive(deployment, firstId, toOperationId(7))
      expect(first).toEqual({ ...freshHead, arrived: [7] })
      await operations.arrive(deployment, firstId, toOperationId(9))
      const headAfterRepeat = await operations.arrive(deployment, firstId, toOperationId(7))
      expect(new Set(headAfterRepeat.arrived)).toEqual(new Set([7, 9]))
      expect(headAfterRepeat.arrived).toHaveLength(2)
    })

    test('concurrent arrivals are all recorded', async () => {
      const deployment = createDeploymentId()
      const arrivingIds = Array.from({ length: 32 }, (_, index) => toOperationId(index + 2))
      const heads = await Promise.all(
        arrivingIds.map(arrivingId => operations.arrive(deployment, firstId, arrivingId)),
      )
      expect(Math.max(...heads.map(head => head.arrived.length))).toBe(32)
      expect(new Set((await headOf(deployment))?.arrived)).toEqual(new Set(arrivingIds))
    })

    test('a begin is refused until the last of its needs has arrived', async () => {
      const deployment = createDeploymentId()
      await operations.arrive(deployment, firstId, toOperationId(7))
      await operations.arrive(deployment, firstId, toOperationId(7))
      expect(await operations.begin(deployment, firstId, createBegin('a', 0, 2))).toMatchObject({
        kind: 'refused',
        head: { arrived: [7], attempt: 0 },
      })
      await operations.arrive(deployment, firstId, toOperationId(8))
      expect(await operations.begin(deployment, firstId, createBegin('a', 0, 2))).toEqual({
        kind: 'begun',
        attempt: 1,
      })
    })

    test('of several concurrent begins exactly one succeeds', async () => {
      for (let round = 0; round < 10; round += 1) {
        const deployment = createDeploymentId()
        const answers = await Promise.all(
          ['a', 'b', 'c'].map(owner => operations.begin(deployment, firstId, createBegin(owner))),
        )
        expect(answers.filter(answer => answer.kind === 'begun')).toHaveLength(1)
        const winner = ['a', 'b', 'c'][answers.findIndex(answer => answer.kind === 'begun')]
        expect(await headOf(deployment)).toMatchObject({ owner: winner, attempt: 1 })
      }
    })

    test('a begin whose reply was lost returns the same attempt again', async () => {
      const deployment = createDeploymentId()
      await operations.begin(deployment, firstId, createBegin('a'))
      expect(await operations.begin(deployment, firstId, createBegin('a'))).toEqual({
        kind: 'begun',
        attempt: 1,
      })
      expect(await headOf(deployment)).toMatchObject({ attempt: 1, owner: 'a', executor: 'e' })
    })

    test('a copy of a begin that arrives after the give back is refused', async () => {
      const deployment = createDeploymentId()
      await operations.begin(deployment, firstId, createBegin('a'))
      await operations.giveBack(deployment, firstId, toOwnerToken('a'), 1)
      const lateAnswer = await operations.begin(deployment, firstId, createBegin('a'))
      expect(lateAnswer).toMatchObject({ kind: 'refused', head: { owner: '', attempt: 1 } })
    })

    test('a given-back attempt does not undo an earlier one that may have called the provider', async () => {
      const deployment = createDeploymentId()
      await operations.begin(deployment, firstId, createBegin('a'))
      await operations.lapse(deployment, firstId, toOwnerToken('a'), 1)
      await operations.begin(deployment, firstId, createBegin('b', 1))
      expect(await operations.giveBack(deployment, firstId, toOwnerToken('b'), 2)).toBe(true)
      expect(await headOf(deployment)).toEqual({ ...freshHead, attempt: 2, givenBack: 1 })
    })

    test('a repeated give back counts once, even if another attempt began', async () => {
      const deployment = createDeploymentId()
      await operations.begin(deployment, firstId, createBegin('a'))
      const giveBackOnce = () => operations.giveBack(deployment, firstId, toOwnerToken('a'), 1)
      expect([await giveBackOnce(), await giveBackOnce()]).toEqual([true, true])
      await operations.begin(deployment, firstId, createBegin('b', 1))
      expect(await giveBackOnce()).toBe(true)
      expect(await headOf(deployment)).toMatchObject({ owner: 'b', attempt: 2, givenBack: 1 })
    })

    test('a give back after a lapse, and a lapse after a give back, are refused', async () => {
      const deployment = createDeploymentId()
      await operations.begin(deployment, firstId, createBegin('a'))
      await operations.lapse(deployment, firstId, toOwnerToken('a'), 1)
      expect(await operations.giveBack(deployment, firstId, toOwnerToken('a'), 1)).toBe(false)
      const otherDeployment = createDeploymentId()
      await operations.begin(otherDeployment, firstId, createBegin('a'))
      await operations.giveBack(otherDeployment, firstId, toOwnerToken('a'), 1)
      expect(await operations.lapse(otherDeployment, firstId, toOwnerToken('a'), 1)).toBe(false)
    })

    test('only one end is selected', async () => {
      const deployment = createDeploymentId()
      await operations.begin(deployment, firstId, createBegin('a'))
      const end = { owner: toOwnerToken('a'), attempt: 1 } as const
      const select = (verdict: 'succeeded' | 'interrupted') =>
        operations.select(deployment, firstId, { ...end, verdict })
      const answers = await Promise.all([select('succeeded'), select('interrupted')])
      expect(answers.filter(answer => answer)).toHaveLength(1)
      const verdict = answers[0] === true ? 'succeeded' : 'interrupted'
      expect((await headOf(deployment))?.end).toEqual({ verdict, attempt: 1 })
      expect(await select(verdict)).toBe(true)
      expect(await operations.begin(deployment, firstId, createBegin('b', 1))).toMatchObject({
        kind: 'refused',
        head: { end: { verdict } },
      })
    })

    test('an outcome never changes', async () => {
      const deployment = createDeploymentId()
      await operations.putOutcome(deployment, outcomeOf(firstId, 1, 'first'))
      await operations.putOutcome(deployment, outcomeOf(firstId, 1, 'second'))
      await operations.putOutcome(deployment, outcomeOf(firstId, 2, 'third'))
      expect(await operations.getOutcome(deployment, firstId, 1)).toEqual(
        outcomeOf(firstId, 1, 'first'),
      )
      expect(await operations.getOutcome(deployment, firstId, 2)).toEqual(
        outcomeOf(firstId, 2, 'third'),
      )
      expect(await operations.getOutcome(deployment, firstId, 3)).toBeUndefined()
    })

    test('an end has only the outcome that was selected', async () => {
      const deployment = createDeploymentId()
      await operations.begin(deployment, firstId, createBegin('a'))
      await operations.putOutcome(deployment, outcomeOf(firstId, 1, 'first'))
      const before = (await operations.getEnds(deployment, [firstId])).get(firstId)
      expect(before).toEqual({ head: await headOf(deployment) })
      await operations.lapse(deployment, firstId, toOwnerToken('a'), 1)
      await operations.begin(deployment, firstId, createBegin('b', 1))
      await operations.putOutcome(deployment, outcomeOf(firstId, 2, 'second'))
      const end = { owner: toOwnerToken('b'), attempt: 2, verdict: 'succeeded' } as const
      await operations.select(deployment, firstId, end)
      const after = (await operations.getEnds(deployment, [firstId])).get(firstId)
      expect(after?.outcome).toEqual(outcomeOf(firstId, 2, 'second'))
      expect(after?.head.end).toEqual({ verdict: 'succeeded', attempt: 2 })
    })

    test('500 large ends are read in one call, without absent ones', async () => {
      const deployment = createDeploymentId()
      const ids = Array.from({ length: 500 }, (_, index) => toOperationId(index + 1))
      const presentIds = ids.filter(id => id % 2 === 0)
      const large = 'x'.repeat(20_000)
      await Promise.all(
        presentIds.map(async id => {
          await operations.begin(deployment, id, createBegin('a'))
          await operations.putOutcome(deployment, outcomeOf(id, 1, large))
          const end = { owner: toOwnerToken('a'), attempt: 1, verdict: 'succeeded' } as const
          await operations.select(deployment, id, end)
        }),
      )
      expect([...(await operations.getHeads(deployment, ids)).keys()].sort(byNumber)).toEqual(
        presentIds,
      )
      const ends = await operations.getEnds(deployment, ids)
      expect([...ends.keys()].sort(byNumber)).toEqual(presentIds)
      expect(ends.get(toOperationId(500))?.outcome).toEqual(outcomeOf(toOperationId(500), 1, large))
    })

    test('more than 500 ids are an error, and no ids cause no read', async () => {
      const ids = Array.from({ length: 501 }, (_, index) => toOperationId(index + 1))
      await expect(operations.getHeads(createDeploymentId(), ids)).rejects.toThrow('500')
      await expect(operations.getEnds(createDeploymentId(), ids)).rejects.toThrow('500')
      expect(await operations.getHeads(createDeploymentId(), [])).toEqual(new Map())
    })

    test('a deployment does not contain the operations of another', async () => {
      const [ownDeployment, otherDeployment] = [createDeploymentId(), createDeploymentId()]
      await operations.begin(ownDeployment, firstId, createBegin('a'))
      expect(await headOf(otherDeployment)).toBeUndefined()
      expect((await operations.begin(otherDeployment, firstId, createBegin('b'))).kind).toBe(
        'begun',
      )
    })
  })
}

function byNumber(left: number, right: number): number {
  return left - right
}
