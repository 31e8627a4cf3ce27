/**
 * Returns the code of an error of the operating system, such as `ENOENT`. Returns '' for any other
 * error.
 */
export function systemCodeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}
