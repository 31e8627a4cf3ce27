import type { DeployRequest } from '../../shared/engine/request.ts'
import { scrubber } from '../../shared/values/scrub.ts'

/** Takes the texts of secret configuration out of messages. */
export function scrubberOf(request: Pick<DeployRequest, 'config'>): (text: string) => string {
  return scrubber(
    [...request.config.values()].filter(({ secret }) => secret).map(({ text }) => text),
  )
}
