import { error } from '../../shared/errors/error.ts'
import { writeStackConfig } from '../../shared/programs/stack-config.ts'
import type { Handler } from '../attach.ts'
import { putConfigValue, readKey } from '../config-edit.ts'
import type { Flags } from '../flags.ts'
import type { Session } from '../session.ts'
import { openStackFile, stackManager } from '../stack-secrets.ts'

/** `config set`: sets a value, encrypted with --secret; asks or reads standard input for it. */
export const configSet: Handler = async (session, flags, [name = '', given]) => {
  if (flags.is('secret') && flags.is('plaintext'))
    throw error('CLI_USAGE', '--secret and --plaintext cannot be used together')
  const project = session.project()
  const key = readKey(name, project.name, flags.is('path'))
  const stack = await session.existingStack()
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  const text = given ?? (await valueOf(session, flags))
  if (flags.is('secret')) {
    const manager = await stackManager(session, stack, file)
    putConfigValue(file, key, { kind: 'secure', ciphertext: manager.crypter.encrypt(text) })
  } else {
    putConfigValue(file, key, text)
  }
  writeStackConfig(file)
  return 0
}

async function valueOf(session: Session, flags: Flags): Promise<string> {
  if (session.interactive)
    return flags.is('secret') ? session.io.askHidden('value:') : session.io.ask('value:')
  if (session.io.isTerminal) throw error('CLI_USAGE', 'the value is missing')
  const text = await session.io.readInput()
  return flags.is('raw') ? text : text.replace(/\r?\n$/, '')
}
