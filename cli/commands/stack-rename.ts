import { existsSync, renameSync } from 'node:fs'
import { createError } from '../../shared/errors/error.ts'
import { stackConfigFileOf } from '../../shared/programs/config/stack-config-file.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import { keyStackOf } from '../../shared/secrets/key-stack.ts'
import type { Handler } from '../arguments/handler.ts'
import { renewKeyOfOldName } from '../stack/change-secrets-provider.ts'
import { selectStack } from '../stack/selected-stack.ts'
import { stateKeyOf } from '../stack/state-secrets-fields.ts'
import { warnOfWebhookRules } from '../stack/warn-of-webhook-rules.ts'
import type { CliSession } from '../session/session.ts'
import { parseStackName } from '../../shared/records/stack-name.ts'

/**
 * `stack rename <name>`: renames a stack, possibly into another project. In the folder of the
 * project, it also renames the configuration file, selects the stack, and replaces a data key that
 * names the old stack. In any other folder, it warns of such a key.
 */
export const renameCurrentStack: Handler = async (session, _flags, [name = '']) => {
  const from = await session.requireStack()
  const { project, stack } = stackPartsOf(from)
  const newName = parseStackName(name)
  const to = stackIdOf(newName.project ?? project, newName.stack)
  const engine = await session.openEngine()
  if (to === from) throw createError('STACK_EXISTS', `the stack already has the name '${stack}'`)
  requireNoConfigFile(session, from, to)
  await engine.renameStack(from, to)
  const currentProject = findProject(session, project)
  if (currentProject !== undefined) {
    const [oldFile, newFile] = [
      stackConfigFileOf(currentProject, stack),
      stackConfigFileOf(currentProject, newName.stack),
    ]
    if (oldFile !== newFile && existsSync(oldFile)) renameSync(oldFile, newFile)
    selectStack(
      session.home,
      currentProject.file,
      newName.project === undefined ? newName.stack : to,
    )
  }
  const isMoved = (newName.project ?? project) !== project
  // The Automation API returns this line. Source: pkg/cmd/pulumi/stack/stack_rename.go, 3.274.1.
  session.print(`Renamed ${isMoved ? `${from} to ${to}` : `${stack} to ${newName.stack}`}`)
  if (currentProject === undefined) await warnOfOldKey(session, to)
  else await renewKeyOfOldName(session, to)
  await warnOfWebhookRules(session, from)
  return 0
}

/** Warns if the state of a renamed stack has a data key that names the old stack. */
async function warnOfOldKey(session: CliSession, to: StackId): Promise<void> {
  const engine = await session.openEngine()
  const url = stateKeyOf(await engine.exportState(to))?.url
  const keyStack = url === undefined ? undefined : keyStackOf(url)
  if (keyStack === undefined || keyStack === to) return
  session.printToStderr(`warning: the data key of ${to} still names ${keyStack}.`)
  session.printToStderr(
    `Run \`antichain stack change-secrets-provider '${url}'\` in the folder of the project.`,
  )
}

/**
 * Throws STACK_EXISTS if the configuration files of the old and the new name both exist, because
 * the rename would overwrite the second one.
 */
function requireNoConfigFile(session: CliSession, from: StackId, to: StackId): void {
  const currentProject = findProject(session, stackPartsOf(from).project)
  if (currentProject === undefined) return
  const [oldFile, newFile] = [from, to].map(id =>
    stackConfigFileOf(currentProject, stackPartsOf(id).stack),
  )
  if (oldFile === undefined || newFile === undefined || oldFile === newFile) return
  if (existsSync(oldFile) && existsSync(newFile))
    throw createError('STACK_EXISTS', `the configuration file ${newFile} already exists`, {
      hint: 'Move or delete the file, or choose another name.',
    })
}

/**
 * Returns the project of the folder if its name is `project`, otherwise undefined. A stack can be
 * renamed from any folder.
 */
function findProject(session: CliSession, project: string) {
  try {
    const currentProject = session.requireProject()
    return currentProject.name === project ? currentProject : undefined
  } catch {
    return undefined
  }
}
