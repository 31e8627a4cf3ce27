import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Json, StoredDeployment } from '../../shared/state/stored.ts'
import type { Handler } from '../attach.ts'
import type { Session } from '../session.ts'
import { hasSecretOutputs, outputText, stackOutputs } from '../../shared/state/stack-outputs.ts'
import { managerOfState } from '../stack-secrets.ts'
import { tableOf } from '../table.ts'
import { warnInterrupted } from '../warn-interrupted.ts'

/** `stack output`: the outputs of a stack, or one of them; secrets only on request. */
export const stackOutput: Handler = async (session, flags, [name]) => {
  const id = await session.existingStack()
  const local = await session.local()
  await warnInterrupted(session, id)
  const state = await local.exportState(id)
  const open = flags.is('showSecrets') ? await opener(session, state) : undefined
  const outputs = stackOutputs(state, open)
  if (name !== undefined) {
    const value = outputs.get(name)
    if (value === undefined)
      throw error('OUTPUT_MISSING', `the stack '${stackPartsOf(id).stack}' has no output '${name}'`)
    session.print(flags.is('json') ? JSON.stringify(value, null, 2) : outputText(value))
    return 0
  }
  if (flags.is('json')) session.print(JSON.stringify(Object.fromEntries(outputs), null, 2))
  else for (const line of listOf(outputs)) session.print(line)
  return 0
}

async function opener(
  session: Session,
  state: StoredDeployment | undefined,
): Promise<((ciphertext: string) => string) | undefined> {
  if (state === undefined || !hasSecretOutputs(state)) return () => 'null'
  const manager = await managerOfState(session, state)
  if (manager === undefined)
    throw error('SECRETS_MALFORMED', 'the state has secrets but does not say how they are kept')
  return manager.crypter.decrypt
}

function listOf(outputs: ReadonlyMap<string, Json>): readonly string[] {
  if (outputs.size === 0) return ['Current stack outputs (0):', '    No output values']
  const rows = [...outputs].map(([name, value]) => [name, outputText(value)])
  return [
    `Current stack outputs (${outputs.size}):`,
    ...tableOf(['OUTPUT', 'VALUE'], rows).map(line => `    ${line}`),
  ]
}
