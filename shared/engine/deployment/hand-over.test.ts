import { describe, expect, test } from 'vitest'
import { handOverDue, type LifeNow, leaveMs } from './hand-over.ts'

/** A life in the middle of its minute. */
function life(now: Partial<Record<keyof LifeNow['pace'], number>> & Partial<LifeNow> = {}) {
  const { decided = 0, ended = 0, replayMs = 0, livedMs = 30_000, idleMs = 0, ...rest } = now
  return {
    isAsked: false,
    limitMs: 60_000,
    hasNews: false,
    awaited: 1,
    isLooking: false,
    hasCaughtUp: true,
    ...rest,
    pace: {
      decided: () => decided,
      ended: () => ended,
      known: () => ended,
      unseen: () => 0,
      replayMs: () => replayMs,
      livedMs: () => livedMs,
      idleMs: () => idleMs,
    },
  }
}

const over = { livedMs: 51_000 }

describe('a generator that may have to leave', () => {
  test.each([
    ['stays while it has time', life({ decided: 3 }), undefined],
    ['leaves before its time is over', life({ ...over, decided: 3 }), 'limit short'],
    ['leaves at once when its process is to end', life({ isAsked: true }), 'limit short'],
    ['stays to the end without a limit', life({ limitMs: Infinity, decided: 3 }), undefined],
    ['counts an end that it heard of as progress', life({ ...over, ended: 1 }), 'limit short'],
    ['counts what ended before it began', life({ ...over, hasNews: true }), 'limit short'],
    ['is followed by one without a limit when it came to nothing', life(over), 'limit long'],
    [
      'is followed by one without a limit when a third of its time was replay',
      life({ ...over, decided: 3, replayMs: 21_000 }),
      'limit long',
    ],
    ['parks when it only waits', life({ decided: 1, idleMs: 15_000 }), 'parked short'],
    ['does not park before that', life({ decided: 1, idleMs: 14_000 }), undefined],
    ['does not park when it came to nothing', life({ idleMs: 20_000 }), undefined],
    [
      'does not park before it has come upon what had ended',
      life({ decided: 1, idleMs: 20_000, hasCaughtUp: false }),
      undefined,
    ],
    [
      'does not park while an executor may be found gone',
      life({ decided: 1, idleMs: 20_000, isLooking: true }),
      undefined,
    ],
    [
      'does not park when nothing would wake it',
      life({ decided: 1, idleMs: 20_000, awaited: 0 }),
      undefined,
    ],
  ])('%s', (_what, now, expected) => {
    const due = handOverDue(now)
    expect(due === undefined ? undefined : `${due.why} ${due.pool}`).toBe(expected)
  })

  test('leaves a fifth of a short time before its end, and ten seconds of a long one', () => {
    expect(leaveMs(15_000)).toBe(3_000)
    expect(leaveMs(900_000)).toBe(10_000)
  })
})
