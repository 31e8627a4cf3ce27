import { expect, test } from 'vitest'
import { createAbortableCalls } from './abortable-calls.ts'

test('`follow` settles like its answer if no abort comes first', async () => {
  const calls = createAbortableCalls()
  await expect(calls.follow(Promise.resolve('answer'))).resolves.toBe('answer')
  await expect(calls.follow(Promise.reject(new Error('failed')))).rejects.toThrow('failed')
})

test('`abort` rejects pending and later calls, but not calls that have ended', async () => {
  const calls = createAbortableCalls()
  const ended = calls.follow(Promise.resolve('answer'))
  await ended
  const pending = calls.follow(new Promise(() => undefined))
  calls.abort(new Error('aborted'))
  await expect(pending).rejects.toThrow('aborted')
  await expect(calls.follow(Promise.resolve('late'))).rejects.toThrow('aborted')
  await expect(ended).resolves.toBe('answer')
})
