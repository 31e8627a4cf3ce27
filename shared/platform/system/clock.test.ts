import { expect, test } from 'vitest'
import { createSystemClock } from './clock.ts'
import { createLogger } from './logger.ts'

test('the monotonic clock includes the time that the machine was suspended', () => {
  const sources = { wall: 0, process: 5_000, boot: 100_000 }
  const clock = createSystemClock({
    wallMs: () => sources.wall,
    processMs: () => sources.process,
    bootMs: () => sources.boot,
  })
  const start = clock.monotonicMs()
  sources.process += 2_000
  sources.boot += 2_500
  // A difference of 500 ms may be the resolution of the time since boot, and is not added yet.
  expect(clock.monotonicMs() - start).toBe(2_000)
  sources.process += 1_000
  sources.boot += 61_000
  expect(clock.monotonicMs() - start).toBe(63_500)
  sources.process += 1_000
  sources.boot += 1_000
  expect(clock.monotonicMs() - start).toBe(64_500)
})

test('the time since boot is read when the wall clock jumps, and otherwise at intervals', () => {
  const sources = { wall: 0, process: 0, boot: 0, bootReads: 0 }
  const clock = createSystemClock({
    wallMs: () => sources.wall,
    processMs: () => sources.process,
    bootMs: () => {
      sources.bootReads += 1
      return sources.boot
    },
  })
  const passTime = (awakeMs: number, asleepMs: number): number => {
    sources.process += awakeMs
    sources.wall += awakeMs + asleepMs
    sources.boot += awakeMs + asleepMs
    return clock.monotonicMs()
  }
  for (let index = 0; index < 100; index += 1) passTime(1, 0)
  expect(sources.bootReads).toBe(1)
  expect(passTime(1, 20_000)).toBe(20_101)
  expect(sources.bootReads).toBe(2)
  // The wall clock is set back during a suspension. The suspension is noticed half a second later.
  sources.boot += 5_000
  expect(passTime(1, 0)).toBe(20_102)
  expect(passTime(500, 0)).toBe(25_602)
})

test('a clock that is set back does not decrease the monotonic time', () => {
  const sources = { process: 0, boot: 50_000 }
  const clock = createSystemClock({
    wallMs: () => 0,
    processMs: () => sources.process,
    bootMs: () => sources.boot,
  })
  const start = clock.monotonicMs()
  sources.boot -= 40_000
  sources.process += 10
  expect(clock.monotonicMs() - start).toBe(10)
})

test('a sleep ends immediately when its signal aborts, before or during the sleep', async () => {
  const clock = createSystemClock()
  await clock.sleep(60_000, AbortSignal.abort())
  const ending = new AbortController()
  const sleeping = clock.sleep(60_000, ending.signal)
  ending.abort()
  await sleeping
})

test('a repeated call continues until it is stopped', async () => {
  const clock = createSystemClock()
  const twice = Promise.withResolvers<void>()
  let calls = 0
  const stop = clock.repeat(1, () => {
    calls += 1
    if (calls === 2) {
      stop()
      twice.resolve()
    }
  })
  await twice.promise
  await new Promise<void>(done => clock.defer(done))
  expect(calls).toBe(2)
})

test('log lines below the level are dropped, and errors and big integers are written as text', () => {
  const lines: string[] = []
  const log = createLogger({ level: 'info', write: line => lines.push(line) })
  log.write('debug', 'a.b')
  log.write('warn', 'store.lost', { reason: new Error('gone'), size: 5n })
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    event: 'store.lost',
    reason: 'gone',
    size: '5',
  })
})

test('a log line with arbitrary text stays one line without control characters and keeps its contents', () => {
  const lines: string[] = []
  const log = createLogger({ level: 'info', write: line => lines.push(line) })
  const text = 'x\n{"level":"error"}\r\u001b[2J\u009b2J\u007f\u0085\u2028\u2029\u202e\u2066y'
  log.write('warn', 'a.b', { text, [text]: new Error(text) })
  const [line = ''] = lines
  expect(line).toMatch(/^[^\p{Cc}\p{Zl}\p{Zp}\u202e\u2066]+\n$/u)
  expect(JSON.parse(line)).toMatchObject({ text, [text]: text })
})
