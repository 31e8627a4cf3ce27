/** Returns the median of numbers, or the larger middle one of an even count. Without numbers: 0. */
export function medianOfNumbers(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0
}
