import { describe, expect, test } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/stack-request.ts'
import {
  toBlobHash,
  toEpochMs,
  createStackId,
  type OpenAdapter,
  withAdapter,
} from './open-adapter.ts'

const options = {
  command: 'up',
  parallel: 8,
  refresh: false,
  continueOnError: false,
  execute: 'elsewhere',
  message: '',
} as const

function createRequest(stack: StackId, key: string, atMs = 1): DeploymentRequest {
  return {
    stack,
    key,
    at: toEpochMs(atMs),
    by: 'a test',
    dryRun: false,
    options,
    program: { kind: 'archive', archive: toBlobHash('a') },
  }
}

/** Tests the request queues of stacks: one key is one request until the request is forgotten. */
export function defineRequestsContract(
  name: string,
  open: OpenAdapter<{ readonly requests: RequestsPort }>,
): void {
  describe(`requests: ${name}`, () => {
    let requests: RequestsPort
    withAdapter(open, adapter => {
      requests = adapter.requests
    })
    const forgetEnded = async (before: number): Promise<void> => {
      while ((await requests.removeEnded(toEpochMs(before), 100)) > 0);
    }
    const listKeys = async (stack: StackId, limit = 10): Promise<readonly string[]> =>
      (await requests.listWaiting(stack, limit)).map(({ key }) => key)

    test('requests wait in the order of their puts, separately for each stack', async () => {
      const [stack, other] = [createStackId(), createStackId()]
      for (const key of ['b', 'a', 'c'])
        expect(await requests.put(createRequest(stack, key))).toBe(true)
      expect(await requests.put(createRequest(other, 'd'))).toBe(true)
      expect(await listKeys(stack)).toEqual(['b', 'a', 'c'])
      expect(await listKeys(stack, 2)).toEqual(['b', 'a'])
      expect(await requests.listWaiting(other, 1)).toEqual([createRequest(other, 'd')])
    })

    test('a repeated put of a request changes nothing, and another request with its key is refused', async () => {
      const stack = createStackId()
      expect(await requests.put(createRequest(stack, 'a'))).toBe(true)
      expect(await requests.put(createRequest(stack, 'a'))).toBe(true)
      expect(await requests.put(createRequest(stack, 'a', 2))).toBe(false)
      expect(await requests.listWaiting(stack, 10)).toEqual([createRequest(stack, 'a')])
    })

    test('an approved request is approved until it ends, and repeating its put changes nothing', async () => {
      const stack = createStackId()
      const request = createRequest(stack, 'a')
      for (const _time of [1, 2]) expect(await requests.putAuthorized(request)).toBe(true)
      expect(await requests.putAuthorized(createRequest(stack, 'a', 2))).toBe(false)
      const [waitingRequest = request] = await requests.listWaiting(stack, 10)
      expect(waitingRequest).toEqual(request)
      expect(await requests.isApproved(waitingRequest)).toBe(true)
      await requests.end(stack, 'a', { kind: 'superseded', by: 'b' })
      expect(await requests.listWaiting(stack, 10)).toEqual([])
    })

    test('of twenty concurrent puts with one key one succeeds', async () => {
      const stack = createStackId()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          requests.put(createRequest(stack, 'a', index + 1)),
        ),
      )
      expect(answers.filter(Boolean)).toHaveLength(1)
      const [winner] = await requests.listWaiting(stack, 10)
      expect(winner?.at).toBe(answers.indexOf(true) + 1)
    })

    test('concurrent requests all wait, each once, in a stable order', async () => {
      const stack = createStackId()
      const keys = Array.from({ length: 20 }, (_, index) => `k${index}`)
      await Promise.all(keys.map(key => requests.put(createRequest(stack, key))))
      const order = await listKeys(stack, 99)
      expect(order.toSorted()).toEqual(keys.toSorted())
      for (const key of order.slice(0, 5))
        await requests.end(stack, key, { kind: 'superseded', by: 'x' })
      await requests.put(createRequest(stack, 'last'))
      expect(await listKeys(stack, 99)).toEqual([...order.slice(5), 'last'])
    })

    test('many concurrent ends of a request succeed, one is kept, and the request leaves the queue', async () => {
      const stack = createStackId()
      await requests.put(createRequest(stack, 'a'))
      const ends = Array.from({ length: 10 }, (_, index) =>
        requests.end(stack, 'a', { kind: 'superseded', by: `${index}` }),
      )
      expect((await Promise.all(ends)).filter(Boolean)).toHaveLength(10)
      const end = (await requests.find(stack, 'a'))?.end
      expect(end).toMatchObject({ kind: 'superseded' })
      expect(await requests.end(stack, 'a', { kind: 'superseded', by: 'late' })).toBe(true)
      expect((await requests.find(stack, 'a'))?.end).toEqual(end)
      expect(await listKeys(stack)).toEqual([])
    })

    test('a key may be long and have any characters', async () => {
      const stack = createStackId()
      const keys = ['x'.repeat(1_500), `${'x'.repeat(1_499)}y`, 'ü \n/#', ' ', 'last', 'program']
      for (const key of keys) expect(await requests.put(createRequest(stack, key))).toBe(true)
      expect(await listKeys(stack)).toEqual(keys)
      for (const key of keys) {
        expect((await requests.find(stack, key))?.request.key).toBe(key)
        await requests.end(stack, key, { kind: 'superseded', by: 'x' })
      }
      expect(await listKeys(stack)).toEqual([])
      await forgetEnded(50)
      for (const key of keys) expect(await requests.find(stack, key)).toBeUndefined()
    })

    test('a request that is too large is refused, and one of the maximum size is stored', async () => {
      const stack = createStackId()
      const emptySizeBytes = Buffer.byteLength(
        JSON.stringify({ ...createRequest(stack, 'a'), by: '' }),
      )
      const by = 'x'.repeat(limits.recordBytesMax - emptySizeBytes)
      const refused = requests.put({ ...createRequest(stack, 'a'), by: `${by}x` })
      await expect(refused).rejects.toMatchObject({ code: 'CLI_USAGE' })
      expect(await requests.put({ ...createRequest(stack, 'a'), by })).toBe(true)
      expect((await requests.listWaiting(stack, 1))[0]?.by).toBe(by)
    })

    test('a forgotten key can be used again, and its new request is not forgotten', async () => {
      const stack = createStackId()
      await requests.put(createRequest(stack, 'a'))
      await requests.end(stack, 'a', { kind: 'superseded', by: 'x' })
      await forgetEnded(50)
      expect(await requests.put(createRequest(stack, 'a', 2))).toBe(true)
      await forgetEnded(50)
      expect(await requests.listWaiting(stack, 9)).toEqual([createRequest(stack, 'a', 2)])
    })

    test('at most the requested number of requests is forgotten', async () => {
      const stack = createStackId()
      await forgetEnded(50)
      const keys = ['a', 'b', 'c', 'd', 'e']
      for (const key of keys) {
        await requests.put(createRequest(stack, key))
        await requests.end(stack, key, { kind: 'superseded', by: 'x' })
      }
      expect(await requests.removeEnded(toEpochMs(1), 9)).toBe(0)
      // If the call is repeated after a lost reply, it forgets two more requests.
      await requests.removeEnded(toEpochMs(50), 2)
      const remainingRequests = await Promise.all(keys.map(key => requests.find(stack, key)))
      expect(
        remainingRequests.filter(request => request !== undefined).length,
      ).toBeGreaterThanOrEqual(1)
    })

    test('an ended request no longer waits, keeps its first end, and keeps its key', async () => {
      const stack = createStackId()
      await requests.put(createRequest(stack, 'a'))
      await requests.put(createRequest(stack, 'b'))
      const refused = { kind: 'refused', code: 'X', message: 'no', hint: 'ask' } as const
      expect(await requests.end(stack, 'a', refused)).toBe(true)
      expect(await requests.end(stack, 'a', { kind: 'superseded', by: 'b' })).toBe(true)
      expect(await requests.find(stack, 'a')).toEqual({
        request: createRequest(stack, 'a'),
        end: refused,
      })
      expect(await requests.find(stack, 'b')).toEqual({ request: createRequest(stack, 'b') })
      expect(await listKeys(stack)).toEqual(['b'])
      expect(await requests.put(createRequest(stack, 'a', 3))).toBe(false)
      expect(await listKeys(stack)).toEqual(['b'])
    })

    test('a missing request cannot be ended', async () => {
      const stack = createStackId()
      expect(await requests.find(stack, 'a')).toBeUndefined()
      expect(await requests.end(stack, 'a', { kind: 'superseded', by: 'b' })).toBe(false)
      expect(await listKeys(stack)).toEqual([])
    })

    test('only old ended requests are forgotten', async () => {
      const stack = createStackId()
      for (const [key, atMs] of [
        ['old', 1],
        ['open', 1],
        ['new', 99],
      ] as const)
        await requests.put(createRequest(stack, key, atMs))
      for (const key of ['old', 'new'])
        await requests.end(stack, key, { kind: 'superseded', by: 'x' })
      await forgetEnded(50)
      expect(await requests.find(stack, 'old')).toBeUndefined()
      expect(await requests.find(stack, 'new')).toBeDefined()
      expect(await listKeys(stack)).toEqual(['open'])
    })

    test('the program that was uploaded last is current', async () => {
      const stack = createStackId()
      expect(await requests.getProgram(stack)).toBeUndefined()
      await requests.putProgram(stack, toBlobHash('a'))
      await requests.putProgram(stack, toBlobHash('b'))
      expect(await requests.getProgram(stack)).toBe(toBlobHash('b'))
    })
  })
}
