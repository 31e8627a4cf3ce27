import * as z from 'zod'
import { type DeployError, createError, isErrorCode } from '../../shared/errors/error.ts'

/** The end of a refused request. If `hint` is absent, the error gets the hint of its code. */
export const refusalForm = z.object({
  kind: z.literal('refused'),
  code: z.string(),
  message: z.string(),
  hint: z.string().optional(),
})

/** Returns the error of a refused request. An unknown code becomes REQUEST_REFUSED. */
export function refusalErrorOf({ code, message, hint }: z.infer<typeof refusalForm>): DeployError {
  const options = hint === undefined ? {} : { hint }
  return isErrorCode(code)
    ? createError(code, message, options)
    : createError('REQUEST_REFUSED', `${code}: ${message}`, options)
}
