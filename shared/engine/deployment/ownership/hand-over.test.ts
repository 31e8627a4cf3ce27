import { describe, expect, test } from 'vitest'
import { decideHandOver, type RunStatus, leaveMarginMsOf } from './hand-over.ts'

/** A life in the middle of its minute. */
function createStatus(
  now: Partial<Record<keyof RunStatus['progress'], number>> & Partial<RunStatus> = {},
) {
  const {
    decidedCount = 0,
    endedCount = 0,
    replayMs = 0,
    elapsedMs = 30_000,
    idleMs = 0,
    ...rest
  } = now
  return {
    isLeaveRequested: false,
    limitMs: 60_000,
    hasNews: false,
    awaited: 1,
    isObserving: false,
    hasCaughtUp: true,
    ...rest,
    progress: {
      decidedCount: () => decidedCount,
      endedCount: () => endedCount,
      knownEndCount: () => endedCount,
      unseenEndCount: () => 0,
      replayMs: () => replayMs,
      elapsedMs: () => elapsedMs,
      idleMs: () => idleMs,
    },
  }
}

const over = { elapsedMs: 51_000 }

describe('a generator that may have to leave', () => {
  test.each([
    ['stays while it has time', createStatus({ decidedCount: 3 }), undefined],
    ['leaves before its time is over', createStatus({ ...over, decidedCount: 3 }), 'limit short'],
    [
      'leaves at once when its process is to end',
      createStatus({ isLeaveRequested: true }),
      'limit short',
    ],
    [
      'stays to the end without a limit',
      createStatus({ limitMs: Infinity, decidedCount: 3 }),
      undefined,
    ],
    [
      'counts an end that it heard of as progress',
      createStatus({ ...over, endedCount: 1 }),
      'limit short',
    ],
    ['counts what ended before it began', createStatus({ ...over, hasNews: true }), 'limit short'],
    [
      'is followed by one without a limit when it came to nothing',
      createStatus(over),
      'limit long',
    ],
    [
      'is followed by one without a limit when a third of its time was replay',
      createStatus({ ...over, decidedCount: 3, replayMs: 21_000 }),
      'limit long',
    ],
    ['parks when it only waits', createStatus({ decidedCount: 1, idleMs: 15_000 }), 'parked short'],
    ['does not park before that', createStatus({ decidedCount: 1, idleMs: 14_000 }), undefined],
    ['does not park when it came to nothing', createStatus({ idleMs: 20_000 }), undefined],
    [
      'does not park before it has come upon what had ended',
      createStatus({ decidedCount: 1, idleMs: 20_000, hasCaughtUp: false }),
      undefined,
    ],
    [
      'does not park while an executor may be found gone',
      createStatus({ decidedCount: 1, idleMs: 20_000, isObserving: true }),
      undefined,
    ],
    [
      'does not park when nothing would wake it',
      createStatus({ decidedCount: 1, idleMs: 20_000, awaited: 0 }),
      undefined,
    ],
  ])('%s', (_what, now, expected) => {
    const due = decideHandOver(now)
    expect(due === undefined ? undefined : `${due.why} ${due.pool}`).toBe(expected)
  })

  test('leaves a fifth of a short time before its end, and ten seconds of a long one', () => {
    expect(leaveMarginMsOf(15_000)).toBe(3_000)
    expect(leaveMarginMsOf(900_000)).toBe(10_000)
  })
})
