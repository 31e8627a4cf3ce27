import { createFifo } from '../../values/fifo.ts'

/** Replies that are delivered in one turn of the event loop. */
const repliesPerTurn = 16

/**
 * Creates a function that delivers replies in the order of its calls, and a limited number of them
 * in each turn of the event loop. One read of a socket can contain hundreds of replies. If all were
 * delivered at once, timers and other connections would wait for the work that follows them.
 */
export function createReplyQueue(): (deliver: () => void) => void {
  const waitingReplies = createFifo<() => void>()
  let isScheduled = false
  const schedule = (): void => {
    isScheduled = true
    setImmediate(deliverSome)
  }
  const deliverSome = (): void => {
    isScheduled = false
    for (let count = 0; count < repliesPerTurn; count++) {
      const deliver = waitingReplies.take()
      if (deliver === undefined) return
      deliver()
    }
    if (!isScheduled) schedule()
  }
  return deliver => {
    waitingReplies.add(deliver)
    if (!isScheduled) schedule()
  }
}
