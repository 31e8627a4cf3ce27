import { error } from '../shared/errors/error.ts'
import { type StackId, stackPartsOf } from '../shared/records/ids.ts'
import type { Flags } from './flags.ts'
import type { Session } from './session.ts'
import { openStackFile, stackManager } from './stack-secrets.ts'

/**
 * Makes a stack, and a salt for its secrets where the passphrase is known or can be asked for;
 * where it is not, the first secret makes it. Throws STACK_EXISTS, FEATURE_MISSING.
 */
export async function makeStack(session: Session, id: StackId, flags: Flags): Promise<void> {
  refuseOtherSecrets(flags)
  const { project, stack } = stackPartsOf(id)
  const local = await session.local()
  const { catalog, clock } = local.platform
  if (!(await catalog.createStack(id, clock.now())))
    throw error('STACK_EXISTS', `the stack '${stack}' of project '${project}' exists already`)
  const secrets = await session.tools.secrets()
  const known = (await secrets.passphrase(session.io.env)) !== undefined
  if (!known && !session.interactive) return
  await stackManager(session, id, openStackFile(session, session.project(), { stack: id }))
}

function refuseOtherSecrets(flags: Flags): void {
  const provider = flags.text('secretsProvider') ?? 'default'
  if (provider !== 'default' && provider !== 'passphrase')
    throw error('FEATURE_MISSING', `the secrets provider '${provider}' is not supported yet`)
}
