import { DeployError, createError, messageOf } from '../../../errors/error.ts'

/**
 * Primary result codes of SQLite for faults of the file, the disk, the memory or a lock. No request
 * can succeed while the fault lasts.
 */
const unavailableCodes = new Map([
  [5, 'another process locks it'],
  [6, 'it is locked'],
  [7, 'out of memory'],
  [8, 'it cannot be written'],
  [10, 'input or output failed'],
  [11, 'the file is damaged'],
  [13, 'the disk is full'],
  [14, 'it cannot be opened'],
  [22, 'the file system does not support it'],
  [23, 'access was denied'],
  [26, 'it is not a database'],
])

/**
 * Returns STORE_UNAVAILABLE for `path` with the reason of `thrown`. A `DeployError` is returned
 * unchanged.
 */
export function createStoreUnavailableError(path: string, thrown: unknown): DeployError {
  if (thrown instanceof DeployError) return thrown
  const reason = unavailableReasonOf(thrown) ?? messageOf(thrown)
  return createError('STORE_UNAVAILABLE', `the store ${path} is not available: ${reason}`, {
    details: { path, reason },
    cause: thrown,
  })
}

/** Returns why the store is not available. Returns undefined for an error of one request. */
export function unavailableReasonOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined
  return unavailableCodes.get(Number(thrown.errcode) & 0xff)
}
