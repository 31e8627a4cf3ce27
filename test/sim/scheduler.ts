/**
 * The owner of an event. A dead process receives nothing more, and a frozen one receives it when it
 * thaws.
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
  /** Advances time until `isOver`. Returns false when no event is left or `ticksMax` is reached. */
  readonly run: (isOver: () => boolean, ticksMax: number) => Promise<boolean>
}

interface Event {
  atMs: number
  order: number
  readonly call: () => void
  readonly owner: Owner | undefined
  isOff: boolean
}

/** Creates a scheduler at time 0. Events of the same time happen in the order of their creation. */
export function createScheduler(): Scheduler {
  const heap = createHeap()
  let nowMs = 0
  let order = 0
  let ticks = 0
  const nextEvent = (): Event | undefined => {
    for (let event = heap.take(); event !== undefined; event = heap.take()) {
      if (event.isOff || event.owner?.isDead() === true) continue
      const thawMs = event.owner?.frozenUntilMs() ?? 0
      if (thawMs <= event.atMs) return event
      event.atMs = thawMs
      // A process that thaws receives the events of the meantime in any order.
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
      const event: Event = { atMs: nowMs + Math.max(0, ms), order, call, owner, isOff: false }
      heap.put(event)
      return () => {
        event.isOff = true
      }
    },
    run: (isOver, ticksMax) =>
      new Promise(done => {
        const last = ticks + ticksMax
        const step = (): void => {
          if (isOver()) return done(true)
          const event = ticks < last ? nextEvent() : undefined
          if (event === undefined) return done(false)
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

/** Creates a heap of events, ordered by time, then by creation. */
function createHeap() {
  const items: Event[] = []
  const isBefore = (one: Event, other: Event): boolean =>
    one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order)
  const sink = (event: Event): void => {
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      const [a, b] = [items[left], items[left + 1]]
      const child = b !== undefined && a !== undefined && isBefore(b, a) ? left + 1 : left
      const below = items[child]
      if (below === undefined || !isBefore(below, event)) break
      items[at] = below
      at = child
    }
    items[at] = event
  }
  return {
    put(event: Event): void {
      let at = items.length
      for (;;) {
        const up = (at - 1) >> 1
        const above = items[up]
        if (at === 0 || above === undefined || !isBefore(event, above)) break
        items[at] = above
        at = up
      }
      items[at] = event
    },
    take(): Event | undefined {
      const [first] = items
      const last = items.pop()
      if (last !== undefined && items.length > 0) sink(last)
      return first
    },
  }
}
