/**
 * Creates a queue that runs tasks one after another. A failed task does not stop the later ones.
 */
export function createSerialQueue(): <T>(startTask: () => Promise<T>) => Promise<T> {
  let lastTask: Promise<unknown> = Promise.resolve()
  return startTask => {
    const task = lastTask.then(startTask)
    lastTask = task.catch(() => undefined)
    return task
  }
}
