import { DeployError, error, messageOf } from '../../../errors/error.ts'

/** Primary result codes of SQLite that concern the disk or the file, not a request. */
const diskCodes = new Map([
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
export function storeUnavailableError(path: string, thrown: unknown): DeployError {
  if (thrown instanceof DeployError) return thrown
  const reason = diskReasonOf(thrown) ?? messageOf(thrown)
  return error('STORE_UNAVAILABLE', `the store ${path} is not available: ${reason}`, {
    details: { path, reason },
    cause: thrown,
  })
}

/** Returns the reason of an error of the disk or file, or undefined for any other error. */
export function diskReasonOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return undefined
  return diskCodes.get(Number(thrown.errcode) & 0xff)
}
