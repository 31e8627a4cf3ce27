import { error } from '../../errors/error.ts'
import { isUrn, type Urn } from '../../names/urn.ts'

/**
 * Reads a URN of a request; `whose`: what the request says with it, as `dependency`. Throws
 * RESOURCE_INVALID, in the words of Pulumi's monitor.
 */
export function parseRequestUrn(text: string, whose: string): Urn {
  if (isUrn(text)) return text
  const fault = text === '' ? 'missing required URN' : `invalid URN ${JSON.stringify(text)}`
  throw error('RESOURCE_INVALID', `invalid ${whose} URN: ${fault}`)
}

/** The same, or '' where the request has none. */
export function parseOptionalUrn(text: string, whose = 'parent'): Urn | '' {
  return text === '' ? '' : parseRequestUrn(text, whose)
}
