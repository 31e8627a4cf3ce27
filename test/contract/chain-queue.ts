import { beforeAll, describe, expect, test } from 'vitest'
import type { ChainMessage, ChainQueuePort, Delivery } from '../../shared/ports/queue.ts'
import {
  type OpenAdapter,
  toExecutorId,
  createDeploymentId,
  toOperationId,
  withAdapter,
} from './open-adapter.ts'

/** A queue and its visibility timeout. The suite waits for the timeout, which should be short. */
export interface QueueUnderTest {
  readonly chains: ChainQueuePort
  readonly visibilityMs: number
  /** The same queue with a longer visibility timeout, for tests that do not wait for it. */
  readonly longTimeoutChains?: ChainQueuePort
}

function createMessage(operation: number): ChainMessage {
  return { deployment: createDeploymentId(), operations: [toOperationId(operation)] }
}

/** Optional abilities of a queue. */
export interface QueueAbilities {
  /**
   * Whether a receiver can filter messages: by deployment, and by the delivery limit of that
   * deployment. A queue without filters refuses a receive with one. Another component then limits
   * the operations in delivery.
   */
  readonly canFilter: boolean
}

/** Tests the chain queue. */
export function defineChainQueueContract(
  name: string,
  open: OpenAdapter<QueueUnderTest>,
  { canFilter }: QueueAbilities = { canFilter: true },
): void {
  describe(`chain queue: ${name}`, () => {
    let chains: ChainQueuePort
    let longTimeoutChains: ChainQueuePort
    let visibilityMs: number
    withAdapter(open, adapter => {
      chains = adapter.chains
      longTimeoutChains = adapter.longTimeoutChains ?? adapter.chains
      visibilityMs = adapter.visibilityMs
    })

    const receiveOne = async (waitMs = 10_000) => {
      const [delivery] = await chains.receive(1, waitMs)
      if (delivery === undefined) throw new Error('nothing was delivered')
      return delivery
    }
    /** Receives messages and hides them for 60 s, because a busy machine can exceed the timeout. */
    const receiveForLong: ChainQueuePort['receive'] = async (...args) => {
      const deliveries = await longTimeoutChains.receive(...args)
      for (const { receipt } of deliveries) await chains.extend(receipt, 60_000)
      return deliveries
    }

    test('a delayed message is delivered after its delay, without `delayMs`', async () => {
      const message = createMessage(1)
      const startMs = performance.now()
      await chains.send([{ ...message, delayMs: 1_000 }])
      expect(await chains.receive(1, 0)).toEqual([])
      const delivery = await receiveOne()
      expect(performance.now() - startMs).toBeGreaterThan(900)
      expect(delivery.message).toEqual(message)
      await chains.remove(delivery.receipt)
    })

    test('an empty queue returns nothing after the wait', async () => {
      expect(await chains.receive(10, 0)).toEqual([])
      expect(await chains.receive(10, 20)).toEqual([])
    })

    test('a message is delivered complete, and not again after its removal', async () => {
      const message = createMessage(1)
      await chains.send([message])
      const [delivery] = await receiveForLong(1, 10_000)
      expect(delivery).toMatchObject({ message, deliveries: 1 })
      await chains.remove(delivery?.receipt ?? '')
      await chains.remove(delivery?.receipt ?? '')
      expect(await chains.receive(1, visibilityMs * 2)).toEqual([])
    })

    test('a receive returns as soon as a message is sent', async () => {
      const pendingReceive = receiveOne()
      await chains.send([createMessage(1)])
      await chains.remove((await pendingReceive).receipt)
    })

    test('each pool has a queue of its own, and a receiver without a pool uses both', async () => {
      const [short, long] = [createMessage(1), { ...createMessage(2), pool: 'long' as const }]
      await chains.send([short, long])
      const [first] = await receiveForLong(10, 10_000, { pool: 'long' })
      expect(first?.message).toEqual(long)
      expect(await receiveForLong(10, 0, { pool: 'long' })).toEqual([])
      const [second] = await receiveForLong(10, 10_000, { pool: 'short' })
      expect(second?.message).toEqual(short)
      await chains.send([long])
      const [third] = await receiveForLong(10, 10_000)
      expect(third?.message).toEqual(long)
      for (const received of [first, second, third]) await chains.remove(received?.receipt ?? '')
    })

    test('a message has one receiver during its visibility timeout', async () => {
      const messages = Array.from({ length: 20 }, (_, index) => createMessage(index + 1))
      const receivers = Array.from({ length: 20 }, () => receiveForLong(1, 10_000))
      await chains.send(messages)
      const deliveries = (await Promise.all(receivers)).flat()
      const operationIds = deliveries.map(({ message }) => message.operations[0])
      expect(new Set(operationIds).size).toBe(20)
      await Promise.all(deliveries.map(({ receipt }) => chains.remove(receipt)))
    })

    test('a receive returns at most the requested number of messages', async () => {
      await chains.send([createMessage(1), createMessage(2), createMessage(3)])
      const first = await receiveForLong(2, 10_000)
      expect(first.length).toBeLessThanOrEqual(2)
      const secondBatch = first.length === 2 ? await receiveForLong(2, 10_000) : []
      for (const { receipt } of [...first, ...secondBatch]) await chains.remove(receipt)
      for (const { receipt } of await chains.receive(3, 0)) await chains.remove(receipt)
    })

    test('a message that is not removed is delivered again, and its old receipt is void', async () => {
      await chains.send([createMessage(1)])
      const first = await receiveOne()
      const second = await receiveOne()
      expect(second.deliveries).toBe(2)
      expect(second.message).toEqual(first.message)
      expect(await chains.extend(first.receipt, 1000)).toBe(false)
      await chains.remove(second.receipt)
    })

    test('an extended message is not delivered again during the extension', async () => {
      await chains.send([createMessage(1)])
      const { receipt } = await receiveOne()
      expect(await chains.extend(receipt, visibilityMs * 10)).toBe(true)
      expect(await chains.receive(1, visibilityMs * 2)).toEqual([])
      await chains.remove(receipt)
    })

    test('a message becomes a dead letter after five deliveries', async () => {
      const message = createMessage(1)
      await chains.send([message])
      for (let count = 1; count <= 5; count += 1) {
        expect((await receiveOne()).deliveries).toBe(count)
      }
      expect(await chains.receive(1, visibilityMs * 3)).toEqual([])
      expect(await chains.listDeadLetters(message.deployment)).toEqual([message])
      expect(await chains.listDeadLetters(createDeploymentId())).toEqual([])
    })

    test('a redriven dead letter is a new message, and those of other deployments stay', async () => {
      const [message, other] = [createMessage(1), createMessage(2)]
      await chains.send([message, other])
      for (let count = 0; count < 10; count += 1) await receiveOne()
      expect(await chains.receive(1, visibilityMs * 3)).toEqual([])
      expect(await chains.redrive(message.deployment)).toBe(1)
      expect(await chains.listDeadLetters(message.deployment)).toEqual([])
      expect(await chains.listDeadLetters(other.deployment)).toEqual([other])
      const redriven = await receiveOne()
      expect(redriven.message).toEqual(message)
      expect(redriven.deliveries).toBe(1)
      expect(await chains.redrive(message.deployment)).toBe(0)
      await chains.remove(redriven.receipt)
    })

    if (canFilter) describeFilters(() => chains, receiveForLong)
    else
      test('a filter is refused without receiving a message', async () => {
        const message = createMessage(1)
        await chains.send([message])
        const { deployment } = message
        const deliveryLimit = { executor: toExecutorId('one'), operationsMax: 2 }
        for (const receiveOptions of [
          { deployment },
          { deliveryLimit },
          { deployment, deliveryLimit },
        ])
          await expect(chains.receive(1, 0, receiveOptions)).rejects.toMatchObject({
            code: 'INTERNAL_ASSERTION',
          })
        const delivery = await receiveOne()
        expect(delivery).toMatchObject({ message, deliveries: 1 })
        await chains.remove(delivery.receipt)
      })
  })
}

