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
 * Tests nudges. `chooses`: whether a receiver can wait for those of one stack; otherwise that is
 * refused.
 */
export function nudgesContract(
  name: string,
  open: OpenAdapter<{ readonly nudges: NudgesPort }>,
  { chooses }: { readonly chooses: boolean } = { chooses: true },
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
      const waiting = nudges.receive(10_000)
      await nudges.nudge(stack, 0)
      expect(await waiting).toBe(stack)
    })

    if (chooses)
      test('a receiver of one stack does not get the nudge of another', async () => {
        const [mine, others] = [createStackId(), createStackId()]
        const waiting = nudges.receive(10_000, { stack: mine })
        await nudges.nudge(others, 0)
        await nudges.nudge(mine, 0)
        expect(await waiting).toBe(mine)
        expect(await nudges.receive(10_000)).toBe(others)
        const over = AbortSignal.abort()
        expect(await nudges.receive(10_000, { stack: mine, signal: over })).toBeUndefined()
      })
    else
      test('a receive for one stack is refused and takes no nudge', async () => {
        const stack = createStackId()
        await nudges.nudge(stack, 0)
        const waiting = nudges.receive(0, { stack })
        await expect(waiting).rejects.toMatchObject({ code: 'INTERNAL_ASSERTION' })
        expect(await nudges.receive(10_000)).toBe(stack)
        const over = AbortSignal.abort()
        expect(await nudges.receive(10_000, { signal: over })).toBeUndefined()
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
export function hintsContract(
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
      const both = Promise.withResolvers<void>()
      const listener = (operation: OperationId): void => {
        receivedOperations.push(operation)
        if (receivedOperations.length === 2) both.resolve()
      }
      const endings = [hints.listen(deployment, listener), hints.listen(deployment, listener)]
      const end = hints.listen(createDeploymentId(), () =>
        receivedOperations.push(toOperationId(99)),
      )
      hints.hint(deployment, toOperationId(3))
      await both.promise
      expect(receivedOperations).toEqual([3, 3])
      for (const ending of [...endings, end]) ending()
    })

    test('a closed listener receives nothing more', async () => {
      const deployment = createDeploymentId()
      const receivedOperations: OperationId[] = []
      const end = hints.listen(deployment, operation => receivedOperations.push(operation))
      end()
      end()
      const last = Promise.withResolvers<OperationId>()
      hints.listen(deployment, last.resolve)
      hints.hint(deployment, toOperationId(4))
      expect(await last.promise).toBe(4)
      expect(receivedOperations).toEqual([])
    })
  })
}
