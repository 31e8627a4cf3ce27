import { createError } from '../../shared/errors/error.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { Json } from '../../shared/state/stored.ts'
import { compareUtf8 } from '../../shared/values/go-json.ts'
import type { Handler } from '../arguments/handler.ts'
import { formatOutput } from '../../shared/state/stack-outputs.ts'
import { readStackOutputsForDisplay } from '../stack/open-decrypter.ts'
import { quoteForShell } from '../display/quote-for-shell.ts'
import { formatTable } from '../display/table.ts'
import { warnInterrupted } from '../stack/warn-interrupted.ts'

/**
 * `stack output`: prints the outputs of a stack, or one of them, as text, JSON or assignments for a
 * shell. Secrets are shown only on request.
 */
export const showStackOutput: Handler = async (session, flags, [name]) => {
  if (flags.isSet('json') && flags.isSet('shell'))
    throw createError('CLI_USAGE', 'only one of --json and --shell may be set')
  const id = await session.requireStack()
  const engine = await session.openEngine()
  await warnInterrupted(session, id)
  const state = await engine.exportState(id)
  const outputs = await readStackOutputsForDisplay(session, flags, { id, state })
  if (name !== undefined) {
    const value = outputs.get(name)
    if (value === undefined)
      throw createError(
        'OUTPUT_MISSING',
        `the stack '${stackPartsOf(id).stack}' has no output '${name}'`,
      )
    if (flags.isSet('shell')) session.print(formatShellAssignment(name, value))
    else session.print(flags.isSet('json') ? JSON.stringify(value, null, 2) : formatOutput(value))
    return 0
  }
  if (flags.isSet('shell')) {
    const sortedOutputs = [...outputs].sort(([a], [b]) => compareUtf8(a, b))
    for (const [key, value] of sortedOutputs)
      if (isVariableName(key)) session.print(formatShellAssignment(key, value))
      else
        session.printToStderr(
          `skipped the output '${key}': it is not a valid name of a shell variable`,
        )
  } else if (flags.isSet('json'))
    session.print(JSON.stringify(Object.fromEntries(outputs), null, 2))
  else for (const line of formatOutputList(outputs)) session.print(line)
  return 0
}

/**
 * Reports whether a name is valid for a shell variable. A shell interprets an assignment to an
 * invalid name as a command.
 */
function isVariableName(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name)
}

/** Returns a line that sets a variable in a POSIX shell. Throws CLI_USAGE for an invalid name. */
function formatShellAssignment(name: string, value: Json): string {
  if (!isVariableName(name))
    throw createError('CLI_USAGE', `the output '${name}' is not a valid name of a shell variable`)
  return `${name}=${quoteForShell(formatOutput(value))}`
}

/** Formats all outputs of a stack as a table with a title. */
export function formatOutputList(outputs: ReadonlyMap<string, Json>): readonly string[] {
  if (outputs.size === 0) return ['Current stack outputs (0):', '    No output values']
  const rows = [...outputs].map(([name, value]) => [name, formatOutput(value)])
  return [
    `Current stack outputs (${outputs.size}):`,
    ...formatTable(['OUTPUT', 'VALUE'], rows).map(line => `    ${line}`),
  ]
}
