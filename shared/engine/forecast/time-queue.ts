/** A queue of numbers, ordered by time. Numbers with equal times have no order. */
export interface TimeQueue {
  readonly add: (timeMs: number, value: number) => void
  /** Removes and returns the entry with the earliest time. Undefined when the queue is empty. */
  readonly takeFirst: () => { readonly timeMs: number; readonly value: number } | undefined
  readonly size: () => number
}

/** Creates an empty queue: a binary heap. Each call takes logarithmic time. */
export function createTimeQueue(): TimeQueue {
  const times: number[] = []
  const values: number[] = []
  const timeAt = (position: number): number => times[position] ?? Number.POSITIVE_INFINITY
  const swap = (left: number, right: number): void => {
    for (const list of [times, values]) {
      const leftNumber = list[left] ?? 0
      list[left] = list[right] ?? 0
      list[right] = leftNumber
    }
  }
  const moveUp = (start: number): void => {
    for (let position = start; position > 0; ) {
      const parent = (position - 1) >> 1
      if (timeAt(parent) <= timeAt(position)) return
      swap(parent, position)
      position = parent
    }
  }
  const moveDown = (): void => {
    for (let position = 0; ; ) {
      const left = 2 * position + 1
      const child = timeAt(left + 1) < timeAt(left) ? left + 1 : left
      if (timeAt(position) <= timeAt(child)) return
      swap(position, child)
      position = child
    }
  }
  return {
    add(timeMs, value) {
      times.push(timeMs)
      values.push(value)
      moveUp(times.length - 1)
    },
    takeFirst() {
      const [timeMs] = times
      const [value] = values
      if (timeMs === undefined || value === undefined) return undefined
      swap(0, times.length - 1)
      times.pop()
      values.pop()
      moveDown()
      return { timeMs, value }
    },
    size: () => times.length,
  }
}
