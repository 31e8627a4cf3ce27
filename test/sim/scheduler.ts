/**
 * The owner of an event. A dead process receives nothing more. A frozen process receives the event
 * when it is no longer frozen.
 */
export interface Owner {
  readonly isDead: () => boolean
  readonly frozenUntilMs: () => number
}

/** Virtual time: every event of a run is in this one queue. */
export interface Scheduler {
  readonly nowMs: () => number
  /** Returns the number of events so far. */
  readonly ticks: () => number
  /** Schedules a call in this many virtual ms. Returns a function that cancels it. */
  readonly after: (ms: number, call: () => void, owner?: Owner) => () => void
  /**
   * Advances time until `isOver` returns true. Returns false when no event is left, or after
   * `ticksMax` events.
   */
  readonly run: (isOver: () => boolean, ticksMax: number) => Promise<boolean>
}

interface ScheduledEvent {
  atMs: number
  order: number
  readonly call: () => void
  readonly owner: Owner | undefined
  isCancelled: boolean
}

/**
 * Creates a scheduler at time 0. Events of the same time happen in the order of their creation,
 * except after a freeze.
 */
export function createScheduler(): Scheduler {
  const heap = createHeap()
  let nowMs = 0
  let order = 0
  let ticks = 0
  const nextEvent = (): ScheduledEvent | undefined => {
    for (let event = heap.takeFirst(); event !== undefined; event = heap.takeFirst()) {
      if (event.isCancelled || event.owner?.isDead() === true) continue
      const unfrozenAtMs = event.owner?.frozenUntilMs() ?? 0
      if (unfrozenAtMs <= event.atMs) return event
      event.atMs = unfrozenAtMs
      // After a freeze, a process receives the delayed events in any order.
      event.order = Math.imul(event.order, 0x9e3779b1) >>> 0
      heap.put(event)
    }
    return undefined
  }
  return {
    nowMs: () => nowMs,
    ticks: () => ticks,
    after(ms, call, owner) {
      order += 1
      const event: ScheduledEvent = {
        atMs: nowMs + Math.max(0, ms),
        order,
        call,
        owner,
        isCancelled: false,
      }
      heap.put(event)
      return () => {
        event.isCancelled = true
      }
    },
    run: (isOver, ticksMax) =>
      new Promise(resolve => {
        const tickLimit = ticks + ticksMax
        const step = (): void => {
          if (isOver()) return resolve(true)
          const event = ticks < tickLimit ? nextEvent() : undefined
          if (event === undefined) return resolve(false)
          ticks += 1
          nowMs = event.atMs
          event.call()
          // The next event comes after all microtasks of this one.
          process.nextTick(queueMicrotask, step)
        }
        step()
      }),
  }
}

/** Creates a heap of events, sorted by `atMs`, then by `order`. */
function createHeap() {
  const items: ScheduledEvent[] = []
  const isBefore = (one: ScheduledEvent, other: ScheduledEvent): boolean =>
    one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)
  const sink = (event: ScheduledEvent): void => {
    let index = 0
    for (;;) {
      const leftChild = 2 * index + 1
      const [left, right] = [items[leftChild], items[leftChild + 1]]
      const isRightFirst = left !== undefined && right !== undefined && isBefore(right, left)
      const child = isRightFirst ? leftChild + 1 : leftChild
      const childEvent = items[child]
      if (childEvent === undefined || !isBefore(childEvent, event)) break
      items[index] = childEvent
      index = child
    }
    items[index] = event
  }
  return {
    put(event: ScheduledEvent): void {
      let index = items.length
      for (;;) {
        const parentIndex = (index - 1) >> 1
        const parentEvent = items[parentIndex]
        if (index === 0 || parentEvent === undefined || !isBefore(event, parentEvent)) break
        items[index] = parentEvent
        index = parentIndex
      }
      items[index] = event
    },
    takeFirst(): ScheduledEvent | undefined {
      const [first] = items
      const last = items.pop()
      if (last !== undefined && items.length > 0) sink(last)
      return first
    },
  }
}
