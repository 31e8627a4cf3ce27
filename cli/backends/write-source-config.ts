import { secretsManagerFieldOf, stateSaltOf } from '../stack/state-secrets-fields.ts'
import { existsSync } from 'node:fs'
import { toConfigTree, toStoredConfigValue } from '../../shared/programs/config/config-tree.ts'
import { writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import { stackConfigFileOf } from '../../shared/programs/config/stack-config-file.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { CliSession } from '../session/session.ts'
import { openStackFile } from '../stack/stack-secrets.ts'
import type { SourceStack } from './read-source-stack.ts'

/**
 * Writes the configuration file of an imported stack from the stack's last update. Writes nothing
 * if the folder has another project or already has the file. Encrypted values stay encrypted.
 * Returns the path of the new file.
 */
export function writeSourceConfig(
  session: CliSession,
  { id, state, history }: SourceStack,
): string | undefined {
  const project = findProject(session)
  const names = stackPartsOf(id)
  if (project?.name !== names.project) return undefined
  if (existsSync(stackConfigFileOf(project, names.stack))) return undefined
  const file = openStackFile(session, project, { stack: id })
  const salt = stateSaltOf(state ?? undefined)
  const url = secretsManagerFieldOf(state ?? undefined, 'cloud', 'url')
  const encryptedKey = secretsManagerFieldOf(state ?? undefined, 'cloud', 'encryptedkey') ?? ''
  if (salt) file.setSalt(salt)
  else if (url) file.setKey(url, encryptedKey)
  for (const [key, value] of Object.entries(history.at(-1)?.info.config ?? {})) {
    file.set(key, toStoredConfigValue(toConfigTree(value)))
  }
  writeStackConfig(file)
  return file.path
}

function findProject(session: CliSession): Project | undefined {
  try {
    return session.requireProject()
  } catch {
    // Stacks can be imported from any folder. Only their configuration needs the project.
    return undefined
  }
}
