import { describe, expect, test } from 'vitest'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { DeploymentRequest } from '../../shared/records/request.ts'
import { blobHash, epochMs, freshStack, type Open, whileOpen } from './opened.ts'

const options = {
  command: 'up',
  parallel: 8,
  refresh: false,
  continueOnError: false,
  execute: 'elsewhere',
  message: '',
} as const

function request(stack: StackId, key: string, at = 1): DeploymentRequest {
  return {
    stack,
    key,
    at: epochMs(at),
    by: 'a test',
    dryRun: false,
    options,
    program: { kind: 'archive', archive: blobHash('a') },
  }
}

/** The queues of stacks: one key is one request, for ever. */
export function requestsContract(
  name: string,
  open: Open<{ readonly requests: RequestsPort }>,
): void {
  describe(`requests: ${name}`, () => {
    let requests: RequestsPort
    whileOpen(open, given => {
      requests = given.requests
    })
    const keys = async (stack: StackId, limit = 10): Promise<readonly string[]> =>
      (await requests.waiting(stack, limit)).map(({ key }) => key)

    test('requests wait in the order in which they were put, each stack by itself', async () => {
      const [stack, other] = [freshStack(), freshStack()]
      for (const key of ['b', 'a', 'c']) expect(await requests.put(request(stack, key))).toBe(true)
      expect(await requests.put(request(other, 'd'))).toBe(true)
      expect(await keys(stack)).toEqual(['b', 'a', 'c'])
      expect(await keys(stack, 2)).toEqual(['b', 'a'])
      expect(await requests.waiting(other, 1)).toEqual([request(other, 'd')])
    })

    test('the same request again is the same one, another under its key is none', async () => {
      const stack = freshStack()
      expect(await requests.put(request(stack, 'a'))).toBe(true)
      expect(await requests.put(request(stack, 'a'))).toBe(true)
      expect(await requests.put(request(stack, 'a', 2))).toBe(false)
      expect(await requests.waiting(stack, 10)).toEqual([request(stack, 'a')])
    })

    test('of twenty that put one key at once, one does', async () => {
      const stack = freshStack()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => requests.put(request(stack, 'a', at + 1))),
      )
      expect(answers.filter(Boolean)).toHaveLength(1)
      const [kept] = await requests.waiting(stack, 10)
      expect(kept?.at).toBe(answers.indexOf(true) + 1)
    })

    test('what has ended waits no more, its first end stands, and its key stays taken', async () => {
      const stack = freshStack()
      await requests.put(request(stack, 'a'))
      await requests.put(request(stack, 'b'))
      const refused = { kind: 'refused', code: 'X', message: 'no' } as const
      expect(await requests.end(stack, 'a', refused)).toBe(true)
      expect(await requests.end(stack, 'a', { kind: 'superseded', by: 'b' })).toBe(true)
      expect(await requests.find(stack, 'a')).toEqual({
        request: request(stack, 'a'),
        end: refused,
      })
      expect(await requests.find(stack, 'b')).toEqual({ request: request(stack, 'b') })
      expect(await keys(stack)).toEqual(['b'])
      expect(await requests.put(request(stack, 'a', 3))).toBe(false)
      expect(await keys(stack)).toEqual(['b'])
    })

    test('what is not there has no end', async () => {
      const stack = freshStack()
      expect(await requests.find(stack, 'a')).toBeUndefined()
      expect(await requests.end(stack, 'a', { kind: 'superseded', by: 'b' })).toBe(false)
      expect(await keys(stack)).toEqual([])
    })

    test('only what has ended and is old is forgotten', async () => {
      const stack = freshStack()
      for (const [key, at] of [
        ['old', 1],
        ['open', 1],
        ['new', 99],
      ] as const)
        await requests.put(request(stack, key, at))
      for (const key of ['old', 'new'])
        await requests.end(stack, key, { kind: 'superseded', by: 'x' })
      while ((await requests.forget(epochMs(50), 100)) > 0);
      expect(await requests.find(stack, 'old')).toBeUndefined()
      expect(await requests.find(stack, 'new')).toBeDefined()
      expect(await keys(stack)).toEqual(['open'])
    })

    test('the program that was last uploaded stands', async () => {
      const stack = freshStack()
      expect(await requests.program(stack)).toBeUndefined()
      await requests.putProgram(stack, blobHash('a'))
      await requests.putProgram(stack, blobHash('b'))
      expect(await requests.program(stack)).toBe(blobHash('b'))
    })
  })
}
