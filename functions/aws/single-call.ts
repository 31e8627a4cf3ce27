/**
 * Creates the check that begins each call. At the second call it ends this process immediately,
 * because scripts of the first call may have left processes and files behind. Each call has a
 * tenant id of its own, and Lambda shares no environment between tenants. So a second call should
 * never occur.
 */
export function createSingleCallCheck(
  exit: (status: number) => void = status => process.exit(status),
): () => void {
  let hasServed = false
  return () => {
    if (hasServed) exit(0)
    hasServed = true
  }
}
