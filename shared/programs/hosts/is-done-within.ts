import { setTimeout as sleep } from 'node:timers/promises'

/** Reports whether work ends within `ms`. */
export async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const timeout = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const isDone = await Promise.race([work.then(() => true), timeout])
  timer.abort()
  return isDone
}
