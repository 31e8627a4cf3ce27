import type { DeployRequest } from '../../engine/request.ts'
import { createRedactor } from '../../values/redact-secrets.ts'

/**
 * Creates a function that removes the texts of secret configuration values from messages. A message
 * may contain a secret of a map or list without the rest of the value.
 */
export function createConfigRedactor(
  request: Pick<DeployRequest, 'config'>,
): (text: string) => string {
  return createRedactor(
    [...request.config.values()].flatMap(({ isSecret, text, secretTexts = [] }) =>
      isSecret ? [text, ...secretTexts] : [],
    ),
  )
}
