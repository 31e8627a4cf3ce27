import { catalogue } from '../../shared/errors/catalogue.ts'
import type { DeployError } from '../../shared/errors/error.ts'
import type { RequestEnd } from '../../shared/records/stack-request.ts'

/** Returns the end of a refused request. Omits the hint if it is that of the catalogue. */
export function createRefusedEnd({ code, message, hint }: DeployError): RequestEnd {
  const hintField = hint === catalogue[code].hint ? {} : { hint }
  return { kind: 'refused', code, message, ...hintField }
}
