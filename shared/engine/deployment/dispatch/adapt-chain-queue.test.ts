import { describe, expect, test } from 'vitest'
import type { ChainMessage, ChainQueuePort } from '../../../ports/queue.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { adaptChainQueue } from './adapt-chain-queue.ts'

const deployment = 'organization/p/dev/1' as DeploymentId

function messageOf(provider: string, ...operations: readonly number[]): ChainMessage {
  return { deployment, operations: operations as readonly OperationId[], provider }
}

/** Creates a queue whose sends stay in progress until the test completes them. */
function createSlowQueue() {
  const sent: (readonly ChainMessage[])[] = []
  const gates: PromiseWithResolvers<void>[] = []
  const send: ChainQueuePort['send'] = messages => {
    sent.push(messages)
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    return gate.promise
  }
  const nextTurn = (): Promise<void> => new Promise(done => setImmediate(done))
  return { sent, gates, nextTurn, chains: { send } as ChainQueuePort }
}

describe('messages for functions', () => {
  test('messages that wait for a send in progress are merged by provider instance', async () => {
    const { sent, gates, nextTurn, chains } = createSlowQueue()
    const { send } = adaptChainQueue({ execute: 'functions' }, chains)
    const first = send([messageOf('a', 1)])
    await nextTurn()
    const laterSends = [
      send([messageOf('a', 2)]),
      send([messageOf('b', 3)]),
      send([messageOf('a', 4, 2)]),
    ]
    await nextTurn()
    expect(sent).toEqual([[messageOf('a', 1)]])
    gates[0]?.resolve()
    await first
    await nextTurn()
    expect(sent[1]).toEqual([messageOf('a', 2, 4), messageOf('b', 3)])
    gates[1]?.resolve()
    await Promise.all(laterSends)
    expect(sent).toHaveLength(2)
  })

  test('a message contains at most as many operations as one executor runs concurrently', async () => {
    const { sent, gates, nextTurn, chains } = createSlowQueue()
    const { send } = adaptChainQueue({ execute: 'functions' }, chains)
    const ids = Array.from({ length: 130 }, (_, index) => index)
    const sending = send(ids.map(id => messageOf('a', id)))
    await nextTurn()
    expect(sent[0]?.map(({ operations }) => operations.length)).toEqual([64, 64, 2])
    gates[0]?.resolve()
    await sending
  })

  test('a failed send rejects its callers, and the next message is sent', async () => {
    const { sent, gates, nextTurn, chains } = createSlowQueue()
    const { send } = adaptChainQueue({ execute: 'functions' }, chains)
    const first = send([messageOf('a', 1)])
    await nextTurn()
    const second = send([messageOf('a', 2)])
    gates[0]?.reject(new Error('the queue is unavailable'))
    await expect(first).rejects.toThrow('the queue is unavailable')
    await nextTurn()
    gates[1]?.resolve()
    await second
    expect(sent).toEqual([[messageOf('a', 1)], [messageOf('a', 2)]])
  })
})

test('for processes that share operations, each operation has its own message', async () => {
  const { sent, gates, nextTurn, chains } = createSlowQueue()
  const sending = adaptChainQueue({ execute: 'elsewhere' }, chains).send([messageOf('a', 1, 2)])
  await nextTurn()
  expect(sent[0]).toEqual([messageOf('a', 1), messageOf('a', 2)])
  gates[0]?.resolve()
  await sending
})
