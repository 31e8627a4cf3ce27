import { createError } from '../../shared/errors/error.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import { parseStackName } from '../../shared/records/stack-name.ts'
import { cacheFolderOf, readCurrentBackend } from '../backends/current-backend.ts'
import { chooseSourceStack } from '../backends/choose-source.ts'
import { findSource } from '../backends/find-source.ts'
import { formatSources, importSource, isNewStack } from '../backends/import-source.ts'
import { type MigratedFile, openMigratedFile } from '../backends/migrated-file.ts'
import { readSourceStack, type SourceStack } from '../backends/read-source-stack.ts'
import { renameSource } from '../backends/rename-source.ts'
import type { Flags } from '../arguments/flags.ts'
import type { Handler } from '../arguments/handler.ts'
import { type CliSession, confirm } from '../session/session.ts'
import { changeSecretsProvider, renewKeyOfOldName } from '../stack/change-secrets-provider.ts'
import { removeStack } from '../stack/remove-stack.ts'
import { requireSupportedProvider } from '../stack/stack-secrets.ts'

/**
 * `stack migrate <url> [stack-name]`: copies one stack of a self-managed backend to the store, API
 * or backend in use, perhaps under another name (`--target`). The source is not changed. If a step
 * fails, the command restores the configuration file, removes the stack if this command created it,
 * and throws the error of the step. Throws STACK_EXISTS, CONFIRMATION_DECLINED, and the errors of
 * `findSource`, `readSourceStack` and `changeSecretsProvider`.
 */
export const migrateStack: Handler = async (session, flags, [url = '', name]) => {
  const provider = flags.text('secretsProvider') ?? 'default'
  requireSupportedProvider(provider)
  const sourceLocation = await findSource(session, url)
  requireOtherBackend(session, sourceLocation.backend.store.address)
  const force = flags.isSet('force')
  const id = await chooseSourceStack(session, sourceLocation, name)
  const source = await readSourceStack(session, sourceLocation.backend, { id, force })
  const target = targetOf(flags, source.id)
  const renamedSource = renameSource(source, target)
  // A target without deployments is accepted: an interrupted migration may have created it.
  if (!(await isNewStack(session, renamedSource))) throw createTargetExistsError(target)
  const file = openMigratedFile(session, source.id, target)
  const changesProvider = !keepsManager(source, provider)
  if (changesProvider && file === undefined)
    throw createError('CLI_USAGE', '--secrets-provider requires the folder of the project', {
      hint: `Run the command in the folder of the project '${stackPartsOf(target).project}'.`,
    })
  for (const line of formatSources([source])) session.printToStderr(line)
  const fileText =
    file === undefined ? '' : ` The configuration of ${target} will be in ${file.path}.`
  const text = `This copies ${source.id} to ${target}.${fileText}`
  if (!(await confirm(session, flags.isSet('yes'), { text, answer: 'yes' })))
    throw createError('CONFIRMATION_DECLINED', 'nothing was changed')
  await copyStack(session, renamedSource, {
    file,
    force,
    isRenamed: source.id !== target,
    provider: changesProvider ? provider : undefined,
  })
  session.printToStderr(
    `The command copied ${source.id} to ${target}. It did not change the source.`,
  )
  return 0
}

/** Returns the id of the new stack: that of --target, or otherwise that of the source. */
function targetOf(flags: Flags, source: StackId): StackId {
  const text = flags.text('target')
  if (text === undefined) return source
  const { project, stack } = parseStackName(text)
  return stackIdOf(project ?? stackPartsOf(source).project, stack)
}

/** Throws CLI_USAGE if the source is the backend in use. */
function requireOtherBackend({ home, cwd, io }: CliSession, address: string): void {
  const currentAddress = readCurrentBackend({ home, cwd, env: io.env })?.address
  if (currentAddress === undefined) return
  if (cacheFolderOf(home, currentAddress, cwd) !== cacheFolderOf(home, address, cwd)) return
  throw createError('CLI_USAGE', `the source and the backend in use are the same: ${address}`, {
    hint: 'Log in to the target first. `antichain stack rename` gives a stack another name.',
  })
}

function createTargetExistsError(target: StackId): Error {
  return createError('STACK_EXISTS', `the stack ${target} already exists`, {
    hint: 'Remove it with `antichain stack rm`, or choose another name with --target.',
  })
}

/**
 * Reports whether the target keeps the secrets manager of the source: by default, or if both use a
 * passphrase.
 */
function keepsManager({ state }: SourceStack, provider: string): boolean {
  const isPassphrase = state?.secrets_providers?.type === 'passphrase'
  return provider === 'default' || (provider === 'passphrase' && isPassphrase)
}

/**
 * Creates the new stack and its configuration file. If a step fails, restores the file, removes the
 * stack if this call created it, and throws the error of the step.
 */
async function copyStack(
  session: CliSession,
  renamedSource: SourceStack,
  options: {
    readonly file: MigratedFile | undefined
    readonly force: boolean
    readonly isRenamed: boolean
    /** The new secrets provider. Undefined: the new stack keeps the manager of the source. */
    readonly provider: string | undefined
  },
): Promise<void> {
  const { file, force, isRenamed, provider } = options
  const { id } = renamedSource
  const { platform } = await session.openEngine()
  const createsStack = (await platform.catalog.getStack(id)) === undefined
  try {
    await importSource(session, renamedSource, force)
    file?.write(renamedSource)
    // The steps below change the file only for another provider or another name.
    const backup = provider === undefined && !isRenamed ? undefined : file?.backUp()
    if (provider !== undefined) await changeSecretsProvider(session, id, provider)
    else if (isRenamed && file !== undefined) await renewKeyOfOldName(session, id)
    if (backup !== undefined) session.printToStderr(`Kept the previous file as ${backup}`)
  } catch (thrown) {
    file?.restore()
    if (createsStack) await removeCopy(session, id)
    throw thrown
  }
}

/** Removes the new stack after a failure. A failure of the removal is only printed. */
async function removeCopy(session: CliSession, id: StackId): Promise<void> {
  try {
    await removeStack(session, id, { force: true, preserveConfig: true })
    session.printToStderr(`Removed ${id} again, because the migration failed.`)
  } catch {
    session.printToStderr(`warning: ${id} remains. Run \`antichain stack rm ${id} --force\`.`)
  }
}
