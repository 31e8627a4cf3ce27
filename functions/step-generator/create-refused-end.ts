import { catalogue } from '../../shared/errors/catalogue.ts'
import type { DeployError } from '../../shared/errors/error.ts'
import type { RequestEnd } from '../../shared/records/stack-request.ts'

/** Returns the end of a refused request. The record omits a hint that the catalogue has. */
export function createRefusedEnd({ code, message, hint }: DeployError): RequestEnd {
  const hintField = hint === catalogue[code].hint ? {} : { hint }
  return { kind: 'refused', code, message, ...hintField }
}
