/** The times at which all slots of a deployment were in use. */
export interface SlotUsage {
  /** Returns how long all slots were in use between two times, in ms. Logarithmic. */
  readonly allSlotsBusyMsBetween: (startMs: number, endMs: number) => number
}

/**
 * Computes when all of `slotCount` slots were in use. `intervals`: the times at which operations
 * held a slot.
 */
export function computeSlotUsage(
  intervals: readonly { readonly startMs: number; readonly endMs: number }[],
  slotCount: number,
): SlotUsage {
  const changes = intervals
    .filter(({ startMs, endMs }) => endMs > startMs)
    .flatMap(({ startMs, endMs }) => [
      { timeMs: startMs, change: 1 },
      { timeMs: endMs, change: -1 },
    ])
    .toSorted((left, right) => left.timeMs - right.timeMs)
  const times: number[] = []
  /** For each time: how long all slots were in use before it. */
  const fullBeforeMs: number[] = []
  /** For each time: whether all slots are in use after it. */
  const isFullAfter: boolean[] = []
  let usedCount = 0
  for (const { timeMs, change } of changes) {
    const lastIndex = times.length - 1
    const lastTimeMs = times[lastIndex] ?? timeMs
    const addedMs = isFullAfter[lastIndex] === true ? timeMs - lastTimeMs : 0
    usedCount += change
    times.push(timeMs)
    fullBeforeMs.push((fullBeforeMs[lastIndex] ?? 0) + addedMs)
    isFullAfter.push(usedCount >= slotCount)
  }
  const computeFullMsUntil = (timeMs: number): number => {
    const index = countUntil(times, timeMs) - 1
    const afterMs = isFullAfter[index] === true ? timeMs - (times[index] ?? timeMs) : 0
    return (fullBeforeMs[index] ?? 0) + afterMs
  }
  return {
    allSlotsBusyMsBetween: (startMs, endMs) =>
      endMs > startMs ? computeFullMsUntil(endMs) - computeFullMsUntil(startMs) : 0,
  }
}

/** Returns how many of some ascending numbers are not greater than a limit. */
function countUntil(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? Infinity) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
