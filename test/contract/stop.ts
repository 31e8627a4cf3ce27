import { describe, expect, test } from 'vitest'
import { beginUnlessStopped } from '../../shared/engine/executor/begin.ts'
import { createOperationSlots } from '../../shared/engine/deployment/dispatch/operation-slots.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { createSystemRandom } from '../../shared/platform/system/random.ts'
import type { ControlPort, OperationsPort } from '../../shared/ports/records.ts'
import { type Head, freshHead } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import type { Urn } from '../../shared/names/urn.ts'
import {
  type OpenAdapter,
  toExecutorId,
  createDeploymentId,
  contractHolder,
  toOperationId,
  withAdapter,
} from './open-adapter.ts'

const operationId = toOperationId(1)
const urn = 'urn:pulumi:dev::shop::a:b:C::a' as Urn
const operation = { id: operationId, needs: 0, op: 'create', urn } as const
const executor = toExecutorId('e')
const rounds = 40

/**
 * Tests that a begin after the stop flag is harmless. The begin writes to another record, so the
 * flag cannot be a condition of the begin. The engine reads the flag after the begin. This suite
 * proves for every adapter that the read suffices, because reads see each earlier acknowledged
 * write.
 */
export function defineStopContract(
  name: string,
  open: OpenAdapter<{ readonly operations: OperationsPort; readonly control: ControlPort }>,
): void {
  describe(`begin and stop: ${name}`, () => {
    let ports: { readonly operations: OperationsPort; readonly control: ControlPort }
    withAdapter(open, adapter => {
      ports = adapter
    })

    const begin = (deployment: DeploymentId) => {
      const { operations, control } = ports
      const context = {
        deployment,
        holdsLease: () => true,
        isAbandoned: () => false,
        onUnsettledBegin: () => expect.fail('an attempt was not settled'),
        slots: createOperationSlots(1),
      }
      const beginPorts = {
        operations,
        control,
        clock: createSystemClock(),
        random: createSystemRandom(),
      }
      return beginUnlessStopped(beginPorts, context, {
        operation,
        executor,
        slot: { waitForCall: async () => undefined },
      })
    }
    const headOf = async (deployment: DeploymentId): Promise<Head> =>
      (await ports.operations.getHeads(deployment, [operationId])).get(operationId) ?? freshHead
    const openDeployment = async (): Promise<DeploymentId> => {
      const deployment = createDeploymentId()
      await ports.control.create(deployment, contractHolder)
      return deployment
    }

    test('an operation that begins before the stop flag may call its provider', async () => {
      const deployment = await openDeployment()
      expect(await begin(deployment)).toMatchObject({ kind: 'may-call', attempt: 1 })
      expect(await headOf(deployment)).toMatchObject({ attempt: 1, executor: 'e' })
    })

    test('an operation that begins after the stop flag or the close, or without a control record, is given back', async () => {
      const stopped = await openDeployment()
      await ports.control.stop(stopped, 'graceful')
      const forced = await openDeployment()
      await ports.control.stop(forced, 'forced')
      const closed = await openDeployment()
      await ports.control.close(closed)
      for (const deployment of [stopped, forced, closed, createDeploymentId()]) {
        expect(await begin(deployment)).toEqual({ kind: 'not-begun' })
        expect(await headOf(deployment)).toEqual({ ...freshHead, attempt: 1, givenBack: 1 })
      }
    })

    test('of a concurrent begin and stop, one sees the other', async () => {
      const race = async (): Promise<void> => {
        const deployment = await openDeployment()
        const stopAndReadHead = async (): Promise<Head> => {
          await ports.control.stop(deployment, 'graceful')
          return headOf(deployment)
        }
        const [beginResult, headAfterStop] = await Promise.all([
          begin(deployment),
          stopAndReadHead(),
        ])
        // The process that sets the flag sees an operation that may call its provider, and waits
        // for its end.
        if (beginResult.kind === 'may-call')
          expect(headAfterStop).toMatchObject({ owner: beginResult.owner })
        else expect(await headOf(deployment)).toMatchObject({ owner: '', givenBack: 1 })
      }
      await Promise.all(Array.from({ length: rounds }, race))
    })
  })
}
