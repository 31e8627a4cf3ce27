import type { Handler } from '../attach.ts'
import { runResume } from '../operation.ts'

/** `resume`: goes on with the deployment of a stack whose process died. */
export const resume: Handler = async (session, flags) => runResume(session, flags)
