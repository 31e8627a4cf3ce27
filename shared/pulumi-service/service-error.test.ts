import { expect, test } from 'vitest'
import type { ErrorCode } from '../errors/catalogue.ts'
import { createError } from '../errors/error.ts'
import { toServiceErrorResponse } from './service-error.ts'

const codes = [
  ['STACK_NOT_FOUND', 'the stack', ['`pulumi stack ls`', '`pulumi stack init <name>`']],
  ['REQUEST_BEGUN', 'the update is over', ['`pulumi cancel`']],
  ['STATE_INTEGRITY', 'the state', ['`pulumi state repair`']],
  // Pulumi's command line has no `deploy`, and no option --force of `cancel`.
  ['ARCHIVE_UNKNOWN', 'the program', ['`antichain deploy`']],
  ['RECORD_DAMAGED', 'the record', ['`antichain cancel --force`']],
] as const satisfies readonly (readonly [ErrorCode, string, readonly string[]])[]

test.each(codes)(
  'the hint of %s names commands of the client where both command lines have them',
  async (code, message, commands) => {
    const response = toServiceErrorResponse(createError(code, message), 'request-1')
    const body = (await response.json()) as { readonly message: string }
    for (const command of commands) expect(body.message).toContain(command)
  },
)
