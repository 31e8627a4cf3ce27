import { createError } from '../../shared/errors/error.ts'
import { writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import type { Handler } from '../arguments/handler.ts'
import { putConfigValue, parseConfigEditKey } from '../config/edit-config.ts'
import { parseTypedValue } from '../config/typed-value.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { openStackFile, openStackManager } from '../stack/stack-secrets.ts'

/**
 * `config set`: sets a value, and encrypts it with --secret. A value that is not an argument comes
 * from a prompt or from standard input. --type sets the type of a plain value in the file.
 */
export const setConfig: Handler = async (session, flags, [name = '', operand]) => {
  if (flags.isSet('secret') && flags.isSet('plaintext'))
    throw createError('CLI_USAGE', '--secret and --plaintext cannot be used together')
  if (flags.isSet('secret') && flags.text('type') !== undefined)
    throw createError('CLI_USAGE', '--secret and --type cannot be used together', {
      hint: 'Omit --type: a secret is always a text.',
    })
  const project = session.requireProject()
  const key = parseConfigEditKey(name, project.name, flags.isSet('path'))
  const stack = await session.requireStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const text = operand ?? (await readConfigValue(session, flags))
  if (flags.isSet('secret')) {
    const manager = await openStackManager(session, stack, file)
    putConfigValue(file, key, { kind: 'secure', ciphertext: manager.crypter.encrypt(text) })
  } else {
    const type = flags.text('type')
    putConfigValue(file, key, type === undefined ? text : { scalar: parseTypedValue(text, type) })
  }
  writeStackConfig(file)
  return 0
}

async function readConfigValue(session: CliSession, flags: Flags): Promise<string> {
  if (session.mayPrompt)
    return flags.isSet('secret') ? session.io.promptHidden('value:') : session.io.prompt('value:')
  if (session.io.isTerminal)
    throw createError('CLI_USAGE', 'the value is missing: pass it as the second argument')
  const text = await session.io.readInput()
  return flags.isSet('raw') ? text : text.replace(/\r?\n$/, '')
}
