/** A queue. The item that was added first is taken first. */
export interface Fifo<T> {
  readonly add: (item: T) => void
  /** Removes and returns the first item. Returns undefined if the queue is empty. */
  readonly take: () => T | undefined
}

/**
 * Creates an empty queue. Taking an item is cheap for any number of items, unlike `Array.shift`,
 * which moves all items of a long array.
 */
export function createFifo<T>(): Fifo<T> {
  let items: T[] = []
  let takenCount = 0
  return {
    add: item => void items.push(item),
    take() {
      const item = items[takenCount]
      if (item === undefined) return undefined
      takenCount += 1
      if (takenCount * 2 > items.length) {
        items = items.slice(takenCount)
        takenCount = 0
      }
      return item
    },
  }
}
