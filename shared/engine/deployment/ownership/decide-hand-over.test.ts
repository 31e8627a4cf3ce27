import { describe, expect, test } from 'vitest'
import { decideHandOver, type RunStatus, shutdownMarginMsOf } from './decide-hand-over.ts'

/** Creates the status of a generator run halfway through its time limit of a minute. */
function createStatus(
  fields: Partial<Record<keyof RunStatus['progress'], number>> & Partial<RunStatus> = {},
) {
  const {
    decidedCount = 0,
    endedCount = 0,
    replayMs = 0,
    elapsedMs = 30_000,
    idleMs = 0,
    ...statusFields
  } = fields
  return {
    isShuttingDown: false,
    limitMs: 60_000,
    hasNewEnds: false,
    awaitedCount: 1,
    mustNotPark: false,
    hasCaughtUp: true,
    ...statusFields,
    progress: {
      decidedCount: () => decidedCount,
      endedCount: () => endedCount,
      totalEndCount: () => endedCount,
      unawaitedEndCount: () => 0,
      replayMs: () => replayMs,
      elapsedMs: () => elapsedMs,
      idleMs: () => idleMs,
    },
  }
}

const lateStatus = { elapsedMs: 51_000 }

describe('a generator run', () => {
  test.each([
    ['continues while it has time', createStatus({ decidedCount: 3 }), undefined],
    [
      'hands over before its time is over',
      createStatus({ ...lateStatus, decidedCount: 3 }),
      'limit short',
    ],
    [
      'hands over immediately when its process is shutting down',
      createStatus({ isShuttingDown: true }),
      'limit short',
    ],
    [
      'continues to its end if it has no time limit',
      createStatus({ limitMs: Infinity, decidedCount: 3 }),
      undefined,
    ],
    [
      'counts a noticed end as progress',
      createStatus({ ...lateStatus, endedCount: 1 }),
      'limit short',
    ],
    [
      'counts an end from before its start as progress',
      createStatus({ ...lateStatus, hasNewEnds: true }),
      'limit short',
    ],
    [
      'is followed by a run without a limit if it made no progress',
      createStatus(lateStatus),
      'limit long',
    ],
    [
      'is followed by a run without a limit if replay took more than a third of its time',
      createStatus({ ...lateStatus, decidedCount: 3, replayMs: 21_000 }),
      'limit long',
    ],
    ['parks when it only waits', createStatus({ decidedCount: 1, idleMs: 15_000 }), 'parked short'],
    [
      'does not park until it has done nothing but wait for 15 seconds',
      createStatus({ decidedCount: 1, idleMs: 14_000 }),
      undefined,
    ],
    ['does not park if it made no progress', createStatus({ idleMs: 20_000 }), undefined],
    [
      'does not park before it has awaited all earlier ends',
      createStatus({ decidedCount: 1, idleMs: 20_000, hasCaughtUp: false }),
      undefined,
    ],
    [
      'does not park while an executor may turn out to be gone',
      createStatus({ decidedCount: 1, idleMs: 20_000, mustNotPark: true }),
      undefined,
    ],
    [
      'does not park when nothing would wake it',
      createStatus({ decidedCount: 1, idleMs: 20_000, awaitedCount: 0 }),
      undefined,
    ],
  ])('%s', (_what, status, expected) => {
    const handOver = decideHandOver(status)
    expect(handOver === undefined ? undefined : `${handOver.why} ${handOver.pool}`).toBe(expected)
  })

  test('begins to shut down after four fifths of a short time limit, and ten seconds before the end of a long one', () => {
    expect(shutdownMarginMsOf(15_000)).toBe(3_000)
    expect(shutdownMarginMsOf(900_000)).toBe(10_000)
  })
})
