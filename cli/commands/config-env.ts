import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createError } from '../../shared/errors/error.ts'
import { writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import {
  environmentsFolder,
  requireEnvironmentName,
} from '../../shared/programs/environments/read-environment.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { isJsonOutput } from '../arguments/output-option.ts'
import type { CliSession } from '../session/session.ts'
import { openStackFile } from '../stack/stack-secrets.ts'

/** `config env ls`: lists the environments of the stack, in the order of their merge. */
export const listConfigEnvironments: Handler = async (session, flags) => {
  const { file } = await openStackEnvironments(session, flags)
  const names = file.getEnvironmentNames()
  if (isJsonOutput(flags)) session.print(JSON.stringify(names, null, 2))
  else for (const name of names) session.print(name)
  return 0
}

/** `config env add <name...>`: adds environments to the stack. Each must have a file. */
export const addConfigEnvironments: Handler = async (session, flags, addedNames) => {
  const { file, folder } = await openStackEnvironments(session, flags)
  for (const name of addedNames) {
    requireEnvironmentName(name, sentence => createError('CONFIG_INVALID', sentence))
    if (!existsSync(join(folder, `${name}.yaml`)))
      throw createError('CONFIG_INVALID', `the environment '${name}' does not exist`, {
        hint: `Create the file ${join(folder, `${name}.yaml`)} first.`,
      })
  }
  const names = file.getEnvironmentNames()
  file.setEnvironmentNames([...names, ...addedNames.filter(name => !names.includes(name))])
  // Throws if an environment of the stack is invalid.
  file.readEnvironment(session.requireProject().root)
  writeStackConfig(file)
  return 0
}

/** `config env rm <name>`: removes an environment from the stack. Its file stays. */
export const removeConfigEnvironment: Handler = async (session, flags, [removedName = '']) => {
  const { file } = await openStackEnvironments(session, flags)
  const names = file.getEnvironmentNames()
  if (!names.includes(removedName))
    throw createError(
      'CONFIG_MISSING',
      `the stack does not have the environment '${removedName}'`,
      {
        hint: `Its environments are: ${names.join(', ') || 'none'}`,
      },
    )
  file.setEnvironmentNames(names.filter(name => name !== removedName))
  writeStackConfig(file)
  return 0
}

async function openStackEnvironments(session: CliSession, flags: Flags) {
  const project = session.requireProject()
  const stack = await session.requireStack()
  return {
    file: openStackFile(session, project, { stack, file: flags.text('configFile') }),
    folder: join(project.root, environmentsFolder),
  }
}
