import type { DeployRequest } from '../../engine/request.ts'
import { createRedactor } from '../../values/redact-secrets.ts'

/** Creates a function that removes the texts of secret configuration values from messages. */
export function createConfigRedactor(
  request: Pick<DeployRequest, 'config'>,
): (text: string) => string {
  return createRedactor(
    [...request.config.values()].filter(({ secret }) => secret).map(({ text }) => text),
  )
}
