/** Returns an amount in US dollars. Amounts below a cent have two significant digits. Pure. */
export function formatDollars(dollars: number): string {
  if (dollars === 0) return '$0'
  return dollars >= 0.01 ? `$${dollars.toFixed(2)}` : `$${Number(dollars.toPrecision(2))}`
}
