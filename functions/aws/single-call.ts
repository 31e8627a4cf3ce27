/**
 * Creates the check that begins each call. At the second call it ends this process at once, because
 * scripts of the first call may have left processes and files behind. Lambda starts an environment
 * for each tenant, and each call is a tenant. So a second call occurs only if that is not true.
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
