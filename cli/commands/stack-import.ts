import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { error, messageOf } from '../../shared/errors/error.ts'
import { isUrn, urnPartsOf } from '../../shared/names/urn.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { emptySnapshot, type Snapshot } from '../../shared/state/snapshot.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { Handler } from '../arguments/attach-handler.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'
import { containsCiphertext } from '../state/contains-ciphertext.ts'
import {
  namesManager,
  openStateManager,
  openStackFile,
  openStackManager,
} from '../stack/stack-secrets.ts'

/**
 * `stack import`: replaces the state of a stack (docs/spec/state-format.md#export-and-import).
 * Secrets are sealed again with the stack's own manager. Pending operations are dropped, each with
 * a warning. Without --force, a foreign or invalid state is refused. A state with an invalid URN is
 * always refused. Throws STATE_INVALID, STATE_TOO_NEW, STATE_FOREIGN, STATE_INTEGRITY,
 * STACK_NOT_EMPTY, SECRETS_MANAGER_UNSUPPORTED. After an error the stack keeps its state.
 */
export const importStack: Handler = async (session, flags) => {
  const id = await session.requireStack()
  const text = await readInput(session, flags)
  const stateTools = await session.tools.loadState()
  const { deployment } = stateTools.parseEnvelope(text)
  const file = openStackFile(session, session.requireProject(), { stack: id })
  const stackManager = await openStackManager(session, id, file)
  const snapshot =
    deployment === null
      ? emptySnapshot
      : stateTools.decodeSnapshot(
          deployment,
          await openSourceManager(session, deployment, stackManager),
        )
  const invalidResource = snapshot.resources.find(({ urn }) => !isUrn(urn))
  if (invalidResource !== undefined)
    throw error(
      'STATE_INVALID',
      `the state has a resource with an invalid URN: '${invalidResource.urn}'`,
    )
  const problems = [
    ...findForeignResources(snapshot, stackPartsOf(id)),
    ...findViolations(stateTools.verifyIntegrity, deployment),
  ]
  const [firstProblem] = problems
  if (firstProblem !== undefined && !flags.isSet('force'))
    throw error(firstProblem.code, firstProblem.sentence)
  for (const { sentence } of problems) session.printToStderr(`warning: ${sentence}`)
  const importedSnapshot: Snapshot = {
    ...snapshot,
    pendingOperations: [],
    integrityError: undefined,
  }
  const engine = await session.openEngine()
  const sealedState = stateTools.encodeSnapshot(importedSnapshot, stackManager, 'sealed')
  let replacedPending: StoredDeployment['pending_operations'] = []
  const edit = (before: StoredDeployment): StoredDeployment => {
    if (!flags.isSet('force')) refuseEmptying(before, sealedState)
    replacedPending = before.pending_operations
    return sealedState
  }
  const droppedPending = snapshot.pendingOperations.map(({ resource, type }) => ({
    urn: resource.urn,
    type,
  }))
  await engine.editState(id, { command: 'stack import', edit, dropped: droppedPending })
  for (const { urn, type } of droppedPending)
    session.printToStderr(`warning: the pending operation '${type}' of ${urn} was removed`)
  for (const { resource, type } of replacedPending ?? [])
    if (!snapshot.pendingOperations.some(({ resource: { urn } }) => urn === resource.urn))
      session.printToStderr(
        `warning: the pending operation '${type}' of ${resource.urn} was removed with the previous state`,
      )
  session.printToStderr('Import complete.')
  return 0
}

/**
 * Refuses a file without resources for a stack with some, because this is usually a mistake. Throws
 * STACK_NOT_EMPTY.
 */
function refuseEmptying(before: StoredDeployment, after: StoredDeployment): void {
  const count = before.resources?.length ?? 0
  if (count === 0 || (after.resources?.length ?? 0) > 0) return
  throw error('STACK_NOT_EMPTY', `the stack has ${count} resources, but the file has none`, {
    hint: 'Pass --force to remove them from the state; nothing is deleted at the providers.',
  })
}

/**
 * Returns the manager that decrypts a state. For a state without ciphertext this is the manager of
 * the stack. Throws STATE_INVALID if a state with ciphertext names no manager.
 */
async function openSourceManager(
  session: CliSession,
  deployment: StoredDeployment,
  stackManager: SecretsManager,
): Promise<SecretsManager> {
  if (namesManager(deployment, stackManager) || !containsCiphertext(deployment)) return stackManager
  // The file may be the state of another stack, which the user's own credentials open.
  const manager = await openStateManager(session, deployment, { kind: 'any' })
  if (manager === undefined)
    throw error(
      'STATE_INVALID',
      'the state contains encrypted secrets but names no secrets provider',
    )
  return manager
}

function findForeignResources(
  snapshot: Snapshot,
  target: { readonly project: string; readonly stack: string },
): readonly { readonly code: 'STATE_FOREIGN'; readonly sentence: string }[] {
  return snapshot.resources
    .filter(({ urn }) => {
      const { project, stack } = urnPartsOf(urn)
      return stack !== target.stack || project !== target.project
    })
    .map(({ urn }) => ({
      code: 'STATE_FOREIGN',
      sentence: `the resource ${urn} does not belong to stack '${target.stack}' of project '${target.project}'`,
    }))
}

async function readInput(session: CliSession, flags: Flags): Promise<string> {
  const file = flags.text('file')
  if (file === undefined) return session.io.readInput()
  const path = resolve(session.cwd, file)
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw error('FILE_UNREADABLE', `cannot read ${path}: ${messageOf(cause)}`, { cause })
  }
}

/** Returns the first violation of the state's rules, if any. */
function findViolations(
  verify: (deployment: StoredDeployment) => string | undefined,
  deployment: StoredDeployment | null,
): readonly { readonly code: 'STATE_INTEGRITY'; readonly sentence: string }[] {
  const sentence = deployment === null ? undefined : verify(deployment)
  return sentence === undefined ? [] : [{ code: 'STATE_INTEGRITY', sentence }]
}
