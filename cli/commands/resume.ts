import type { Handler } from '../arguments/handler.ts'
import { runResume } from '../operations/run-operation.ts'

/**
 * `resume`: continues the interrupted deployment of a stack. With a login, the server of the API
 * continues it.
 */
export const resume: Handler = (session, flags) => runResume(session, flags)
