/** Sorts items by their sequence. The first of several items with the same sequence remains. */
export function sortBySequence<Item>(
  items: Iterable<Item>,
  sequenceOf: (item: Item) => number,
): readonly Item[] {
  const list = [...items]
  let previousSequence = Number.NEGATIVE_INFINITY
  const isSorted = list.every(item => {
    const isLater = sequenceOf(item) > previousSequence
    previousSequence = sequenceOf(item)
    return isLater
  })
  if (isSorted) return list
  const bySequence = new Map<number, Item>()
  for (const item of list)
    if (!bySequence.has(sequenceOf(item))) bySequence.set(sequenceOf(item), item)
  return [...bySequence.values()].sort((one, other) => sequenceOf(one) - sequenceOf(other))
}
