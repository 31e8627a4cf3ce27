import type { DeployRequest } from '../../engine/request.ts'
import { createRedactor } from '../../values/redact-secrets.ts'

/** Takes the texts of secret configuration out of messages. */
export function createConfigRedactor(
  request: Pick<DeployRequest, 'config'>,
): (text: string) => string {
  return createRedactor(
    [...request.config.values()].filter(({ secret }) => secret).map(({ text }) => text),
  )
}