/** Tests receiving with filters. */
function describeFilters(
  getChains: () => ChainQueuePort,
  receiveForLong: ChainQueuePort['receive'],
): void {
  describe('with a filter', () => {
    let chains: ChainQueuePort
    beforeAll(() => {
      chains = getChains()
    })

    test('a delayed message counts for the delivery limit only from its delivery on', async () => {
      const { deployment, operations } = createMessage(1)
      await chains.send([
        { deployment, operations, delayMs: 60_000 },
        { deployment, operations: [toOperationId(2)] },
      ])
      const deliveryLimit = { executor: toExecutorId('one'), operationsMax: 1 }
      const [delivery] = await chains.receive(10, 10_000, { deployment, deliveryLimit })
      expect(delivery?.message.operations).toEqual([2])
      await chains.remove(delivery?.receipt ?? '')
    })

    test('a receiver of one deployment gets only its messages', async () => {
      const [ownMessage, foreignMessage] = [createMessage(1), createMessage(2)]
      await chains.send([foreignMessage, ownMessage])
      const receiveOptions = { deployment: ownMessage.deployment }
      const [delivery] = await receiveForLong(10, 10_000, receiveOptions)
      expect(delivery?.message).toEqual(ownMessage)
      expect(await receiveForLong(10, 0, receiveOptions)).toEqual([])
      const [other] = await receiveForLong(10, 0)
      expect(other?.message).toEqual(foreignMessage)
      for (const received of [delivery, other]) await chains.remove(received?.receipt ?? '')
    })

    test('two executors together hold at most the operations of the delivery limit', async () => {
      const deployment = createDeploymentId()
      const send = (...numbers: readonly number[]) =>
        chains.send(numbers.map(number => ({ deployment, operations: [toOperationId(number)] })))
      const takenDeliveries: Delivery[] = []
      const takeOperations = async (
        executor: string,
        waitMs: number,
      ): Promise<readonly unknown[]> => {
        const deliveryLimit = { executor: toExecutorId(executor), operationsMax: 2 }
        const deliveries = await chains.receive(10, waitMs, { deployment, deliveryLimit })
        // The work takes longer than a visibility timeout.
        for (const { receipt } of deliveries) await chains.extend(receipt, 60_000)
        takenDeliveries.push(...deliveries)
        return deliveries.map(({ message }) => message.operations[0])
      }
      await send(1, 2, 3, 4)
      expect(await takeOperations('one', 10_000)).toEqual([1, 2])
      expect(await takeOperations('other', 0)).toEqual([])
      const pendingReceive = takeOperations('other', 10_000)
      const startMs = performance.now()
      await chains.remove(takenDeliveries[0]?.receipt ?? '')
      expect(await pendingReceive).toEqual([3])
      // The receiver gets the message well before its next poll.
      expect(performance.now() - startMs).toBeLessThan(900)
      for (const { receipt } of takenDeliveries) await chains.remove(receipt)
      expect(await takeOperations('one', 10_000)).toEqual([4])
      await chains.remove(takenDeliveries.at(-1)?.receipt ?? '')
    })

    test('a single message that exceeds the delivery limit is delivered nevertheless', async () => {
      const message = { ...createMessage(1), operations: [1, 2, 3].map(toOperationId) }
      await chains.send([message, message])
      const { deployment } = message
      const receiveOptions = {
        deployment,
        deliveryLimit: { executor: toExecutorId('one'), operationsMax: 2 },
      }
      const first = await chains.receive(10, 10_000, receiveOptions)
      expect(first).toHaveLength(1)
      await chains.remove(first[0]?.receipt ?? '')
      const second = await chains.receive(10, 10_000, receiveOptions)
      expect(second).toHaveLength(1)
      await chains.remove(second[0]?.receipt ?? '')
    })
  })
}
