import { error } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Json, StoredDeployment } from '../../shared/state/stored.ts'
import { compareUtf8 } from '../../shared/values/go-json.ts'
import type { Handler } from '../attach.ts'
import type { Session } from '../session.ts'
import { hasSecretOutputs, outputText, stackOutputs } from '../../shared/state/stack-outputs.ts'
import { managerOfState } from '../stack-secrets.ts'
import { tableOf } from '../table.ts'
import { warnInterrupted } from '../warn-interrupted.ts'

/**
 * `stack output`: the outputs of a stack, or one of them, for people, as JSON or as assignments for
 * a shell; secrets only on request.
 */
export const stackOutput: Handler = async (session, flags, [name]) => {
  if (flags.is('json') && flags.is('shell'))
    throw error('CLI_USAGE', 'only one of --json and --shell may be given')
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
    if (flags.is('shell')) session.print(assignmentOf(name, value))
    else session.print(flags.is('json') ? JSON.stringify(value, null, 2) : outputText(value))
    return 0
  }
  if (flags.is('shell')) {
    const named = [...outputs].sort(([a], [b]) => compareUtf8(a, b))
    for (const [key, value] of named)
      if (isVariable(key)) session.print(assignmentOf(key, value))
      else session.warn(`the output '${key}' cannot be a variable of a shell: it is left out`)
  } else if (flags.is('json')) session.print(JSON.stringify(Object.fromEntries(outputs), null, 2))
  else for (const line of listOf(outputs)) session.print(line)
  return 0
}

/** Whether a shell takes an assignment to it for one, and not for a command that it should run. */
function isVariable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name)
}

/** A line by which a POSIX shell sets a variable. Throws CLI_USAGE for a name that is none. */
function assignmentOf(name: string, value: Json): string {
  if (!isVariable(name))
    throw error('CLI_USAGE', `the output '${name}' cannot be a variable of a shell`)
  return `${name}='${outputText(value).replaceAll("'", `'\\''`)}'`
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
