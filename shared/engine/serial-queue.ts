/**
 * Creates a queue that runs tasks one after another. A failed task does not stop the later ones.
 */
export function createSerialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let lastTask: Promise<unknown> = Promise.resolve()
  return work => {
    const task = lastTask.then(work)
    lastTask = task.catch(() => undefined)
    return task
  }
}
