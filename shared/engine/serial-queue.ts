/** Runs one piece of work after another, whatever became of the one before. */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let turn: Promise<unknown> = Promise.resolve()
  return work => {
    const mine = turn.then(work)
    turn = mine.catch(() => undefined)
    return mine
  }
}
