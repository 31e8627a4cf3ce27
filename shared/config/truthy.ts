/**
 * Reports whether an environment variable sets a flag: `1`, or `true` in upper or lower case, as in
 * Pulumi.
 */
export function isTruthy(text: string | undefined): boolean {
  return text === '1' || text?.toLowerCase() === 'true'
}
