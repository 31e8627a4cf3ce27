/**
 * Splits values into groups, in their order. A group has at most `countMax` values and `bytesMax`
 * bytes. A value above the size limit gets its own group.
 */
export function splitBySize<Value>(
  values: readonly Value[],
  { countMax, bytesMax }: { readonly countMax: number; readonly bytesMax: number },
  bytesOf: (value: Value) => number,
): readonly (readonly Value[])[] {
  const groups: Value[][] = []
  let groupBytes = 0
  for (const value of values) {
    const valueBytes = bytesOf(value)
    const group = groups.at(-1)
    if (group === undefined || group.length >= countMax || groupBytes + valueBytes > bytesMax) {
      groups.push([value])
      groupBytes = valueBytes
    } else {
      group.push(value)
      groupBytes += valueBytes
    }
  }
  return groups
}
