import type { DeployRequest } from '../shared/engine/request.ts'

/**
 * Secret texts shorter than this are left: taking out single letters would destroy every message.
 */
const scrubbedMin = 3

/** Takes the texts of secret configuration out of messages. */
export function scrubberOf(request: Pick<DeployRequest, 'config'>): (text: string) => string {
  const secrets = [...request.config.values()]
    .filter(value => value.secret && value.text.length >= scrubbedMin)
    .map(value => value.text)
  if (secrets.length === 0) return text => text
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length)
  return text =>
    longestFirst.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, '[secret]'), text)
}
