import type { z } from 'zod'
import { error } from '../errors/error.ts'
import { printable } from './printable.ts'

/**
 * The JSON of a body, of this shape. Throws WEBHOOK_MALFORMED with where it is not so; of the body
 * itself only names of fields are told.
 */
export function parseBody<Shape extends z.ZodType>(body: Uint8Array, shape: Shape): z.infer<Shape> {
  const parsed = shape.safeParse(jsonOf(body))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const at = printable(issue?.path.join('.') ?? '')
  const what = printable(issue?.message ?? '')
  throw malformed(at === '' ? what : `at ${at}: ${what}`)
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw malformed('it is no JSON in UTF-8')
  }
}

function malformed(why: string): Error {
  return error('WEBHOOK_MALFORMED', `the body of the delivery cannot be read: ${why}`)
}
