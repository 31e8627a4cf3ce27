import { describe, expect, test } from 'vitest'
import type { HintsPort, NudgesPort } from '../../shared/ports/queue.ts'
import type { OperationId } from '../../shared/records/ids.ts'
import {
  type OpenAdapter,
  createDeploymentId,
  createStackId,
  toOperationId,
  withAdapter,
} from './open-adapter.ts'

/**
 * Tests nudges. `canFilter`: whether a receiver can wait for the nudges of one stack. A port
 * without this ability refuses such a receive.
 */
export function defineNudgesContract(
  name: string,
  open: OpenAdapter<{ readonly nudges: NudgesPort }>,
  { canFilter }: { readonly canFilter: boolean } = { canFilter: true },
): void {
  describe(`nudges: ${name}`, () => {
    let nudges: NudgesPort
    withAdapter(open, adapter => {
      nudges = adapter.nudges
    })

    test('nothing is received without a nudge', async () => {
      expect(await nudges.receive(0)).toBeUndefined()
      expect(await nudges.receive(10)).toBeUndefined()
    })

    test('a nudge reaches one waiting receiver', async () => {
      const stack = createStackId()
      const pendingReceive = nudges.receive(10_000)
      await nudges.nudge(stack, 0)
      expect(await pendingReceive).toBe(stack)
    })

    if (canFilter)
      test('a receiver of one stack does not get the nudge of another', async () => {
        const [ownStack, otherStack] = [createStackId(), createStackId()]
        const pendingReceive = nudges.receive(10_000, { stack: ownStack })
        await nudges.nudge(otherStack, 0)
        await nudges.nudge(ownStack, 0)
        expect(await pendingReceive).toBe(ownStack)
        expect(await nudges.receive(10_000)).toBe(otherStack)
        const abortedSignal = AbortSignal.abort()
        expect(
          await nudges.receive(10_000, { stack: ownStack, signal: abortedSignal }),
        ).toBeUndefined()
      })
    else
      test('a receive for one stack is refused and takes no nudge', async () => {
        const stack = createStackId()
        await nudges.nudge(stack, 0)
        const pendingReceive = nudges.receive(0, { stack })
        await expect(pendingReceive).rejects.toMatchObject({ code: 'INTERNAL_ASSERTION' })
        expect(await nudges.receive(10_000)).toBe(stack)
        const abortedSignal = AbortSignal.abort()
        expect(await nudges.receive(10_000, { signal: abortedSignal })).toBeUndefined()
      })

    test('a delayed nudge is received after its delay, not before', async () => {
      const stack = createStackId()
      await nudges.nudge(stack, 60)
      expect(await nudges.receive(10)).toBeUndefined()
      expect(await nudges.receive(10_000)).toBe(stack)
    })
  })
}

/** Tests hints. */
export function defineHintsContract(
  name: string,
  open: OpenAdapter<{ readonly hints: HintsPort }>,
): void {
  describe(`hints: ${name}`, () => {
    let hints: HintsPort
    withAdapter(open, adapter => {
      hints = adapter.hints
    })

    test('every listener of the deployment receives a hint, and others do not', async () => {
      const deployment = createDeploymentId()
      const receivedOperations: OperationId[] = []
      const bothReceived = Promise.withResolvers<void>()
      const listener = (operation: OperationId): void => {
        receivedOperations.push(operation)
        if (receivedOperations.length === 2) bothReceived.resolve()
      }
      const unsubscribes = [hints.listen(deployment, listener), hints.listen(deployment, listener)]
      const stopListening = hints.listen(createDeploymentId(), () =>
        receivedOperations.push(toOperationId(99)),
      )
      hints.hint(deployment, toOperationId(3))
      await bothReceived.promise
      expect(receivedOperations).toEqual([3, 3])
      for (const unsubscribe of [...unsubscribes, stopListening]) unsubscribe()
    })

    test('a listener receives nothing after it was stopped', async () => {
      const deployment = createDeploymentId()
      const receivedOperations: OperationId[] = []
      const stopListening = hints.listen(deployment, operation =>
        receivedOperations.push(operation),
      )
      stopListening()
      stopListening()
      const nextHint = Promise.withResolvers<OperationId>()
      hints.listen(deployment, nextHint.resolve)
      hints.hint(deployment, toOperationId(4))
      expect(await nextHint.promise).toBe(4)
      expect(receivedOperations).toEqual([])
    })
  })
}
