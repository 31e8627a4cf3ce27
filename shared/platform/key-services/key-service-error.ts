import { type DeployError, createError } from '../../errors/error.ts'

/** The reasons why a key service does not encrypt or decrypt a data key. */
export type KeyFailure =
  | 'no-credentials'
  | 'denied'
  | 'no-key'
  | 'unusable'
  | 'wrong-key'
  | 'unavailable'

/** A request to a key service, for its error messages. */
export interface KeyRequest {
  /** The name of the key, without its parameters. */
  readonly key: string
  readonly action: 'encrypt' | 'decrypt'
}

/** The error code of each reason. */
export const keyErrorCodes = {
  'no-credentials': 'SECRETS_CREDENTIALS_MISSING',
  denied: 'SECRETS_KEY_DENIED',
  'no-key': 'SECRETS_KEY_MISSING',
  unusable: 'SECRETS_KEY_UNUSABLE',
  'wrong-key': 'SECRETS_MALFORMED',
  unavailable: 'SECRETS_SERVICE_UNAVAILABLE',
} as const

/**
 * Creates the error of a failed request. `reason` is the message of the service or of its client,
 * which is put on one line. The error has no cause, because errors of clients contain their
 * requests, and thus the data key.
 */
export function createKeyServiceError(
  failure: KeyFailure,
  { key, action }: KeyRequest,
  reason: string,
): DeployError {
  const text = reason.replaceAll(/\s+/g, ' ').trim()
  const subject =
    failure === 'wrong-key'
      ? `the data key of this stack cannot be decrypted with the key ${key}`
      : `the key ${key} cannot ${action} a data key`
  return createError(keyErrorCodes[failure], text === '' ? subject : `${subject}: ${text}`)
}

/**
 * Returns the reason for a failure with this HTTP status. If a decrypt fails with 400, or with
 * another status without a branch below, the reason is the ciphertext. The rest of the request
 * never varies.
 */
export function keyFailureOf(status: number, { action }: KeyRequest): KeyFailure {
  if (status === 401) return 'no-credentials'
  if (status === 403) return 'denied'
  if (status === 404) return 'no-key'
  if (status === 429 || status >= 500) return 'unavailable'
  return action === 'decrypt' ? 'wrong-key' : 'unusable'
}
