/**
 * Returns the code of an error, such as `ENOENT` of the operating system. Returns '' for a value
 * that is not an error with a code.
 */
export function systemCodeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}
