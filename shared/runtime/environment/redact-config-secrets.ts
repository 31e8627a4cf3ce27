import type { DeployInput } from '../../engine/request.ts'
import { createRedactor } from '../../values/redact-secrets.ts'

/**
 * Creates a function that removes the texts of secret configuration values from messages. It also
 * removes each secret within a map or list, because a message can contain such a secret alone.
 */
export function createConfigRedactor(
  request: Pick<DeployInput, 'config'>,
): (text: string) => string {
  return createRedactor(
    [...request.config.values()].flatMap(({ isSecret, text, secretTexts = [] }) =>
      isSecret ? [text, ...secretTexts] : [],
    ),
  )
}
