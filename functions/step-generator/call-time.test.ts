import { expect, test } from 'vitest'
import { programLimits } from '../../shared/config/program-limits.ts'
import { startCallTime } from './call-time.ts'

test('the limit of a run is the remaining time of its call, and at least a second', () => {
  let nowMs = 5_000
  const callTime = startCallTime({ monotonicMs: () => nowMs }, { limitMs: 60_000 })
  expect(callTime.remainingLimit()).toEqual({ limitMs: 60_000 })
  nowMs += 45_000
  expect(callTime.remainingLimit()).toEqual({ limitMs: 15_000 })
  nowMs += 45_000
  expect(callTime.remainingLimit()).toEqual({ limitMs: 1_000 })
})

test('a call without a limit opens requests until its process must shut down', () => {
  let nowMs = 0
  const shutdown = new AbortController()
  const time = { handOverSignal: shutdown.signal }
  const callTime = startCallTime({ monotonicMs: () => nowMs }, time)
  nowMs = 1e12
  expect(callTime.mayOpenAnotherRequest()).toBe(true)
  expect(callTime.remainingLimit()).toEqual(time)
  shutdown.abort()
  expect(callTime.mayOpenAnotherRequest()).toBe(false)
})

test('the last request that a call opens has time for a slow repository and a slow installation', () => {
  const { sourceTimeoutMs, fetchTriesMax, installerRetryMs, installerTimeoutMs } = programLimits
  // The time limit of Lambda without the reserve of a call.
  const limitMs = 900_000 - 5_000
  let nowMs = 0
  const callTime = startCallTime({ monotonicMs: () => nowMs }, { limitMs })
  while (callTime.mayOpenAnotherRequest()) nowMs += 1_000
  const beforeInstallerMs = Math.max(sourceTimeoutMs * fetchTriesMax, installerRetryMs)
  expect(limitMs - nowMs).toBeGreaterThan(beforeInstallerMs + installerTimeoutMs)
  // A larger reserve would leave a call no time for several requests.
  expect(nowMs).toBeGreaterThan(30_000)
})
