import { setTimeout as sleep } from 'node:timers/promises'

/** Reports whether a promise resolves within `timeoutMs`. */
export async function isDoneWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const timer = new AbortController()
  const timeout = sleep(timeoutMs, false, { signal: timer.signal }).catch(() => false)
  const isDone = await Promise.race([promise.then(() => true), timeout])
  timer.abort()
  return isDone
}
