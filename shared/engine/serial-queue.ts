/** Creates a queue that runs tasks one after another, regardless of the previous result. */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve()
  return work => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
}
