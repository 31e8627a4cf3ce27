import type * as z from 'zod'
import { createError } from '../../errors/error.ts'
import { documentDepthMax, isNestedDeeper } from '../../values/nesting.ts'
import { formFaultOf } from '../form-fault.ts'
import { parseForm } from '../../values/parse-form.ts'

/**
 * Parses and validates the JSON of a body. Throws WEBHOOK_MALFORMED with the location of the error,
 * which contains only field names of the body.
 */
export function parseWebhookBody<Shape extends z.ZodType>(
  body: Uint8Array,
  shape: Shape,
): z.infer<Shape> {
  const json = parseJsonBytes(body)
  if (isNestedDeeper(json, documentDepthMax))
    throw createMalformedError(`it is nested deeper than ${documentDepthMax} levels`)
  const parsed = parseForm(shape, json)
  if (parsed.success) return parsed.data
  const { location, requirement } = formFaultOf(parsed.error, json)
  throw createMalformedError(
    location === '' ? `it ${requirement}` : `at ${location}: it ${requirement}`,
  )
}

function parseJsonBytes(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw createMalformedError('it is not JSON in UTF-8')
  }
}

function createMalformedError(reason: string): Error {
  return createError('WEBHOOK_MALFORMED', `the body of the delivery is invalid: ${reason}`)
}
