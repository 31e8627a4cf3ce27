import type { Handler } from '../arguments/attach-handler.ts'
import { runResume } from '../operations/run-operation.ts'

/**
 * `resume`: goes on with the deployment of a stack whose process died; under a login it has whoever
 * serves the API do so now.
 */
export const resume: Handler = (session, flags) => runResume(session, flags)
