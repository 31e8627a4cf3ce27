import { error } from '../../shared/errors/error.ts'
import { stackPartsOf, type StackId } from '../../shared/records/ids.ts'
import type { Handler } from '../attach.ts'
import type { Local } from '../local-port.ts'
import { runResume } from '../operation.ts'
import type { Session } from '../session.ts'

/**
 * `resume`: goes on with the deployment of a stack whose process died; under a login it has whoever
 * serves the API look at it now.
 */
export const resume: Handler = async (session, flags) => {
  const local = await session.local()
  return local.remote === undefined
    ? runResume(session, flags)
    : haveItResumed(session, local, await session.existingStack())
}

async function haveItResumed(session: Session, local: Local, id: StackId): Promise<number> {
  const { project, stack } = stackPartsOf(id)
  const standing = await local.standing(id)
  if (standing.kind === 'none')
    throw error('NOTHING_TO_RESUME', `no deployment of '${stack}' is under way`)
  const { number } = standing
  const [of, name] = [project, stack].map(encodeURIComponent)
  const path = `/v1/stacks/${of}/${name}/deployments/${number}/resume`
  await local.api({ method: 'POST', path })
  session.warn(`Deployment ${number} of '${stack}' is looked at: whoever serves goes on with it.`)
  return 0
}
